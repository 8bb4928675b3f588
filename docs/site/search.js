// Finds pages, operations, errors and fields in an index that comes with the first key that is typed.

const box = document.getElementById('search');
const input = document.getElementById('wanted');
const found = document.getElementById('found');
const KINDS = ['operation', 'page', 'error', 'field'];
const SHOWN_MAX = 12;

let index = null;

const load = () => {
  index ??= fetch(box.dataset.index).then((answer) => answer.json());
  return index;
};

/** Every word has to be there; titles that begin with the first one come first. */
function search(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hits = [];
  for (const [kind, title, address, about] of rows) {
    const name = title.toLowerCase();
    const all = `${name} ${about.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) continue;
    const rank = name === words[0] ? 0 : name.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
    hits.push({ kind, title, address, about, order: rank * KINDS.length + KINDS.indexOf(kind) });
  }
  return hits.sort((a, b) => a.order - b.order).slice(0, SHOWN_MAX);
}

function show(hits) {
  const items = hits.map(({ kind, title, address, about }) => {
    const link = document.createElement('a');
    link.href = address;
    const name = document.createElement('strong');
    name.textContent = title;
    const rest = document.createElement('span');
    // A field has a place, which tells those with one name apart.
    rest.textContent = kind === 'field' ? `${address.replace(/.*#/, '').split('-')[0]}: ${about}` : about;
    link.append(name, ' ', rest);
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  if (items.length === 0 && input.value.trim() !== '') {
    const item = document.createElement('li');
    item.textContent = 'Nothing is called so.';
    items.push(item);
  }
  found.replaceChildren(...items);
}

box.hidden = false;
input.addEventListener('input', async () => show(search(await load(), input.value)));
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = '';
    show([]);
  }
  if (event.key === 'Enter') found.querySelector('a')?.click();
});
found.addEventListener('click', ({ target }) => {
  if (!target.closest('a')) return;
  input.value = '';
  show([]);
});

// Searches the pages while the reader types. The library and the index load when the field is first touched.

const box = document.getElementById('search');
const input = document.getElementById('wanted');
const found = document.getElementById('found');

let finder = null;

const load = () => {
  finder ??= Promise.all([
    import(box.dataset.library),
    import(box.dataset.finder),
    fetch(box.dataset.index).then((answer) => answer.json()),
  ]).then(([{ default: MiniSearch }, { finderOf }, answer]) => finderOf(MiniSearch, answer));
  return finder;
};

function show(hits) {
  const items = hits.map(({ title, address, about }) => {
    const link = document.createElement('a');
    link.href = address;
    const name = document.createElement('strong');
    name.textContent = title;
    const rest = document.createElement('span');
    rest.textContent = about;
    link.append(name, ' ', rest);
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  if (items.length === 0 && input.value.trim() !== '') {
    const item = document.createElement('li');
    item.textContent = 'Nothing was found.';
    items.push(item);
  }
  found.replaceChildren(...items);
}

box.hidden = false;
input.addEventListener('focus', load);
input.addEventListener('input', async () => show((await load())(input.value)));
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

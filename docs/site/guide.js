// Adds a copy button to blocks of code. Blocks of one step in several languages become tabs, and the choice is stored.

const NAMES = { sh: 'curl', js: 'Node', python: 'Python', php: 'PHP', go: 'Go', java: 'Java' };
const STORED = 'malipo-language';

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function addCopyButton(block) {
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    const text = block.querySelector('code').textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Without HTTPS there may be no clipboard. Then the reader can copy the selected text.
      getSelection().selectAllChildren(block.querySelector('code'));
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.append(button);
}

/** Finds blocks that follow each other directly, each in a different language. */
function runsOf(blocks) {
  const runs = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    const follows = last !== undefined && last.at(-1) === block.previousElementSibling;
    const isNew = !last?.some((other) => other.dataset.language === block.dataset.language);
    if (follows && isNew) last.push(block);
    else runs.push([block]);
  }
  return runs.filter((run) => run.length > 1);
}

function makeTabs(blocks) {
  const bar = element('div', { className: 'tabs', role: 'tablist', ariaLabel: 'Language' });
  const buttons = blocks.map((block) => {
    const { language } = block.dataset;
    const button = element('button', { type: 'button', textContent: NAMES[language] ?? language });
    button.role = 'tab';
    button.dataset.language = language;
    button.addEventListener('click', () => choose(language));
    block.role = 'tabpanel';
    block.ariaLabel = NAMES[language] ?? language;
    return button;
  });
  bar.append(...buttons);
  blocks[0].before(bar);
  return { blocks, buttons };
}

for (const place of document.querySelectorAll('.origin')) place.textContent = location.origin;

const blocks = [...document.querySelectorAll('article pre')];
for (const block of blocks) addCopyButton(block);
const groups = runsOf(blocks).map(makeTabs);

function choose(language) {
  localStorage.setItem(STORED, language);
  for (const { blocks, buttons } of groups) {
    const shown = blocks.some((block) => block.dataset.language === language)
      ? language
      : blocks[0].dataset.language;
    for (const block of blocks) block.hidden = block.dataset.language !== shown;
    for (const button of buttons) button.ariaSelected = String(button.dataset.language === shown);
  }
}

// On a narrow screen the list of pages begins closed, because it would push the page out of sight.
if (matchMedia('(max-width: 55rem)').matches) document.getElementById('places').open = false;

/** Marks the section that is being read in the list. */
const links = new Map(
  [...document.querySelectorAll('.operations a')].map((link) => [link.hash.slice(1), link]),
);
const watcher = new IntersectionObserver(
  (entries) => {
    const read = entries.find(({ isIntersecting }) => isIntersecting);
    if (!read) return;
    for (const [id, link] of links) {
      if (id === read.target.id) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  },
  { rootMargin: '-10% 0px -85% 0px' },
);
for (const section of document.querySelectorAll('section.operation')) watcher.observe(section);

choose(localStorage.getItem(STORED) ?? 'sh');

// Finds sections of the pages by each typed word or its synonyms (data/search.json).

const SHOWN_MAX = 12;

/** `MiniSearch`: the library's class; `answer`: the content of `search.json`. Returns `(text) => [{ title, address, about }]`. */
export function finderOf(MiniSearch, { index, same, ignored, ending }) {
  const library = MiniSearch.loadJS(index, {
    fields: ['title', 'text'],
    storeFields: ['kind', 'title', 'address', 'about'],
    processTerm: (term) => term.toLowerCase().replace(new RegExp(ending), ''),
  });
  const meaningOf = (word) => [
    word,
    ...same
      .filter((one) => one.includes(word))
      .flat()
      .filter((other) => other !== word),
  ];
  const options = {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.2 : 0),
    boost: { title: 3 },
    boostDocument: (_id, _term, { kind }) => (kind === 'page' ? 1.5 : 1),
  };
  return (text) => {
    const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
    const words = typed.filter((word) => !ignored.includes(word));
    const queries = (words.length === 0 ? typed : words).map((word) => ({
      combineWith: 'OR',
      queries: meaningOf(word).map((one) => ({ queries: [one], combineWith: 'AND' })),
    }));
    if (queries.length === 0) return [];
    const all = library.search({ combineWith: 'AND', queries }, options);
    const found = all.length > 0 ? all : library.search({ combineWith: 'OR', queries }, options);
    return found.slice(0, SHOWN_MAX);
  };
}

import MiniSearch from 'minisearch';
import { searchWords } from '../../../domain/data/search.ts';
import { guideHtml, guides } from '../guides.ts';
import { fieldsOf, type Located, type OpenApi, operationsOf, ownParametersOf } from './document.ts';

/** `text` is searched but not stored in the index; results show `about`. */
type Section = { kind: string; title: string; address: string; about: string; text: string };

const ABOUT_MAX = 120;

/** Returns the search index as JSON. The browser loads and searches it (docs/site/find.js). */
export function searchIndex(document: OpenApi, remedies: Record<string, string>): string {
  const sections = [
    // The changelog has words of every page, so it would rank above the pages that explain them.
    ...Object.keys(guides)
      .filter((name) => name !== 'changelog')
      .flatMap(sectionsOf),
    ...operationsOf(document).map((one) => sectionOf(document, one)),
    ...Object.entries(remedies).map(([code, remedy]): Section => {
      const message = document.components.examples[code]?.value.message ?? '';
      return { kind: 'error', title: code, address: `/docs/errors#${code}`, about: remedy, text: message };
    }),
  ];
  const ending = new RegExp(searchWords.ending);
  const index = new MiniSearch({
    fields: ['title', 'text'],
    storeFields: ['kind', 'title', 'address', 'about'],
    processTerm: (term) => term.toLowerCase().replace(ending, ''),
  });
  index.addAll(sections.map((one, id) => ({ ...one, id, about: one.about.slice(0, ABOUT_MAX) })));
  return JSON.stringify({ index, ...searchWords });
}

function sectionsOf(name: string): Section[] {
  const [, ...parts] = guideHtml(name).split(/<h[1-3] id="/);
  return parts.map((part) => {
    const [, id = '', heading = '', rest = ''] = /^([^"]+)"><a[^>]*>(.*?)<\/a><\/h\d>(.*)$/s.exec(part) ?? [];
    const text = plain(rest);
    const guide = guides[name] ?? '';
    return {
      kind: 'page',
      title: plain(heading),
      address: `/docs/${name}#${id}`,
      about: `${guide}: ${text}`,
      text,
    };
  });
}

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(#\d+|\w+);/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

function sectionOf(document: OpenApi, one: Located): Section {
  const { operationId, method, path, requestBody, responses, summary, description = '', tags } = one;
  const fields = [requestBody?.content, responses[200]?.content].flatMap((content) => {
    const schema = content?.['application/json']?.schema;
    return schema ? fieldsOf(document, schema).map(({ name }) => name) : [];
  });
  const asked = ownParametersOf(one).map(({ name }) => name);
  return {
    kind: 'operation',
    title: `${method.toUpperCase()} ${path}`,
    address: `/docs/reference/${tags?.[0]}#${operationId}`,
    about: summary,
    text: [summary, description, ...asked, ...new Set(fields)].join(' '),
  };
}

import { swahili } from './data/messages.ts';

/** English first: what is answered when neither is asked for. */
export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

/**
 * A sentence in another language. Sentences are written in English where they are made; data/messages.sw.json has the
 * Swahili by the English. A sentence that it lacks stays English, and the tests say which.
 */
export function translate(sentence: string, language: Language): string {
  return language === 'en' ? sentence : (inSwahili(sentence) ?? sentence);
}

/** Null for a sentence that data/messages.sw.json does not have. */
export function inSwahili(sentence: string): string | null {
  return find(sentences, sentence) ?? (sentence.length > PAIR_LENGTH_MAX ? null : find(pairs, sentence));
}

/** A pair is looked for at every space, and a merchant names the fields. */
const PAIR_LENGTH_MAX = 500;

type Template = { literals: string[]; names: string[]; swahili: string };
type Catalogue = { exact: Record<string, string>; templates: Template[] };

const all = catalogueOf(swahili.sentences);
/** `{field} {@problem}` and the like could begin anywhere, so they are tried last, and never within another sentence. */
const isPair = ({ literals, names }: Template) =>
  literals[0] === '' && names.some((name) => name.startsWith('@'));
const sentences: Catalogue = { ...all, templates: all.templates.filter((template) => !isPair(template)) };
const pairs: Catalogue = { exact: {}, templates: all.templates.filter(isPair) };
const terms = catalogueOf(swahili.terms);

function catalogueOf(rows: Record<string, string>): Catalogue {
  const templates = Object.entries(rows)
    .filter(([english]) => english.includes('{'))
    .map(([english, swahili]) => {
      const pieces = english.split(/\{(@?\w+)\}/);
      const literals = pieces.filter((_, index) => index % 2 === 0);
      return { literals, names: pieces.filter((_, index) => index % 2 === 1), swahili };
    });
  const wordsOf = ({ literals }: Template) => literals.join('').length;
  // The one that says most of the sentence itself is the one that it was made from.
  return { exact: rows, templates: templates.sort((a, b) => wordsOf(b) - wordsOf(a)) };
}

function find({ exact, templates }: Catalogue, text: string): string | null {
  if (Object.hasOwn(exact, text)) return exact[text] ?? null;
  for (const template of templates) {
    const values = text.endsWith(template.literals.at(-1) ?? '') ? valuesOf(template, text) : null;
    if (values) return fill(template, values);
  }
  return null;
}

/** What stands in the places of a template, in their order; null when the text was not made from it. */
function valuesOf(template: Template, text: string, index = 0): string[] | null {
  const [literal = '', next] = template.literals.slice(index);
  if (!text.startsWith(literal)) return null;
  const rest = text.slice(literal.length);
  if (next === undefined) return rest === '' ? [] : null;
  const isTerm = template.names[index]?.startsWith('@') ?? false;
  for (let end = endOf(rest, next, 1); end > 0; end = endOf(rest, next, end + 1)) {
    const value = isTerm ? partInSwahili(rest.slice(0, end)) : rest.slice(0, end);
    const others = value === null ? null : valuesOf(template, rest.slice(end), index + 1);
    if (value !== null && others) return [value, ...others];
  }
  return null;
}

/** Where a value can end: before the next literal, and before an empty one (the last) at the end of the text. */
function endOf(text: string, next: string, from: number): number {
  if (next !== '') return text.indexOf(next, from);
  return from <= text.length ? text.length : -1;
}

function partInSwahili(text: string): string | null {
  return find(terms, text) ?? find(sentences, text);
}

function fill({ names, swahili }: Template, values: string[]): string {
  const valueByName = new Map(names.map((name, index) => [name.replace('@', ''), values[index] ?? '']));
  return swahili.replace(/\{(\w+)\}/g, (_, name: string) => valueByName.get(name) ?? '');
}

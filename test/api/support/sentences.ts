import { visit } from 'jsonc-parser';
import { words } from '../../../src/domain/messages/words.ts';
import { english } from '../../../src/domain/messages.ts';

/** The members of an answer that are sentences for people. */
const SENTENCES = ['message', 'status_reason', 'failure_reason'];

type Found = { value: string; offset: number; length: number };

/** Every sentence of an answer, and where it stands in the text; none of a merchant's own metadata. */
export function sentencesOf(text: string): Found[] {
  const found: Found[] = [];
  visit(text, {
    onLiteralValue: (value, offset, length, _line, _column, pathOf) => {
      if (typeof value !== 'string') return;
      const path = pathOf();
      if (SENTENCES.includes(String(path.at(-1))) && !path.includes('metadata'))
        found.push({ value, offset, length });
    },
  });
  return found;
}

/** Never said alone, or made of other messages alone: any text could be one of these. */
const PARTS: string[] = [...Object.keys(words), 'field_wrong', 'two_sentences'];

/** A message, after the name of a field where it says what is wrong with one, and with another one after it. */
const patterns = Object.entries(english)
  .filter(([id]) => !PARTS.includes(id))
  .map(([, text]) => {
    const pieces = text.split(/\{\w+\}/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const field = /^[a-z{]/.test(text) ? '(?:.* )?' : '';
    return new RegExp(`^${field}${pieces.join('.+')}(?:\\. .*)?$`, 's');
  });

/** Whether an English sentence can have been made of the catalogue. For tests alone: it takes its time. */
export function isOfCatalogue(sentence: string): boolean {
  return patterns.some((pattern) => pattern.test(sentence));
}

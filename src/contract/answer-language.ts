import { visit } from 'jsonc-parser';
import { type Language, translate } from '../domain/language.ts';

/** The members of an answer that are sentences for people. */
const SENTENCES = ['message', 'status_reason', 'failure_reason'];

/**
 * The text of an answer with its sentences in a language. Every other byte stays: numbers as they are written, members
 * in their order, and a merchant's own metadata, whatever it is called in there.
 */
export function translateAnswer(text: string, language: Language): string {
  if (language === 'en') return text;
  let translated = '';
  let end = 0;
  for (const { value, offset, length } of sentencesOf(text)) {
    translated += text.slice(end, offset) + JSON.stringify(translate(value, language));
    end = offset + length;
  }
  return translated + text.slice(end);
}

type Found = { value: string; offset: number; length: number };

/** Every sentence of an answer, and where it stands in the text. */
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

import { swahili } from './data/messages.ts';
import { english, type Message, textOf } from './messages.ts';

/** English is the default. */
export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

const catalogues = { en: english, sw: swahili };

export function inLanguage(message: Message, language: Language): string {
  return textOf(message, catalogues[language]);
}

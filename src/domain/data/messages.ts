import { z } from 'zod';
import json from '../../../data/messages.sw.json' with { type: 'json' };
import { checked, prose, readData } from './read-data.ts';

/** `{amount}` is any text and is kept; `{@network}` is a term or another sentence, and is translated too. */
const PARAMETER = /\{@?(\w+)\}/g;

const texts = checked(z.record(z.string().min(1), z.string().min(1)), function* (rows) {
  for (const [english, swahili] of Object.entries(rows)) {
    const [wanted, used] = [namesIn(english), namesIn(swahili)];
    if (wanted !== used)
      yield { path: [english], message: `its parameters are ${used || 'none'}, not ${wanted || 'none'}` };
  }
});

const schema = z.strictObject({ how: prose, sentences: texts, terms: texts });

/** Each parameter once, in the order of the alphabet. */
function namesIn(text: string): string {
  return [...text.matchAll(PARAMETER)]
    .map(([, name]) => name)
    .sort()
    .join(', ');
}

/** The Swahili of every English sentence that an answer can have, and of the words that stand in them. Throws DataError. */
export function parseMessages(content: unknown): z.output<typeof schema> {
  return readData('data/messages.sw.json', schema, content);
}

export const swahili = parseMessages(json);

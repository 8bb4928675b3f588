import { z } from 'zod';
import json from '../../../data/messages.sw.json' with { type: 'json' };
import { english, type MessageId } from '../messages.ts';
import { checked, prose, readData } from './read-data.ts';

const ids = Object.keys(english) as MessageId[];

const schema = z.strictObject({
  how: prose,
  messages: checked(
    z.strictObject(Object.fromEntries(ids.map((id) => [id, prose])) as Record<MessageId, typeof prose>),
    function* (messages) {
      for (const id of ids) {
        const [wanted, used] = [namesIn(english[id]), namesIn(messages[id])];
        if (wanted !== used)
          yield { path: [id], message: `its parameters are ${used || 'none'}, not ${wanted || 'none'}` };
      }
    },
  ),
});

function namesIn(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort().join(', ');
}

/** Throws DataError, also for a message without Swahili. */
export function parseMessages(content: unknown): z.output<typeof schema>['messages'] {
  return readData('data/messages.sw.json', schema, content).messages;
}

export const swahili = parseMessages(json);

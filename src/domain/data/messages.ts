import { z } from 'zod';
import json from '../../../data/messages.sw.json' with { type: 'json' };
import { english, type MessageId } from '../messages.ts';
import { checked, prose, readData } from './read-data.ts';

const ids = Object.keys(english) as MessageId[];

export const schema = z.strictObject({
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

/** a message without Swahili is an error */
export const swahili = readData('data/messages.sw.json', schema, json).messages;

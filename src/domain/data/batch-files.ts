import { z } from 'zod';
import json from '../../../data/batch-files.json' with { type: 'json' };
import { checked, prose, readData } from './read-data.ts';

export const batchColumns = [
  'phone_number',
  'amount',
  'currency',
  'full_name',
  'account_number',
  'bic',
  'reference',
] as const;
export type BatchColumn = (typeof batchColumns)[number];

const words = z.array(z.string().min(1)).min(1);
/** `A/C  No.` → `a/c no` */
export const plainWords = (text: string) =>
  text
    .replace(/[\s\u00a0_]+/g, ' ')
    .trim()
    .replace(/ ?[.:*]{1,3}$/, '')
    .toLowerCase();

const schema = z.strictObject({
  rule: prose,
  columns: checked(z.record(z.enum(batchColumns), words), function* (columns) {
    const seen = new Set<string>();
    for (const [name, all] of Object.entries(columns))
      for (const [index, word] of all.entries()) {
        if (seen.has(plainWords(word)))
          yield { path: [name, index], message: `the word ${word} is there twice` };
        seen.add(plainWords(word));
      }
  }),
  shillings: words,
  totals: words,
});

export const batchFiles = readData('data/batch-files.json', schema, json);

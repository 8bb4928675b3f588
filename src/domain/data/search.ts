import { z } from 'zod';
import json from '../../../data/search.json' with { type: 'json' };
import { prose, readData } from './read-data.ts';

const word = z.string().regex(/^[a-z0-9_ -]+$/);

const schema = z.strictObject({
  rule: prose,
  ending: z.string().min(1),
  same: z.array(z.array(word).min(2)),
  ignored: z.array(word),
});

/** Throws DataError. */
export const searchWords = readData('data/search.json', schema, json);

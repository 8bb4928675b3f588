import { z } from 'zod';
import json from '../../../data/prompts.json' with { type: 'json' };
import { prose, readData } from './read-data.ts';

const count = z.int().min(1).max(100_000);
const within = z.strictObject({ most: count, seconds: z.int().min(1).max(86_400) });

export type PromptBudget = z.output<typeof within>;

const schema = z.strictObject({
  rule: prose,
  of_bill: count,
  holding_bill: count,
  of_number: within,
  of_phone: within,
  of_account: within,
  unknown: within,
});

/** These limit prompts from pages. Throws DataError. */
export const promptLimits = readData('data/prompts.json', schema, json);

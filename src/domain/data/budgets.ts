import { z } from 'zod';
import json from '../../../data/budgets.json' with { type: 'json' };
import { prose, readData } from './read-data.ts';

/** So many at most in each day of Dar es Salaam, or in each hour. */
export type Budget = { most: number; every: 'day' | 'hour' };

const budget = z.strictObject({ most: z.int().min(1), every: z.enum(['day', 'hour']) });
const schema = z.strictObject({
  rule: prose,
  budgets: z.strictObject({ resends: budget, 'changes of settings': budget, pings: budget }),
});

/** The budgets of an account for its acts beside payments. Throws DataError. */
export const { budgets } = readData('data/budgets.json', schema, json);

import { z } from 'zod';
import json from '../../../data/budgets.json' with { type: 'json' };
import { prose, readData } from './read-data.ts';

/** Limits each day in Dar es Salaam, or each hour. */
export type Budget = { most: number; every: 'day' | 'hour' };

const budget = z.strictObject({ most: z.int().min(1), every: z.enum(['day', 'hour']) });
const schema = z.strictObject({
  rule: prose,
  budgets: z.strictObject({ resends: budget, 'changes of settings': budget, pings: budget }),
});

/** Actions other than payments have these budgets per account. Throws DataError. */
export const { budgets } = readData('data/budgets.json', schema, json);

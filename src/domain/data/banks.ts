import { z } from 'zod';
import json from '../../../data/banks.json' with { type: 'json' };
import { checked, prose, readData, repeated, type Wrong } from './read-data.ts';

const bic = z
  .string()
  .regex(/^[A-Z]{4}TZ[A-Z0-9]{2}$/, { error: 'must be the 8 characters of a Tanzanian BIC' });

/** Drops case, signs, BANK, and a final PLC, LTD or TANZANIA: `CRDB Bank Plc` → `CRDB`. */
export function bareBankName(text: string): string {
  const words = text.toUpperCase().split(/[^\p{L}\p{N}]+/u);
  const named = words.filter((word) => word !== '' && word !== 'BANK');
  while (['PLC', 'LTD', 'TANZANIA'].includes(named.at(-1) ?? '')) named.pop();
  return named.join('');
}

export const namesOf = (bank: { name: string; value: string; aliases?: string[] | undefined }) =>
  new Set([bank.name, bank.value, ...(bank.aliases ?? [])].map(bareBankName));

export const schema = checked(
  z.strictObject({
    rule: prose,
    banks: checked(
      z.array(
        z.strictObject({
          name: z.string().min(1),
          value: z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case words joined by _' }),
          bic,
          /** other names of this bank in files; no other bank has them */
          aliases: z.array(z.string().min(1)).optional(),
        }),
      ),
      function* (banks) {
        yield* repeated(banks, 'BIC', 'bic');
        yield* repeated(banks, 'value', 'value');
        yield* repeated(banks, 'name', 'name');
        const named = new Map<string, string>();
        for (const [index, bank] of banks.entries())
          for (const name of namesOf(bank)) {
            const other = named.get(name);
            if (name.length < 2 || (other !== undefined && other !== bank.bic))
              yield { path: [index], message: `${name} does not name this bank alone` };
            named.set(name, bank.bic);
          }
      },
    ),
    retired: checked(
      z.array(
        z.strictObject({
          bic,
          name: z.string().min(1),
          successor_bic: bic,
          since: z.string().regex(/^\d{4}(-\d{2}-\d{2})?$/, { error: 'must be a year or a date' }),
        }),
      ),
      (rows) => repeated(rows, 'BIC', 'bic'),
    ),
    often_mistyped: z.record(bic, bic),
    /** BICs of the central bank and the like, which may not be added as banks */
    not_banks: z.array(bic),
    unsure: z.array(bic),
  }),
  function* (file) {
    const known = new Set(file.banks.map((bank) => bank.bic));
    const mustBe = function* (path: PropertyKey[], value: string): Iterable<Wrong> {
      if (!known.has(value)) yield { path, message: `${value} is the BIC of no bank` };
    };
    const mustNotBe = function* (path: PropertyKey[], value: string): Iterable<Wrong> {
      if (known.has(value)) yield { path, message: `${value} is the BIC of a bank` };
    };
    for (const [index, row] of file.retired.entries()) {
      yield* mustNotBe(['retired', index, 'bic'], row.bic);
      yield* mustBe(['retired', index, 'successor_bic'], row.successor_bic);
    }
    for (const [wrong, right] of Object.entries(file.often_mistyped)) {
      yield* mustNotBe(['often_mistyped', wrong], wrong);
      yield* mustBe(['often_mistyped', wrong], right);
    }
    for (const [index, value] of file.not_banks.entries()) yield* mustNotBe(['not_banks', index], value);
    for (const [index, value] of file.unsure.entries()) yield* mustBe(['unsure', index], value);
  },
);

export const bankData = readData('data/banks.json', schema, json);

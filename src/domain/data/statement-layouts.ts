import { z } from 'zod';
import json from '../../../data/statement-layouts.json' with { type: 'json' };
import { textKinds } from '../line-kinds.ts';
import { checked, prose, readData, repeated } from './read-data.ts';

export const columnNames = [
  'receipt',
  'at',
  'text',
  'status',
  'paid_in',
  'paid_out',
  'balance',
  'party',
  'linked',
  'reference',
  'currency',
] as const;
export type ColumnName = (typeof columnNames)[number];

const neverLeftOut = ['at', 'text', 'paid_in', 'paid_out'] as const;

const headers = z.array(z.string().min(1)).min(1);
const lowerCase = z
  .string()
  .regex(/^[^A-Z]+$/, { error: 'must be lower-case: it is sought in lower-cased text' });
const expression = z.string().transform((source, context): RegExp => {
  try {
    return new RegExp(source);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a regular expression' });
    return z.NEVER;
  }
});
/** The brackets of the first matching expression enclose the value. */
const inText = z
  .array(
    expression.refine(({ source }) => /\((?!\?)/.test(source), {
      error: 'must enclose in brackets what it takes',
    }),
  )
  .default([]);

const layout = checked(
  z.strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'must be lower-case words joined by -' }),
    /** name of the files' source, for people */
    of: z.string().min(1),
    proven: prose,
    columns: z.partialRecord(z.enum(columnNames), headers),
    optional: z.array(z.enum(columnNames)).default([]),
    ignored: z.array(z.string().min(1)).default([]),
    /** labels above the header; the value is in the next cell */
    labels: z
      .partialRecord(
        z.enum(['theirs', 'currency', 'from', 'to', 'opening', 'closing', 'paid_in', 'paid_out']),
        headers,
      )
      .default({}),
    /** first cells of totals */
    trailer: z.array(z.string().min(1)).default([]),
    /** lines of one cell without meaning for money, such as page numbers */
    footers: z.array(expression).default([]),
    dates: z
      .array(
        z
          .string()
          .regex(/^(?=.*dd)(?=.*MM)(?=.*yyyy)[dMyHms./: -]+$/, { error: 'must have dd, MM and yyyy' }),
      )
      .min(1),
    /** words of the status column in lower case; other words are refused */
    statuses: z.record(lowerCase, z.enum(['done', 'failed', 'pending'])).default({}),
    receipt: inText,
    reference: inText,
    party: inText,
    /** the first match counts */
    kinds: z
      .array(
        z.strictObject({
          starts: lowerCase,
          kind: z.enum(textKinds),
          sweep_to: z.string().min(1).optional(),
        }),
      )
      .default([]),
  }),
  function* ({ columns, optional, statuses, kinds: rules }) {
    for (const name of neverLeftOut) {
      if (!columns[name]) yield { path: ['columns'], message: `${name} is missing` };
      if (optional.includes(name)) yield { path: ['optional'], message: `${name} cannot be left out` };
    }
    if ((columns.status === undefined) !== (Object.keys(statuses).length === 0))
      yield { path: ['statuses'], message: 'must be there with a status column, and only then' };
    for (const [index, { kind, sweep_to }] of rules.entries())
      if (sweep_to !== undefined && kind !== 'sweep')
        yield { path: ['kinds', index, 'sweep_to'], message: 'only a sweep has another account' };
  },
);
export type StatementLayout = z.output<typeof layout>;

export const schema = z.strictObject({
  rule: prose,
  currency_words: z.record(z.string().length(3), z.array(z.string().min(1)).min(1)),
  layouts: checked(z.array(layout), (rows) => repeated(rows, 'layout', 'name')),
});

export const statementLayouts = readData('data/statement-layouts.json', schema, json);

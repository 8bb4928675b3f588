import { z } from 'zod';
import json from '../../../data/failure-codes.json' with { type: 'json' };
import { billRefusals } from '../bill.ts';
import { failureCodes } from '../failure-code.ts';
import { checked, missing, oneOf, prose, readData, repeated } from './read-data.ts';

export const outcomes = ['success', 'pending', 'final', 'ambiguous', 'duplicate', 'setup'] as const;
export const billReplies = ['ok', 'duplicate', 'try_again', ...billRefusals] as const;

const failureCode = oneOf('failure code', failureCodes);
const outcome = oneOf('outcome', outcomes);

const channelRow = checked(
  z.strictObject({
    code: z.string().min(1),
    meaning: z.string(),
    outcome,
    /** for both directions; `collection` and `payout` where they differ */
    failure_code: failureCode.optional(),
    collection: failureCode.optional(),
    payout: failureCode.optional(),
    alert: z.boolean().optional(),
    note: prose.optional(),
    unsure: z.boolean().optional(),
  }),
  function* (row) {
    const both = row.failure_code !== undefined;
    const each = [row.collection, row.payout].filter((code) => code !== undefined).length;
    if (row.outcome !== 'final' && row.outcome !== 'setup') {
      if (both || each > 0)
        yield { path: [], message: `${row.outcome} is no failure, so it has no failure code` };
    } else if (both && each > 0)
      yield { path: ['failure_code'], message: 'is there beside collection or payout: only one can hold' };
    else if (!both && each < 2)
      yield { path: [], message: `${row.outcome} needs failure_code, or collection and payout` };
  },
);
const channelRows = checked(z.array(channelRow), (rows) => repeated(rows, 'code', 'code'));

const channel = z.strictObject({
  deduplicates: z.boolean(),
  where: prose,
  unknown_code: prose,
  codes: channelRows,
  /** words of status; `*` is every other one */
  states: channelRows.optional(),
  /** answers that are no code of the protocol: for the people who keep the file */
  http: channelRows.optional(),
  text_rule: prose.optional(),
  text_patterns: checked(
    z.array(
      z.strictObject({
        contains: z
          .string()
          .regex(/^[^A-Z]+$/, { error: 'must be lower-case: it is sought in lower-cased text' }),
        collection: failureCode,
        payout: failureCode,
      }),
    ),
    (rows) => repeated(rows, 'text', 'contains'),
  ).optional(),
});

/** A column for every protocol of bills: a new one is a column here, and nothing else knows their names. */
const reply = z
  .object({
    reason: oneOf('bill reply', billReplies),
    meaning: prose,
    'gsma-mm-1.2': z
      .string()
      .regex(/^\d{3}( [A-Za-z]+)?$/, { error: 'must be an HTTP status and an errorCode' }),
  })
  .catchall(z.string().min(1));

const codes = checked(
  z.array(
    z.strictObject({
      code: failureCode,
      reason: z.string().min(1),
      on: z.array(oneOf('type of transaction', ['payment', 'payout'])).min(1, { error: 'must name a type' }),
    }),
  ),
  function* (rows) {
    yield* repeated(rows, 'code', 'code');
    yield* missing(rows, 'code', { field: 'code', words: failureCodes });
  },
);

const schema = checked(
  z.strictObject({
    outcomes: z.strictObject(
      Object.fromEntries(outcomes.map((word) => [word, prose])) as Record<Outcome, typeof prose>,
    ),
    deduplicates: prose,
    fields: prose,
    codes,
    channels: z.record(z.string(), channel),
    bill_replies: checked(z.array(reply), function* (rows) {
      yield* repeated(rows, 'reply', 'reason');
      yield* missing(rows, 'reply', { field: 'reason', words: billReplies });
      const names = new Set(rows.flatMap((row) => Object.keys(row)));
      for (const [index, row] of rows.entries())
        for (const name of names)
          if (!(name in row)) yield { path: [index, name], message: 'is missing, though other rows have it' };
    }),
  }),
  function* (file) {
    const typesOf = new Map(file.codes.map((row) => [row.code, row.on]));
    for (const [name, section] of Object.entries(file.channels))
      for (const table of ['codes', 'states', 'http', 'text_patterns'] as const)
        for (const [index, row] of (section[table] ?? []).entries())
          for (const [direction, type] of [
            ['collection', 'payment'],
            ['payout', 'payout'],
          ] as const) {
            const code = row[direction];
            if (code !== undefined && !typesOf.get(code)?.includes(type))
              yield {
                path: ['channels', name, table, index, direction],
                message: `${code} is no failure of a ${type}`,
              };
          }
  },
);

export type Outcome = (typeof outcomes)[number];
export type ChannelRow = z.output<typeof channelRow>;
export type FailureData = z.output<typeof schema>;
/** Protocols that have a section of codes: another name does not compile. */
export type CodedProtocol = keyof typeof json.channels;
/** Protocols that have a column of replies to bills. */
export type BillProtocol = Exclude<keyof (typeof json.bill_replies)[number], 'reason' | 'meaning'>;

/** Failure codes with their sentences, the codes of every protocol, the replies to bills. Throws DataError. */
export function parseFailureCodes(content: unknown): FailureData {
  return readData('data/failure-codes.json', schema, content);
}

export const failureData = parseFailureCodes(json);

/** The forms in which a network asks about bills and reports their payments. */
export const billProtocols = Object.keys(failureData.bill_replies[0] ?? {}).filter(
  (name) => name !== 'reason' && name !== 'meaning',
) as [BillProtocol, ...BillProtocol[]];

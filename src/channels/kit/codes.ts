import { z } from 'zod';
import { failureData, type Outcome, outcomes } from '../../domain/data/failure-codes.ts';
import { checked, oneOf, prose, readData, repeated } from '../../domain/data/read-data.ts';
import { type FailureCode, failureCodes } from '../../domain/failure.ts';
import type { Direction } from '../../domain/kinds.ts';

const failureCode = oneOf('failure code', failureCodes);

const channelRow = checked(
  z.strictObject({
    code: z.string().min(1),
    meaning: z.string(),
    outcome: oneOf('outcome', outcomes),
    /** in both directions; `collection` and `payout` override it */
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

export const schema = checked(
  z.strictObject({
    deduplicates: z.boolean(),
    where: prose,
    unknown_code: prose,
    codes: channelRows,
    /** status words; `*` stands for all other words */
    states: channelRows.optional(),
    /** answers without a code, only for people who keep the file */
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
  }),
  function* (table) {
    for (const part of ['codes', 'states', 'http', 'text_patterns'] as const)
      for (const [index, row] of (table[part] ?? []).entries())
        for (const direction of ['collection', 'payout'] as const) {
          const code = row[direction];
          const type = direction === 'collection' ? 'payment' : 'payout';
          if (code !== undefined && !typesOf.get(code)?.includes(type))
            yield { path: [part, index, direction], message: `${code} is no failure of a ${type}` };
        }
  },
);
const typesOf = new Map(failureData.codes.map((row) => [row.code, row.on]));

type ChannelRow = z.output<typeof channelRow>;
export type ChannelCodes = z.output<typeof schema>;

/** Throws DataError. */
export function readCodes(folder: string, content: unknown): ChannelCodes {
  return readData(`src/channels/${folder}/codes.json`, schema, content);
}

/** `setup` is a refusal before any processing. */
export type ChannelCode = {
  outcome: Outcome;
  failureCode: FailureCode | null;
  alert: boolean;
};

export function channelCode(
  table: ChannelCodes,
  code: string,
  direction: Direction,
): ChannelCode | undefined {
  return meaningOf(table.codes, code, direction);
}

/** Looks a word up in `states`, trimmed and ignoring case; row `*` is for unlisted words. */
export function channelState(
  table: ChannelCodes,
  state: string,
  direction: Direction,
): ChannelCode | undefined {
  const states = table.states;
  const word = states?.find(({ code }) => code.toUpperCase() === state.trim().toUpperCase())?.code;
  return meaningOf(states, word ?? '*', direction);
}

/** Without codes, a row is part of a sentence, ignoring case. The first match counts. */
export function channelText(
  table: ChannelCodes,
  text: string,
  direction: Direction,
): ChannelCode | undefined {
  const rows = table.codes;
  const sentence = text.toLowerCase();
  const row = rows?.find(({ code }) => sentence.includes(code.toLowerCase()));
  return row && meaningOf(rows, row.code, direction);
}

/** Returns the first match of `text_patterns`, else `network_error`. Only for explicit failures. */
export function failureOfText(table: ChannelCodes, text: string, direction: Direction): FailureCode {
  const sentence = text.toLowerCase();
  const patterns = table.text_patterns;
  return patterns?.find(({ contains }) => sentence.includes(contains))?.[direction] ?? 'network_error';
}

function meaningOf(
  rows: ChannelRow[] | undefined,
  code: string,
  direction: Direction,
): ChannelCode | undefined {
  const row = rows?.find((r) => r.code === code);
  if (!row) return undefined;
  return {
    outcome: row.outcome,
    failureCode: row[direction] ?? row.failure_code ?? null,
    alert: row.alert ?? false,
  };
}

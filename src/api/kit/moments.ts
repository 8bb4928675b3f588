import { z } from 'zod';
import { momentOf } from '../../domain/day.ts';
import { say } from '../../domain/messages.ts';
import { wrong } from '../../platform/http/fields.ts';

/** An unescaped `+` in an address arrives as a space. */
const LOST_PLUS = /^\d{4}-\d\d-\d\dT[\d:.]+ \d\d:\d\d$/;
/** Accepts real days of the years 1000 to 2999. */
const DAY_PATTERN = [
  '[12][0-9]{3}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])',
  '[12][0-9]{3}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)',
  '[12][0-9]{3}-02-(?:0[1-9]|1[0-9]|2[0-8])',
  '(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:1[26]|2[048])00)-02-29',
].join('|');
const TIME_PATTERN =
  'T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-]' +
  '(?:[01][0-9]|2[0-3]):[0-5][0-9])';

const PATTERN = `^(?:${DAY_PATTERN})(?:${TIME_PATTERN})?$`;
const ISO = new RegExp(PATTERN);

export const dayOrMoment = {
  description: 'A day, which begins at midnight in Dar es Salaam, or a moment with its zone',
};

/** Turns any ISO 8601 moment into UTC with microseconds, so that Postgres gets no invalid date. */
export const requiredMoment = z
  .string()
  .transform((text, context) => {
    if (ISO.test(text)) return utcWithMicroseconds(momentOf(text));
    context.addIssue(wrong(say(LOST_PLUS.test(text) ? 'plus_is_lost' : 'must_be_time')));
    return z.NEVER;
  })
  .meta({ pattern: PATTERN, ...dayOrMoment, example: '2026-11-20' });
export const moment = requiredMoment.optional();

/** Writes milliseconds since 1970 with six decimals and Z, as every timestamp here. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/** Keeps six decimals, which a Date cannot hold. */
function utcWithMicroseconds(text: string): string {
  const decimals = /[.](\d{1,6})/.exec(text)?.[1] ?? '';
  return `${new Date(text).toISOString().slice(0, 19)}.${decimals.padEnd(6, '0')}Z`;
}

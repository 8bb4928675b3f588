import { z } from 'zod';
import { DAY_OFFSET_MS } from '../../domain/day.ts';

/** All protocols read networks' values by these (docs/add-a-channel.md). */

/** A number beyond this would have lost digits in parsing. */
const number = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/** A name, code, state, amount or receipt: text or a number, trimmed. */
export const said = (max = 256, min = 0) =>
  z.union([z.string(), number.transform(String)]).pipe(z.string().trim().min(min).max(max));

const SENTENCE_CHARACTERS_MAX = 512;

/** Cuts a long sentence visibly, because half an amount must not look whole. */
export const sentence = z
  .string()
  .transform((text) =>
    text.length > SENTENCE_CHARACTERS_MAX ? `${text.slice(0, SENTENCE_CHARACTERS_MAX)}…` : text,
  )
  .optional()
  .catch(undefined);

/** Reads `true`, `"True"`, `1` and `"1"` as yes. A 0 means neither, because it is often "no error". */
export const flag = z
  .union([z.boolean().transform(String), said(8)])
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['true', '1', 'false']).transform((text) => text !== 'false'));

/** A network repeats a message for hours, and a fast clock is ahead by minutes. */
const OLD_MS = 24 * 3_600_000;
const AHEAD_MS = 15 * 60_000;

/** Returns true if this time (ms since 1970) is recent. An older message may be a replay. */
export function isFresh(time: number, now: number): boolean {
  return time >= now - OLD_MS && time <= now + AHEAD_MS;
}

/** Compares a stamp without an offset with our clock, both as Dar es Salaam's time and as UTC. */
export function isNear(time: number, now: number, toleranceMs: number): boolean {
  return [time, time + DAY_OFFSET_MS].some((one) => Math.abs(now - one) <= toleranceMs);
}

/** Tanzania is three hours ahead of UTC all year. */
export const DAY_OFFSET = '+03:00';
export const DAY_OFFSET_MS = 3 * 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the start of the day in Dar es Salaam, as ISO 8601 UTC. */
export function startOfDay(at: Date): string {
  const local = at.getTime() + DAY_OFFSET_MS;
  return new Date(local - (((local % DAY_MS) + DAY_MS) % DAY_MS) - DAY_OFFSET_MS).toISOString();
}

/** Returns the day in Dar es Salaam: `2026-11-27`. */
export function dayOf(at: Date): string {
  return clockTimeOf(at.getTime()).slice(0, 10);
}

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** 1 is Monday. */
export function weekdayOf(day: string): number {
  return ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}

/** Months look like `2026-11`; years are 1000 to 2999. */
export const MONTH_PATTERN = '^[12][0-9]{3}-(0[1-9]|1[0-2])$';

export function monthRangeOf(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const startOf = (index: number) => new Date(Date.UTC(year, index, 1) - DAY_OFFSET_MS).toISOString();
  return { from: startOf(number - 1), to: startOf(number) };
}

/** A date alone, in `from`, `to` or `expires_at`, means its start in Dar es Salaam. */
export function momentOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00${DAY_OFFSET}` : text;
}

/** Reads ISO 8601, or a date, as UTC; null if invalid, or outside the years 1000 to 2999. */
export function readMoment(text: string): string | null {
  const at = new Date(momentOf(text));
  const year = at.getUTCFullYear();
  return year >= 1_000 && year < 3_000 ? at.toISOString() : null;
}

/** Turns milliseconds since 1970 into Dar es Salaam time without a zone: `2026-01-08T12:00:00.000`. */
export function clockTimeOf(atMs: number): string {
  return new Date(atMs + DAY_OFFSET_MS).toISOString().slice(0, -1);
}

export const UTC_TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Writes a UTC time (ISO 8601) in Dar es Salaam's: `2026-01-08 12:00:00 EAT`. */
export function localTime(at: string): string {
  return `${clockTimeOf(Date.parse(at)).slice(0, 19).replace('T', ' ')} EAT`;
}

/** Writes a UTC time in Dar es Salaam's: `2026-11-20T11:15:30.123456+03:00`. */
export function localStamp(at: string): string {
  return `${clockTimeOf(Date.parse(at)).slice(0, 19)}${at.slice(19).replace('Z', DAY_OFFSET)}`;
}

/** Writes a line's times in Dar es Salaam's, as ISO 8601, so people can type them again. */
export function withLocalTimes(line: string): string {
  return line.replace(UTC_TIMES, (at) => `${clockTimeOf(Date.parse(at)).slice(0, 19)}${DAY_OFFSET}`);
}

const STAMP = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;

/** Reads `yyyyMMddHHmmss` or ISO 8601 as ms, by default in Dar es Salaam's time. NaN for anything else. */
export function timeSaid(text: string): number {
  const iso = text.trim().replace(STAMP, '$1-$2-$3T$4:$5:$6');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(iso) ? iso : `${iso}${DAY_OFFSET}`);
}

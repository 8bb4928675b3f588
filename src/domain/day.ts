/** Tanzania is three hours ahead of UTC, in summer as in winter. */
export const DAY_OFFSET = '+03:00';
export const DAY_OFFSET_MS = 3 * 3_600_000;
export const DAY_MS = 86_400_000;

/** The moment (ISO 8601, UTC) at which the day of `at` began in Dar es Salaam. */
export function startOfDay(at: Date): string {
  const local = at.getTime() + DAY_OFFSET_MS;
  return new Date(local - (((local % DAY_MS) + DAY_MS) % DAY_MS) - DAY_OFFSET_MS).toISOString();
}

/** What a clock in Dar es Salaam shows then (milliseconds since 1970): `2026-01-08T12:00:00.000`, without a zone. */
export function clockTimeOf(atMs: number): string {
  return new Date(atMs + DAY_OFFSET_MS).toISOString().slice(0, -1);
}

/** Tanzania is three hours ahead of UTC, in summer as in winter. */
export const DAY_OFFSET = '+03:00';
const OFFSET_MS = 3 * 3_600_000;
export const DAY_MS = 86_400_000;

/** The moment (ISO 8601, UTC) at which the day of `at` began in Dar es Salaam. */
export function startOfDay(at: Date): string {
  const local = at.getTime() + OFFSET_MS;
  return new Date(local - (((local % DAY_MS) + DAY_MS) % DAY_MS) - OFFSET_MS).toISOString();
}

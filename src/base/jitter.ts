/** Varies the pause by ±20 %, so that many processes do not act at the same moment. */
export function jitter(pauseMs: number, random: () => number = Math.random): number {
  return Math.round(pauseMs * (0.8 + random() * 0.4));
}

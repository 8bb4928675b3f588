/** ±20 %, so that many transactions do not look, ask or leave at the same moment. */
export function jitter(pauseMs: number): number {
  return Math.round(pauseMs * (0.8 + Math.random() * 0.4));
}

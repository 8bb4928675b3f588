const CAUSES_MAX = 4;

/** Says what went wrong and why, without any data that was sent. */
export function causesOf(error: unknown, most = CAUSES_MAX): string {
  if (!(error instanceof Error)) return String(error);
  const { name, code, message, cause, errors } = error as Error & { code?: string; errors?: unknown[] };
  const below = most > 0 ? [...(cause === undefined ? [] : [cause]), ...(errors ?? []).slice(0, most)] : [];
  const own = [code ?? name, message].filter((word) => word !== '' && word !== 'Error');
  return [...own, ...below.map((one) => causesOf(one, most - 1))].join(': ');
}

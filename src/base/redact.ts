/** Only these facts of an error leave the process. */
export type ErrorFacts = {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  /** stack frames without the message */
  stack?: string;
  cause?: ErrorFacts;
};

const CAUSES_MAX = 4;

const SECRETS: [RegExp, string | ((...groups: string[]) => string)][] = [
  // Addresses contain user names and tokens. Operators need only the host.
  [/:\/\/(?:[^\s/?#"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/g, '://$1/…'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 ***'],
  [/\bsk_(test|live)_\w+/g, 'sk_$1_***'],
  [/\bop_[0-9A-Za-z]{12}_\w+/g, 'op_***'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_***'],
  // Phone and account numbers, but not the last group of a UUID.
  [/(?<![\w-])\+?\d{9,}(?![\w-])/g, (digits = '') => maskNumber(digits)],
];

/** Masks a phone or account number: 0754***123. A short number keeps a quarter at each end. */
export function maskNumber(digits: string): string {
  const local = digits.replace(/^\+?255(?=\d{9}$)/, '0');
  const quarter = Math.floor(local.length / 4);
  const [head, tail] = local.length < 9 ? [quarter, quarter] : [4, 3];
  return `${local.slice(0, head)}***${local.slice(local.length - tail)}`;
}

/** Cuts addresses to their host, removes secrets and masks long numbers. */
export function mask(text: string): string {
  return SECRETS.reduce((masked, [pattern, by]) => masked.replace(pattern, by as string), text);
}

/** Returns the facts of an error and its causes, without text that a caller sent. Never throws. */
export function describeError(thrown: unknown): ErrorFacts {
  return factsOf(thrown, CAUSES_MAX);
}

function factsOf(thrown: unknown, causesLeft: number): ErrorFacts {
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: 'something that is no error was thrown' };
  const { code, constraint, cause } = thrown as Error & { code?: unknown; constraint?: unknown };
  const stack = framesOf(thrown);
  return {
    type: thrown.name,
    message: safeMessage(thrown, stack),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(stack === '' ? {} : { stack }),
    ...(cause instanceof Error && causesLeft > 0 ? { cause: factsOf(cause, causesLeft - 1) } : {}),
  };
}

/**
 * Messages of these packages have fixed words or addresses. Those of parsers and of JavaScript quote input.
 */
const WORDS_ONLY = /node_modules\/(pg|pg-pool|undici|ioredis|@temporalio|@grpc)\//;

function safeMessage(error: Error, stack: string): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (isOfPostgres(error)) {
    // Errors of class 22 (data exceptions) quote the value; others name tables, columns and constraints.
    return code.startsWith('22') ? `Postgres refused a value (${code})` : mask(error.message);
  }
  const frame = stack.split('\n', 1)[0] ?? '';
  const thrownAt = /\(([^()]*)\)$/.exec(frame)?.[1] ?? frame.trim();
  const isForeign = /node_modules\/|\bnode:|^<anonymous>$|^native$/.test(thrownAt);
  // zod removes its own stack frames, so its errors look like ours.
  const isOfSchema = 'issues' in error;
  if (stack !== '' && !isOfSchema && (!isForeign || WORDS_ONLY.test(thrownAt))) return mask(error.message);
  // System errors name the call and the address, not the data.
  if ('syscall' in error) return mask(error.message);
  return `${error.name}${code === '' ? '' : ` ${code}`} (its words may quote what was sent)`;
}

function isOfPostgres(error: Error): boolean {
  return 'severity' in error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** The stack begins with the message, which may have many lines. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n');
  return lines.filter((line) => /^\s+at .*(:\d+\)?|\(native\)|<anonymous>\)?)$/.test(line)).join('\n');
}

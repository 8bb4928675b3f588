/** Only these facts of an error leave the process: texts that quote a caller go, numbers are masked. */
export type ErrorFacts = {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  /** frames only, without the message */
  stack?: string;
  cause?: ErrorFacts;
};

const CAUSES_MAX = 4;

const SECRETS: [RegExp, string | ((...groups: string[]) => string)][] = [
  // Addresses carry user names, tokens in paths and in queries: the host is what an operator needs.
  [/:\/\/(?:[^\s/?#"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/g, '://$1/…'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 ***'],
  [/\bsk_(test|live)_\w+/g, 'sk_$1_***'],
  [/\bop_[0-9A-Za-z]{12}_\w+/g, 'op_***'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_***'],
  // Phone and account numbers; not the last group of a UUID.
  [/(?<![\w-])\+?\d{9,}(?![\w-])/g, (digits = '') => maskNumber(digits)],
];

/** A phone or account number as it may be shown: 0754***123; of a short one a quarter at each end. */
export function maskNumber(digits: string): string {
  const local = digits.replace(/^\+?255(?=\d{9}$)/, '0');
  const quarter = Math.floor(local.length / 4);
  const [head, tail] = local.length < 9 ? [quarter, quarter] : [4, 3];
  return `${local.slice(0, head)}***${local.slice(local.length - tail)}`;
}

/** Text of ours with addresses cut to their host, secrets left out and long numbers masked. */
export function mask(text: string): string {
  return SECRETS.reduce((masked, [pattern, by]) => masked.replace(pattern, by as string), text);
}

/** Returns the facts of an error and of its causes, without anything that was sent to us. Never throws. */
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

/** The packages whose errors are constant words, addresses at most: parsers and the language quote their input. */
const WORDS_ONLY = /node_modules\/(pg|pg-pool|undici|ioredis|@temporalio|@grpc)\//;

function safeMessage(error: Error, stack: string): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (isOfPostgres(error)) {
    // Class 22, data exceptions, quotes the value; all others name tables, columns and constraints.
    return code.startsWith('22') ? `Postgres refused a value (${code})` : mask(error.message);
  }
  const frame = stack.split('\n', 1)[0] ?? '';
  const thrownAt = /\(([^()]*)\)$/.exec(frame)?.[1] ?? frame.trim();
  const isForeign = /node_modules\/|\bnode:|^<anonymous>$|^native$/.test(thrownAt);
  // zod hides its own frames, so that its errors look as if they were ours.
  const isOfSchema = 'issues' in error;
  if (stack !== '' && !isOfSchema && (!isForeign || WORDS_ONLY.test(thrownAt))) return mask(error.message);
  // Errors of the system say which call failed at which address, nothing that was sent.
  if ('syscall' in error) return mask(error.message);
  return `${error.name}${code === '' ? '' : ` ${code}`} (its words may quote what was sent)`;
}

function isOfPostgres(error: Error): boolean {
  return 'severity' in error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** An error's stack begins with its message, which may have many lines. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n');
  return lines.filter((line) => /^\s+at .*(:\d+\)?|\(native\)|<anonymous>\)?)$/.test(line)).join('\n');
}

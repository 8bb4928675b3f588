import { z } from 'zod';
import { type ErrorCode, type FieldError, GatewayError, sentenceOf } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { likelyName } from './likely.ts';

/** `code` replaces the general code if all problems share it. A single problem may have a `sentence`. */
export type Problem = FieldError & { code?: ErrorCode; sentence?: Message };

/** `own` replaces the general code and sentence. */
export function wrong(message: Message, own: Omit<Problem, 'field' | 'message'> = {}) {
  return { code: 'custom' as const, params: { message, ...own } };
}

/** A text is wrong if `read` returns no value. */
export function readable<T>(read: (text: string) => T | null | undefined, problem: ReturnType<typeof wrong>) {
  return z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== null && value !== undefined) return value;
    // zod changes the object that it gets.
    context.addIssue({ ...problem });
    return z.NEVER;
  });
}

export type Shape = Record<string, z.ZodType>;
type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };
/** A value is absent if its field is wrong, or optional and missing. */
export type Fields<S extends Shape> = { values: Partial<Values<S>>; problems: Problem[] };

/** Each field is read separately, so one error reports all wrong ones. */
export function readFields<S extends Shape>(shape: S, known: Record<string, unknown>): Fields<S> {
  const values: Partial<Values<S>> = {};
  const problems: Problem[] = [];
  for (const [name, schema] of Object.entries(shape) as [keyof S & string, z.ZodType][]) {
    const result = schema.safeParse(known[name], { error: unlessGeneral, reportInput: true });
    if (result.success) values[name] = result.data as Values<S>[typeof name];
    else problems.push(...problemsOf(name, result.error));
  }
  return { values, problems };
}

function problemsOf(name: string, error: z.ZodError): Problem[] {
  const found = new Map<string, Problem>();
  for (const issue of error.issues) {
    const field = [name, ...issue.path.map(String)].join('.');
    const own = issue.code === 'custom' ? issue.params : {};
    if (!found.has(field))
      found.set(field, { field, message: issue.message || (generalOf(issue) ?? ''), ...own });
  }
  return [...found.values()];
}

type Issue = {
  code?: string;
  origin?: unknown;
  maximum?: unknown;
  expected?: unknown;
  values?: unknown;
  input?: unknown;
};

/** Returns '' where our general message replaces zod's. */
const unlessGeneral = (issue: Issue) => generalOf(issue) && '';

function generalOf({ code, origin, maximum, expected, values, input }: Issue): Message | undefined {
  if (input === undefined) return say('is_required');
  switch (code) {
    case 'too_small':
      return origin === 'array' ? say('must_have_an_item') : undefined;
    case 'too_big':
      if (origin === 'array') return say('must_have_at_most_items', { maximum: Number(maximum) });
      if (origin !== 'string') return undefined;
      return say('must_be_at_most_characters', { maximum: Number(maximum).toLocaleString('en') });
    case 'invalid_value':
      if (typeof input !== 'string') return wrongType('string', input);
      return say('must_be_one_of', { values: (values as string[]).join(', ') });
    case 'invalid_type':
      return wrongType(String(expected), input);
  }
}

function wrongType(expected: string, input: unknown): Message | undefined {
  const wanted = wantedTypes[expected];
  return wanted && say(wanted, { type: say(`type_${typeOf(input)}`) });
}

const wantedTypes: {
  [zodType: string]: `must_be_json_${'array' | 'boolean' | 'number' | 'object' | 'string'}`;
} = {
  record: 'must_be_json_object',
  object: 'must_be_json_object',
  array: 'must_be_json_array',
  string: 'must_be_json_string',
  number: 'must_be_json_number',
  boolean: 'must_be_json_boolean',
};

function typeOf(value: unknown) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as 'boolean' | 'number' | 'object' | 'string');
}

/** Throws one error for all problems, with their code if they share one, else `validation_failed`. */
export function acceptFields<S extends Shape>({ values, problems }: Fields<S>): Values<S> {
  refuseProblems(problems);
  return values as Values<S>;
}

function refuseProblems(problems: Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const codes = new Set(problems.map((problem) => problem.code ?? 'validation_failed'));
  const code = codes.size === 1 ? (first.code ?? 'validation_failed') : 'validation_failed';
  const sentence = problems.length === 1 ? first.sentence : undefined;
  throw new GatewayError(code, sentence ?? sentenceOf(problems), {
    errors: problems.map(({ field, message }) => ({ field, message })),
  });
}

/** If an ignored name was probably meant for a missing field, names it in that field's message. */
export function namingLikely(error: unknown, known: Record<string, unknown>, ignored: string[]): unknown {
  if (!(error instanceof GatewayError) || ignored.length === 0) return error;
  const problems = error.detail.errors?.map((problem): FieldError => {
    const [inner = '', ...outer] = problem.field.split('.').reverse();
    const within = outer.reverse();
    const holder = within.reduce<unknown>((object, name) => isObject(object) && object[name], known);
    if (isObject(holder) && Object.hasOwn(holder, inner)) return problem;
    const sent = ignored.find((name) => {
      const [last = '', ...before] = name.split('.').reverse();
      return before.reverse().join('.') === within.join('.') && likelyName(last, [inner]) !== undefined;
    });
    if (sent === undefined) return problem;
    return { ...problem, message: say('is_required_sent_as', { name: sent.slice(0, 100) }) };
  });
  const hasChanged = problems?.some((problem, index) => problem !== error.detail.errors?.[index]);
  if (!problems || !hasChanged) return error;
  const sentence = problems.length === 1 ? sentenceOf(problems) : error.sentence;
  return new GatewayError(error.code, sentence, { ...error.detail, errors: problems });
}

/** Drops nulls. `ignored` lists unknown members, with dotted names. */
export function pickKnown(
  shape: Shape,
  body: Record<string, unknown>,
): { known: Record<string, unknown>; ignored: string[] } {
  const known: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const schema = Object.hasOwn(shape, name) ? innerOf(shape[name]) : undefined;
    if (schema === undefined) ignored.push(name);
    else if (value === null) continue;
    else if (schema instanceof z.ZodObject && isObject(value)) {
      const inner = pickKnown(schema.shape, value);
      known[name] = inner.known;
      ignored.push(...inner.ignored.map((innerName) => `${name}.${innerName}`));
    } else {
      known[name] = value;
      // A single push of ten thousand names would have more arguments than a call takes.
      for (const inner of ignoredInItems(schema, value)) ignored.push(`${name}.${inner}`);
    }
  }
  return { known, ignored };
}

/** Returns the names of unknown members: each item's own reader drops them. */
function ignoredInItems(schema: z.ZodType, items: unknown): string[] {
  if (!(schema instanceof z.ZodArray) || !Array.isArray(items)) return [];
  const { element } = schema;
  if (!(element instanceof z.ZodObject)) return [];
  return items.flatMap((item, at) =>
    isObject(item) ? pickKnown(element.shape, item).ignored.map((inner) => `${at}.${inner}`) : [],
  );
}

function innerOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? innerOf(schema.unwrap() as z.ZodType) : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

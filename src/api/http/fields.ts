import { z } from 'zod';
import { type ErrorCode, type FieldError, GatewayError } from '../../domain/errors.ts';

/** The problem of one field. `code` and `sentence` replace the general ones when it is the only problem. */
export type Problem = FieldError & { code?: ErrorCode; sentence?: string };

export type Shape = Record<string, z.ZodType>;
type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };
/** A value is absent when its field is optional and was not sent, or is wrong. */
export type Fields<S extends Shape> = { values: Partial<Values<S>>; problems: Problem[] };

/** Reads every field on its own, so that all wrong ones are reported at once, also when a rule needs two of them. */
export function readFields<S extends Shape>(shape: S, known: Record<string, unknown>): Fields<S> {
  const values: Partial<Values<S>> = {};
  const problems: Problem[] = [];
  for (const [name, schema] of Object.entries(shape) as [keyof S & string, z.ZodType][]) {
    const result = schema.safeParse(known[name]);
    if (result.success) values[name] = result.data as Values<S>[typeof name];
    else problems.push(...problemsOf(name, result.error));
  }
  return { values, problems };
}

function problemsOf(name: string, error: z.ZodError): Problem[] {
  const found = new Map<string, Problem>();
  for (const issue of error.issues) {
    const field = [name, ...issue.path.map(String)].join('.');
    const extra = issue.code === 'custom' ? (issue.params ?? {}) : {};
    if (!found.has(field)) found.set(field, { field, message: issue.message, ...extra });
  }
  return [...found.values()];
}

/**
 * All values, once nothing is wrong with them. Throws one error for all problems: with their own code where they share
 * one, else `validation_failed`.
 */
export function acceptFields<S extends Shape>({ values, problems }: Fields<S>): Values<S> {
  refuseProblems(problems);
  return values as Values<S>;
}

function refuseProblems(problems: Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const codes = new Set(problems.map((problem) => problem.code ?? 'validation_failed'));
  const code = codes.size === 1 ? (first.code ?? 'validation_failed') : 'validation_failed';
  const names = [...new Set(problems.map((problem) => problem.field))];
  const message =
    problems.length === 1
      ? (first.sentence ?? `${first.field} ${first.message}`)
      : `${names.length} fields need correcting: ${names.join(', ')}`;
  throw new GatewayError(code, message, {
    errors: problems.map(({ field, message }) => ({ field, message })),
  });
}

/** The fields of a body that its shape knows, nulls dropped, and the dotted names of the others. */
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
    } else known[name] = value;
  }
  return { known, ignored };
}

/** The schema of an optional or nullable field when it is there. */
function innerOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? innerOf(schema.unwrap() as z.ZodType) : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

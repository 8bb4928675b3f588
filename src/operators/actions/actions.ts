import { z } from 'zod';
import { bareKeyId } from '../../accounts/key-format.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { readMoment } from '../../domain/day.ts';
import { conflict, GatewayError, validationFailed } from '../../domain/errors.ts';
import type { Round } from '../../domain/event.ts';
import { CURRENCY } from '../../domain/money.ts';
import { isPlain } from '../../domain/plain-text.ts';
import type { OperatorActor } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { UnsignalledPayment } from '../../transactions/rescue/orphans.ts';
import type { Asked } from '../asked.ts';
import type { Role } from '../people/roles.ts';
import { askedOf } from './asked-of.ts';
import type { Described, View } from './facts.ts';

export type Approval = {
  actor: OperatorActor;
  proposedBy: string;
  reason: string;
  /** number of operators; 1 only if the action has `alone` */
  agreed: 1 | 2;
  /** empty if one operator was enough */
  proposalId: string;
};

/** `execute` throws this under its locks if one operator is not enough. Then only a proposal is made. */
export class NeedsAnother extends GatewayError {
  constructor() {
    super('conflict', 'One operator cannot do this alone: propose it, and another operator approves it');
  }
}

export type Executed = {
  outcome: string;
  /** transaction whose workflow is signalled after the commit */
  wake?: string;
  /** transaction whose first workflow starts after the commit */
  begin?: string;
  /** payment of a bill or standing number; its workflow is signalled after the commit */
  paid?: UnsignalledPayment;
  /** live test: its payment is submitted after the commit */
  liveSend?: string;
  /** deliveries that start after the commit */
  deliver?: Round[];
  /** other results, if the action handled several items */
  also?: readonly Executed[];
};

/**
 * The API document, the desk's form and the command are made from this declaration.
 * `execute` runs inside the transaction of the approval, writes to Postgres only, and audits last. If it
 * throws a GatewayError, its writes are rolled back.
 */
export type Action<Payload = unknown, Found = unknown> = {
  title: string;
  /** command words, then arguments: `days close <account> <day>` */
  command: string;
  /** text below the form: it says what happens next */
  note?: string;
  example: readonly [reason: string, payload: object];
  role: Role;
  /** An operator with one of these roles can do it alone, unless `execute` demands two. */
  alone?: readonly Role[];
  payload: z.ZodType<Payload>;
  /** Returns what every view of the proposal shows: names and shillings, before and after. */
  describe?(payload: Payload, view: View): string | Promise<Described>;
  /** Fills in optional members when it is proposed, so that a late approval uses the same values. */
  bind?(db: Queryable, payload: Payload): Promise<Payload>;
  /** Reads the current values. If they differ from the payload, the action is refused. */
  seen?(db: Queryable, payload: Payload): Promise<Partial<Payload>>;
  /** Locks the rows that `seen`, `check` and `execute` read, until the approval is committed. */
  lock?(db: Queryable, payload: Payload): Promise<unknown>;
  /** Throws a GatewayError if the action is impossible. Runs at the proposal, and again under the locks. */
  check?(db: Queryable, payload: Payload): Promise<Found>;
  /**
   * True if `execute` must run without a savepoint, because of the triggers of 0005_callbacks.sql. If
   * `execute` then throws, the approval is rolled back too.
   */
  isWhole?: true;
  execute(db: Queryable, payload: Payload, approval: Approval, found: Found): Promise<Executed>;
};

export type Declared = Action & { asked: readonly Asked[] };
export type Actions = Readonly<Record<string, Declared>>;

export const askersOf = ({ role, alone = [] }: Action): readonly Role[] => [...new Set([role, ...alone])];

/** Drops the payload's type, so that one table can hold all actions. */
export function declare<Payload, Found = unknown>(
  definition: Action<NoInfer<Payload>, Found> & { payload: z.ZodType<Payload> },
): Declared {
  return { ...(definition as Action), asked: askedOf(definition.payload) };
}

/** Adds current values that the payload left out. Throws if a value in the payload has changed. */
export async function withSeen(db: Queryable, action: Action, given: unknown): Promise<object> {
  const bound = (await action.bind?.(db, given)) ?? given;
  const now = await action.seen?.(db, bound);
  const payload = { ...now, ...(bound as object) };
  refuseChanged(payload, now);
  return payload;
}

export async function bindSeen(db: Queryable, action: Action, given: unknown): Promise<object> {
  const payload = await withSeen(db, action, given);
  await action.check?.(db, payload);
  return payload;
}

/** `execute` gets the result of `check`. */
export async function prepare(db: Queryable, action: Action, payload: unknown): Promise<unknown> {
  await action.lock?.(db, payload);
  refuseChanged(payload as object, await action.seen?.(db, payload));
  return action.check?.(db, payload);
}

type Members = Record<string, unknown>;

function refuseChanged(payload: object, now: object = {}): void {
  const changed = Object.entries(now).filter(
    ([name, value]) => canonicalJson(value ?? null) !== canonicalJson((payload as Members)[name] ?? null),
  );
  if (changed.length > 0) throw changedSince(...changed.map(([name]) => name));
}

export const changedSince = (...names: string[]) =>
  conflict(
    `It has changed since you looked at it (${names.join(', ').replaceAll('_', ' ')}): ` +
      'look at it again, and propose it again',
  );

/** Throws `validation_failed` with the first problem of each field. */
export function readPayload(action: Action, payload: unknown): unknown {
  const parsed = action.payload.safeParse(payload, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : null;
    return (unknown ?? [issue.path]).map((path) => ({
      field: ['payload', ...path.map(String)].join('.'),
      message: issue.message,
    }));
  });
  throw validationFailed(
    errors.filter(({ field }, at) => errors.findIndex((one) => one.field === field) === at),
  );
}

function sentenceOf(issue: { code?: string; input?: unknown; expected?: unknown }): string {
  if (issue.code === 'unrecognized_keys') return 'is an unknown field';
  if (issue.input === undefined) return 'is required';
  return issue.code === 'invalid_type' ? `must be of the JSON type ${issue.expected}` : 'is not valid';
}

export const orRequired = (message: string) => ({
  error: (issue: { input: unknown }) => (issue.input === undefined ? 'is required' : message),
});

/** Approvers see the text exactly as it was typed. */
export const sentenceField = (max: number) =>
  z
    .string(orRequired('must be text'))
    .refine((value) => value.trim() !== '' && value.length <= max, `must have 1 to ${max} characters`)
    .refine(isPlain, 'must be one line without control characters')
    .meta({ minLength: 1, maxLength: max });

/** Takes the id of a merchant's key also as commands print it. */
export const keyIdField = sentenceField(100).overwrite(bareKeyId);

/** The form sends the value that its page showed. Without it, the server reads the current value. */
export const seen = (description: string) => ({ description, face: { isSeen: true } }) as const;
/** Only the API documents show this description. */
export const documented = (description: string) => ({ description, face: { isClear: true } }) as const;
/** People type shillings; the payload has minor units. */
export const inShillings = { face: { unit: 'shillings' } } as const;

export const exampleAccount = '6f1c2a34-9d58-4e0b-8f77-2b9a4c1d3e5f';
export const exampleFingerprint = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** A UUID in lower case, as Postgres writes it. */
export const accountIdField = z
  .uuid('must be the id of an account')
  .transform((id) => id.toLowerCase())
  .meta(documented('The merchant'));

export const currencyField = z
  .literal(CURRENCY, `must be ${CURRENCY}`)
  .meta(documented('The currency of `amount`'));

/** Accepts ISO 8601 or a day, and returns UTC. */
export const timeField = z
  .string(orRequired('must be a time in ISO 8601'))
  .refine((value) => readMoment(value) !== null, 'must be a time in ISO 8601, like 2027-01-31T00:00:00Z')
  .transform((value) => readMoment(value) ?? value)
  .meta({ type: 'string', format: 'date-time' });

export const dateField = z.iso
  .date('must be a day, like 2026-11-25')
  .refine((day) => readMoment(day) !== null, 'must be a day, like 2026-11-25')
  .meta({ description: 'In Dar es Salaam time' });

/** Says in JSON Schema that zero is refused. */
export const notZero = { not: { const: 0 } };

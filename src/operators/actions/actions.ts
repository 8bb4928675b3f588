import { z } from 'zod';
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
  /** so many operators agreed; one only where the action has `alone` */
  agreed: 1 | 2;
  /** empty where one was enough: nothing was proposed */
  proposalId: string;
};

/** `execute` throws it under its locks where one person is too few: then nothing happens, and it is proposed. */
export class NeedsAnother extends GatewayError {
  constructor() {
    super('conflict', 'This has to be proposed: another operator has to approve it');
  }
}

export type Executed = {
  outcome: string;
  /** a transaction whose workflow has to look at what was written; it is signalled after the commit */
  wake?: string;
  /** the first workflow of this transaction starts after the commit */
  begin?: string;
  /** the flow of this payment of a bill or number is told after the commit */
  paid?: UnsignalledPayment;
  /** a live test whose payment is submitted after the commit, as the merchants' API submits */
  liveSend?: string;
  /** deliveries that were queued; they are started after the commit */
  deliver?: Round[];
  /** the rest, where several things were done together */
  also?: readonly Executed[];
};

/**
 * An action is declared once: the document of the API, its form at the desk and its command are made from it.
 * `execute` runs inside the transaction that notes the approval: it writes to Postgres only, and audits last. If
 * it throws a GatewayError, nothing is kept.
 */
export type Action<Payload = unknown, Found = unknown> = {
  /** says in a few words what is proposed: above the form, and in the help of the command */
  title: string;
  /** its words, then the members that are typed without an option: `days close <account> <day>` */
  command: string;
  /** said below the form: what happens then */
  note?: string;
  example: readonly [reason: string, payload: object];
  /** proposes and approves it */
  role: Role;
  /** One operator with one of these carries it out at once, unless `execute` says that it takes two. */
  alone?: readonly Role[];
  payload: z.ZodType<Payload>;
  /** The facts that people read wherever a proposal is shown: names and shillings, before and after. */
  describe?(payload: Payload, view: View): string | Promise<Described>;
  /** Adds what a person may name, and did not: it is the same however long the approval takes. */
  bind?(db: Queryable, payload: Payload): Promise<Payload>;
  /**
   * Reads what is there, as members of the payload. Where it is no longer what the payload says, nothing is proposed,
   * and nothing is carried out.
   */
  seen?(db: Queryable, payload: Payload): Promise<Partial<Payload>>;
  /** Locks what the three below go by: nobody changes it before the approval is committed. */
  lock?(db: Queryable, payload: Payload): Promise<unknown>;
  /** Refuses what cannot be carried out: throws a GatewayError. Asked when it is proposed, and again under the locks. */
  check?(db: Queryable, payload: Payload): Promise<Found>;
  /**
   * True if its own transaction, not a savepoint, must write what merchants are told (triggers of
   * 0005_callbacks.sql). If `execute` throws then, the approval is undone.
   */
  isWhole?: true;
  execute(db: Queryable, payload: Payload, approval: Approval, found: Found): Promise<Executed>;
};

export type Declared = Action & { asked: readonly Asked[] };
export type Actions = Readonly<Record<string, Declared>>;

/** Returns who may ask for it. */
export const askersOf = ({ role, alone = [] }: Action): readonly Role[] => [role, ...alone];

/** Keeps the types of one action while the table forgets them. */
export function declare<Payload, Found = unknown>(definition: Action<Payload, Found>): Declared {
  return { ...(definition as Action), asked: askedOf(definition.payload) };
}

/** Adds what is there where a call has left it out. */
export async function withSeen(db: Queryable, action: Action, given: unknown): Promise<object> {
  const bound = (await action.bind?.(db, given)) ?? given;
  const now = await action.seen?.(db, bound);
  const payload = { ...now, ...(bound as object) };
  refuseChanged(payload, now);
  return payload;
}

/** Refuses what could not be carried out, too. */
export async function bindSeen(db: Queryable, action: Action, given: unknown): Promise<object> {
  const payload = await withSeen(db, action, given);
  await action.check?.(db, payload);
  return payload;
}

/** Locks, compares and decides again; `execute` takes what it returns. */
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
    `It is no longer as it was seen (${names.join(', ').replaceAll('_', ' ')}): look at it again, and propose it again`,
  );

/** Throws `validation_failed` with everything that is wrong with it, the first thing of each field. */
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
  if (issue.code === 'unrecognized_keys') return 'is not known here';
  if (issue.input === undefined) return 'is required';
  return issue.code === 'invalid_type' ? `must be of the JSON type ${issue.expected}` : 'is not right';
}

export const orRequired = (message: string) => ({
  error: (issue: { input: unknown }) => (issue.input === undefined ? 'is required' : message),
});

/** An approver sees the text as it is, 1 to `max` characters. */
export const sentenceField = (max: number) =>
  z
    .string(orRequired('must be text'))
    .refine((value) => value.trim() !== '' && value.length <= max, `must have 1 to ${max} characters`)
    .refine(isPlain, 'must be one line without control characters')
    .meta({ minLength: 1, maxLength: max });

/** A form sends it as its page showed it; where a call leaves it out, the server reads what is there. */
export const seen = (description: string) => ({ description, face: { isSeen: true } }) as const;
/** Its label says enough to a person: only the documents say this. */
export const documented = (description: string) => ({ description, face: { isClear: true } }) as const;
/** A person types shillings, the payload has minor units. */
export const inShillings = { face: { unit: 'shillings' } } as const;

export const exampleAccount = '6f1c2a34-9d58-4e0b-8f77-2b9a4c1d3e5f';
export const exampleFingerprint = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** In small letters, as Postgres writes it. */
export const accountIdField = z
  .uuid('must be the id of an account')
  .transform((id) => id.toLowerCase())
  .meta(documented('The merchant'));

export const currencyField = z
  .literal(CURRENCY, `must be ${CURRENCY}`)
  .meta(documented('The currency of the amounts beside it'));

/** ISO 8601, or a day; as UTC. */
export const timeField = z
  .string(orRequired('must be a time in ISO 8601'))
  .refine((value) => readMoment(value) !== null, 'must be a time in ISO 8601, like 2027-01-31T00:00:00Z')
  .transform((value) => readMoment(value) ?? value)
  .meta({ type: 'string', format: 'date-time' });

/** A day of Dar es Salaam, as it is written. */
export const dateField = z.iso
  .date('must be a day, like 2026-11-25')
  .refine((day) => readMoment(day) !== null, 'must be a day, like 2026-11-25')
  .meta({ description: 'Of Dar es Salaam' });

/** Refuses zero; the document says so in JSON Schema. */
export const notZero = { not: { const: 0 } };

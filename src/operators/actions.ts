import { z } from 'zod';
import type { OperatorActor } from '../db/audit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Role } from './roles.ts';

/** Who proposed, who approves and by which proposal: what an action writes down. */
export type Approval = { actor: OperatorActor; proposalId: string; proposedBy: string };

/** What came of an action. */
export type Executed = {
  /** a sentence for the operator who approved */
  outcome: string;
  /** a transaction whose workflow has to look at what was written; it is signalled after the commit */
  wake?: string;
  /** a transaction that was written down without a workflow: its first one is started after the commit */
  begin?: string;
};

/**
 * What needs two operators. `execute` runs inside the transaction that notes the approval: it writes to Postgres and
 * does nothing else, audits what it did last of all, and throws a GatewayError for a refusal, which keeps nothing of it.
 */
export type Action<Payload = unknown> = {
  /** who may propose it, and who may approve it */
  role: Role;
  payload: z.ZodType<Payload>;
  /** what is proposed, in a sentence that the approver reads; amounts and names in full */
  describe(payload: Payload): string;
  /** Refuses at once what could not be carried out: throws a GatewayError. Decided again by `execute`. */
  check(db: Queryable, payload: Payload): Promise<void>;
  execute(db: Queryable, payload: Payload, approval: Approval): Promise<Executed>;
};

export type Actions = Readonly<Record<string, Action>>;

/** Keeps the type of one action's payload while the table forgets it. */
export function action<Payload>(definition: Action<Payload>): Action {
  return {
    role: definition.role,
    payload: definition.payload,
    describe: (payload) => definition.describe(payload as Payload),
    check: (db, payload) => definition.check(db, payload as Payload),
    execute: (db, payload, approval) => definition.execute(db, payload as Payload, approval),
  };
}

/** A text of 1 to `max` characters without NUL. */
export const sentenceField = (max: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be text') })
    .refine((value) => value.trim() !== '' && value.length <= max, `must have 1 to ${max} characters`)
    .refine((value) => !value.includes('\u0000'), 'must not contain NUL');

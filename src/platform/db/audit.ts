import type { Queryable } from './pool.ts';

/** An operator, with the call's address and id, or the name of a part of the service. */
export type Actor = string | OperatorActor;
export type OperatorActor = { operator: string; address: string; requestId: string };

/**
 * Records who changed what, in the transaction of the change. `detail` is kept for ever, so it holds no
 * secret. Call it last: lines form a chain, so other transactions that audit wait for this commit.
 */
export async function audit(
  db: Queryable,
  entry: { actor: Actor; action: string; subject: string; detail: object },
): Promise<void> {
  const { actor, action, subject, detail } = entry;
  const call = typeof actor === 'string' ? { address: null, requestId: null } : actor;
  // `insert` wants id, at and hash, which the trigger of the chain makes and which have no default.
  await db.query(
    `INSERT INTO audit_log (actor, address, request_id, action, subject, detail)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [nameOf(actor), call.address, call.requestId, action, subject, detail],
  );
}

export function nameOf(actor: Actor): string {
  return typeof actor === 'string' ? actor : `operator:${actor.operator}`;
}

import type { Queryable } from './pool.ts';

/** Notes who changed what, in the transaction of the change. `detail` is kept for ever: nothing secret is in it. */
export async function audit(
  db: Queryable,
  entry: { actor: string; action: string; subject: string; detail: object },
): Promise<void> {
  await db.query('INSERT INTO audit_log (actor, action, subject, detail) VALUES ($1, $2, $3, $4)', [
    entry.actor,
    entry.action,
    entry.subject,
    entry.detail,
  ]);
}

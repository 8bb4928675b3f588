import type { BillReply } from '../../domain/bill-reply.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { DEFAULT, insert } from '../../platform/db/write.ts';
import { raiseAttention } from '../care/attention.ts';

/** M-Pesa's broker wants our decision in a message. We owe it from the commit until the broker accepts it. */
export type OwedResult = {
  id: string;
  connection: string;
  channel: string;
  receipt: string;
  reply: Exclude<BillReply, 'try_again'>;
  transactionId: string | null;
  /** the network's identifiers, in the protocol's terms */
  request: Record<string, string | null>;
  owedSince: string;
};

/** If the network asks again about a receipt, its new request gets the decision. */
export async function oweResult(db: Queryable, owed: Omit<OwedResult, 'owedSince'>): Promise<void> {
  await insert(
    db,
    'owed_results',
    {
      id: owed.id,
      connection: owed.connection,
      channel: owed.channel,
      receipt: owed.receipt,
      reply: owed.reply,
      transaction_id: owed.transactionId,
      request: owed.request,
      owed_since: DEFAULT,
      swept_at: null,
    },
    {
      onConflict: `(connection, receipt) DO UPDATE SET id = excluded.id, reply = excluded.reply,
        transaction_id = excluded.transaction_id, request = excluded.request, owed_since = now(),
        swept_at = NULL`,
    },
  );
}

/** Returns null if it was delivered, or if the network has asked again. */
export async function findOwedResult(db: Queryable, id: string): Promise<OwedResult | null> {
  const { rows } = await db.query(
    `SELECT id, connection, channel, receipt, reply, transaction_id AS "transactionId", request,
       owed_since AS "owedSince"
     FROM owed_results WHERE id = $1`,
    [id],
  );
  return (rows[0] as OwedResult | undefined) ?? null;
}

/** Deletes a result. `doubt`: why a person must check the network's books; null: no doubt. Idempotent. */
export async function endOwedResult(
  database: Database,
  { id, channel, receipt, transactionId }: OwedResult,
  doubt: string | null,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const { rowCount } = await db.query('DELETE FROM owed_results WHERE id = $1', [id]);
    if (rowCount === 0 || doubt === null) return;
    const thing = `${channel}:${receipt}`;
    await raiseAttention(db, {
      ...(transactionId === null ? { subject: thing } : { transactionId }),
      reason: 'decision_contradicted',
      detail: `${thing}: ${doubt}`,
      thing,
    });
  });
}

/** Takes results that no workflow delivers: the process died before it started one, or it was lost. */
export async function takeUnposted(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `UPDATE owed_results SET swept_at = now() WHERE id = ANY(ARRAY(
       SELECT id FROM owed_results
       WHERE greatest(owed_since, swept_at) < now() - $1 * interval '1 millisecond'
       ORDER BY greatest(owed_since, swept_at) LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED))
     RETURNING id`,
    [olderThanMs],
  );
  return rows.map(({ id }) => id);
}

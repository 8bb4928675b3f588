import type { Database } from '../db/pool.ts';
import { requireOpenFence, TransactionMissing } from '../transactions/fence.ts';
import { type SendHistory, sendHistory } from '../transactions/sends.ts';
import { getTransaction } from '../transactions/store.ts';

/** What Postgres knows of a transaction whose workflow was lost. */
export type Recovered = SendHistory & {
  /** how long ago it was accepted, by Postgres's clock */
  ageMs: number;
  /** how much of the prompt's life is left; 0 for payouts and before the hand-over */
  promptLeftMs: number;
};

/** Where a resumed flow goes on: at an enquiry when anything may have reached the channel, never at a second send. */
export async function recover(database: Database, transactionId: string): Promise<Recovered> {
  const transaction = await getTransaction(database, transactionId);
  if (!transaction) throw new TransactionMissing(transactionId);
  await requireOpenFence(database);
  const { rows } = await database.query(
    `SELECT extract(epoch FROM now() - created_at) * 1000 AS age,
       greatest(0, extract(epoch FROM prompt_expires_at - now()) * 1000) AS prompt_left
     FROM transactions WHERE id = $1`,
    [transactionId],
  );
  return {
    ...(await sendHistory(database, transactionId)),
    ageMs: Math.round(Number(rows[0].age)),
    promptLeftMs: Math.round(Number(rows[0].prompt_left ?? 0)),
  };
}

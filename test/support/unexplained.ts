import { entriesOf } from '../../src/ledger/accounts.ts';
import { type AttentionEntry, pageOfAttention } from '../../src/transactions/care/attention.ts';
import type { Queryable } from './queryable.ts';

/** What is in suspense for a transaction: amount in minor units (money out is negative) and currency, oldest first. */
export async function suspenseOf(db: Queryable, transactionId: string): Promise<[number, string][]> {
  const entries = await entriesOf(db, transactionId);
  return entries
    .filter(({ account }) => account === 'suspense')
    .map(({ amount, currency }) => [amount, currency]);
}

/** What is on the attention list, oldest first. */
export async function listAttention(db: Queryable): Promise<AttentionEntry[]> {
  return (await pageOfAttention(db, { page: 1, perPage: 200 })).items;
}

/** What a person is shown about a transaction, or about another subject. */
export async function attentionOf(db: Queryable, subject: string): Promise<AttentionEntry[]> {
  return (await listAttention(db)).filter((entry) => entry.subject === subject);
}

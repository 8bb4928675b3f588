import { type CallbackSummary, callbackSummaries } from '../../callbacks/summary.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { type SuspenseItem, suspenseItemsOf } from '../../ledger/suspense.ts';
import type { Queryable, RowOf } from '../../platform/db/pool.ts';
import { type AttentionEntry, attentionOf } from '../../transactions/care/attention.ts';
import { type Decision, decisionsOf } from '../../transactions/care/decisions.ts';
import { type ChannelWord, channelHistories } from '../../transactions/channel/channel-history.ts';
import { type NotifiedPayment, notifiedPaymentsOf } from '../../transactions/rows/bill-store.ts';
import { transactionColumns } from '../../transactions/rows/columns.ts';
import { toTransaction } from '../../transactions/rows/read-transaction.ts';
import { type Explanation, explain } from './explain.ts';
import { oddMoneySentence } from './odd-money.ts';

export type Case = {
  transaction: Transaction;
  /** null for a payback, which belongs to the service */
  merchant: string | null;
  explained: Explanation;
  /** oldest first */
  words: ChannelWord[];
  /** open entries of the attention list */
  attention: AttentionEntry[];
  decision: Decision | null;
  proposed: OpenProposal[];
  /** suspense items, open or not; for a payback also the item that it returns */
  items: SuspenseItem[];
  /** oldest first, accepted or not; only a bill or QR code has any */
  payments: NotifiedPayment[];
  callbacks: CallbackSummary[];
};

type OpenProposal = { id: string; action: string; proposedBy: string; reason: string; proposedAt: string };

const CASES = `SELECT ${transactionColumns}, now() AS now,
     (SELECT a.name FROM accounts a WHERE a.id = t.account_id) AS merchant
     FROM transactions t WHERE t.id = ANY($1::uuid[]) ORDER BY t.created_at DESC, t.id DESC` as const;

/** Returns the newest first. Twenty cases take as many queries as one. */
export async function casesOf(db: Queryable, ids: readonly string[]): Promise<Case[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query(CASES, [ids]);
  const attention = await attentionOf(db, ids);
  const decisions = await decisionsOf(db, ids);
  const givenBack = rows.flatMap((row) => row.suspense_item ?? []);
  const items = await suspenseItemsOf(db, { transactionIds: ids, ids: givenBack });
  const proposed = await openProposalsOf(db, ids, items);
  const histories = await channelHistories(db, ids);
  const payments = await notifiedPaymentsOf(db, ids);
  const callbacks = await callbackSummaries(db, ids);
  return rows.map((row) => {
    const { id } = row;
    const own = {
      attention: attention.filter(({ subject }) => subject === id),
      decision: decisions.get(id) ?? null,
      items: items.filter((item) => item.transactionId === id || item.id === row.suspense_item),
    };
    return {
      ...explainedOf(row, own),
      ...own,
      merchant: row.merchant,
      words: histories.get(id) ?? [],
      proposed: proposed.filter(({ about }) => about === id),
      payments: payments.get(id) ?? [],
      callbacks: callbacks.get(id) ?? [],
    };
  });
}

function explainedOf(
  row: RowOf<typeof CASES>,
  { attention, decision, items }: Pick<Case, 'attention' | 'decision' | 'items'>,
): Pick<Case, 'transaction' | 'explained'> {
  const transaction = toTransaction(row);
  const reasons = attention.map(({ reason }) => reason);
  // A payback's item is its source of money, not odd money.
  const odd = items.filter(({ id }) => id !== row.suspense_item);
  const explained = explain({ transaction, now: new Date(row.now), reasons, decision, odd });
  const givenBack = items.filter((item) => !odd.includes(item)).map(oddMoneySentence);
  return { transaction, explained: { ...explained, money: [...explained.money, ...givenBack] } };
}

/** Few are open at once (proposals.ts), so this reads all. */
async function openProposalsOf(
  db: Queryable,
  transactionIds: readonly string[],
  items: readonly SuspenseItem[],
): Promise<(OpenProposal & { about: string })[]> {
  const { rows } = await db.query(
    `SELECT id, action, reason, proposed_by, proposed_at, payload::jsonb->>'transaction_id' AS transaction_id,
       coalesce(payload::jsonb->'items', jsonb_build_array(payload::jsonb)) AS parts /* never null: parts */
     FROM proposals WHERE state = 'proposed' AND expires_at > now() ORDER BY proposed_at, id`,
  );
  return rows.flatMap((row) => {
    const parts = row.parts as { item?: string }[];
    const its = items.filter((one) => parts.some(({ item }) => item === one.id));
    const all = [row.transaction_id, ...its.map(({ transactionId }) => transactionId)];
    const { id, action, reason, proposed_by: proposedBy, proposed_at: proposedAt } = row;
    return transactionIds
      .filter((about) => all.includes(about))
      .map((about) => ({ id, action, reason, proposedBy, proposedAt, about }));
  });
}

import type { Minor } from '../domain/money.ts';
import type { Database } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import type { LedgerAccount } from './accounts.ts';

const TIMEOUT_MS = 600_000;

type Kind = LedgerAccount['kind'];

/** Explains a balance. Positive: we owe it or earned it. Negative: we have it or spent it. */
export const meanings: Record<Kind, string> = {
  available: 'money that all merchants may pay out',
  held: 'money of all merchants that is held for pending payouts',
  clearing: 'moved over this channel; negative: the channel has our money',
  fees: 'the fees that we earned',
  suspense: 'money of no transaction; positive: owed, negative: missing',
  payable: 'on its way from suspense back to its payer',
  settlement: 'top-ups and withdrawals at our bank; negative: more was topped up than withdrawn',
  gains: 'written off in our favour',
  losses: 'written off at our cost',
  charges: 'taken by networks and banks for their services; negative: paid',
  own: "the company's own money: put in, or earned and taken out",
};

/** `channel`: null if the kind has one account for all. */
export type ServiceBalance = { kind: Kind; channel: string | null; currency: string; amount: Minor };

/** Each currency sums to zero; merchants are one total. Reads the whole ledger: for operators only. */
export async function serviceBalances(database: Database): Promise<ServiceBalance[]> {
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
    const { rows } = await db.query(
      `SELECT a.kind, a.channel, a.currency, sum(coalesce(a.balance, booked.amount, 0))::bigint AS amount
       FROM ledger_accounts a LEFT JOIN (
         SELECT ledger_account_id, sum(amount) AS amount FROM entries WHERE line IS NULL
         GROUP BY ledger_account_id
       ) booked ON booked.ledger_account_id = a.id
       GROUP BY a.kind, a.channel, a.currency
       ORDER BY a.currency, array_position($1::text[], a.kind), a.channel /* never null: amount */`,
      [Object.keys(meanings)],
    );
    return rows as ServiceBalance[];
  });
}

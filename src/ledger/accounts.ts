import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { insert } from '../platform/db/write.ts';

/** A merchant's accounts store their balance; every other balance is the sum of the entries. */
export type OwnAccount =
  | { kind: 'available' | 'held'; accountId: string }
  | { kind: 'fees' | 'suspense' | 'payable' | 'gains' | 'losses' | 'charges' | 'own' };

export type ProvenAccount = { kind: 'clearing'; channel: string } | { kind: 'settlement' };

export type LedgerAccount = OwnAccount | ProvenAccount;

export function provenAccountOf(code: string): ProvenAccount {
  const [kind, channel = ''] = code.split(':');
  return kind === 'clearing' ? { kind, channel } : { kind: 'settlement' };
}

/** A ledger account's unique name, as in the generated column `code` of ledger_accounts. */
export function codeOf(account: LedgerAccount, currency: string): string {
  const owner = 'accountId' in account ? account.accountId : 'channel' in account ? account.channel : '';
  return `${account.kind}:${owner}:${currency}`;
}

/** Creates missing accounts. `available` gets the smaller id, because transfers lock in id order. */
export async function ensureMerchantAccounts(
  db: Queryable,
  accountId: string,
  currency: string,
): Promise<void> {
  for (const kind of ['available', 'held'] as const)
    await insert(
      db,
      'ledger_accounts',
      { kind, account_id: accountId, channel: null, currency, balance: 0, lines: 0, moved_at: null },
      { onConflict: '(code) DO NOTHING' },
    );
}

export async function ensureServiceAccounts(
  db: Queryable,
  channels: readonly string[],
  currency: string,
): Promise<void> {
  await db.query(
    `INSERT INTO ledger_accounts (kind, channel, currency)
     SELECT 'clearing', channel, $2 FROM unnest($1::text[]) AS channel
     UNION ALL SELECT kind, NULL, $2
     FROM unnest('{fees,suspense,payable,settlement,gains,losses,charges,own}'::text[]) AS kind
     ON CONFLICT (code) DO NOTHING`,
    [channels, currency],
  );
}

export type Balance = { current: Minor; reserved: Minor };

/** `current` is spendable; `reserved` is held for payouts. Minor units. */
export async function balanceOf(db: Queryable, accountId: string, currency: string): Promise<Balance> {
  const { rows } = await db.query(
    prepared('SELECT kind, balance FROM ledger_accounts WHERE code = ANY($1)'),
    [[codeOf({ kind: 'available', accountId }, currency), codeOf({ kind: 'held', accountId }, currency)]],
  );
  const of = (kind: string) => minor(rows.find((row) => row.kind === kind)?.balance ?? 0);
  return { current: of('available'), reserved: of('held') };
}

/** `top_up` and `withdrawal` belong to no transaction. */
export type TransferKind =
  | 'hold'
  | 'release'
  | 'payout'
  | 'collection'
  | 'suspense'
  | 'reversal'
  | 'top_up'
  | 'withdrawal'
  | 'suspense_release'
  | 'suspense_return'
  | 'write_off'
  | 'correction'
  | 'payback'
  | 'payback_paid'
  | 'payback_failed'
  | 'charge'
  | 'sweep'
  | 'own'
  | 'void';

type PaybackTransfer = Extract<TransferKind, `payback${string}`>;

export type Entry = {
  transferId: string;
  kind: Exclude<TransferKind, 'top_up' | 'withdrawal' | 'charge' | 'sweep' | 'own' | PaybackTransfer>;
  account: Exclude<LedgerAccount['kind'], 'payable' | 'charges' | 'own'>;
  amount: Minor;
  /** differs from the transaction's if the channel moved other money */
  currency: string;
  createdAt: string;
};

/** Returns a transaction's changes by account, oldest first, debits before credits. */
export async function entriesOf(db: Queryable, transactionId: string): Promise<Entry[]> {
  const { rows } = await db.query(
    `SELECT t.id AS "transferId", t.kind, a.kind AS account, sum(e.amount)::bigint AS amount, a.currency,
       t.created_at AS "createdAt"
     FROM entries e JOIN transfers t ON t.id = e.transfer_id
     JOIN ledger_accounts a ON a.id = e.ledger_account_id
     WHERE t.transaction_id = $1 GROUP BY t.id, a.id HAVING sum(e.amount) <> 0
     ORDER BY min(min(e.id)) OVER (PARTITION BY t.id), sum(e.amount) > 0,
       array_position('{available,held,clearing,fees,suspense,settlement,gains,losses}'::text[], a.kind)
     /* never null: amount */`,
    [transactionId],
  );
  return rows as Entry[];
}

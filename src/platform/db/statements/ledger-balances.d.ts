// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerBalances {
  "SELECT a.kind, a.channel, a.currency, sum(coalesce(a.balance, booked.amount, 0))::bigint AS amount\n       FROM ledger_accounts a LEFT JOIN (\n         SELECT ledger_account_id, sum(amount) AS amount FROM entries WHERE line IS NULL\n         GROUP BY ledger_account_id\n       ) booked ON booked.ledger_account_id = a.id\n       GROUP BY a.kind, a.channel, a.currency\n       ORDER BY a.currency, array_position($1::text[], a.kind), a.channel /* never null: amount */": { values: [readonly (string | null)[] | null]; rows: { kind: 'available' | 'charges' | 'clearing' | 'fees' | 'gains' | 'held' | 'losses' | 'own' | 'payable' | 'settlement' | 'suspense'; channel: string | null; currency: string; amount: number }[] };
  "SET LOCAL statement_timeout = 600000": { values: []; rows: never[] };
}

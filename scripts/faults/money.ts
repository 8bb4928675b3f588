import type { Fault } from './plant.ts';

const MOVEMENT = 'test/ledger/movement.test.ts';
const STORIES = 'test/transactions/stories.test.ts';
const WALK = 'test/transactions/walk.test.ts';
const SPACES = 'test/transactions/receipt-spaces.test.ts';

/** Faults in the SQL that moves money. */
export const moneyFaults: readonly Fault[] = [
  {
    name: 'an item below zero never gets the number of its channel',
    file: 'src/ledger/booked.ts',
    text: "m.amount = $2 AND m.currency = $3 AND m.kind = 'itself'",
    replacement: "m.amount = abs($2) AND m.currency = $3 AND m.kind = 'itself'",
    tests: [MOVEMENT],
  },
  {
    name: 'an item leaves suspense twice',
    file: 'src/ledger/line-postings.ts',
    text: '{ id: item, left_by: null },',
    replacement: '{ id: item },',
    tests: [MOVEMENT],
  },
  {
    name: 'a movement that a bill was credited for is in suspense, too',
    file: 'src/ledger/suspense-postings.ts',
    text: 'AND b.amount = $4)',
    replacement: 'AND b.amount = -$4)',
    tests: [STORIES, 'test/transactions/bills-decided.test.ts', SPACES],
  },
  {
    name: 'receipts of all connections are one number space',
    file: 'src/transactions/rows/bill-receipts.ts',
    text: 'FROM (SELECT receipt_space($1) AS space) own LEFT JOIN',
    replacement: 'FROM (SELECT left(receipt_space($1), 0) AS space) own LEFT JOIN',
    tests: [SPACES],
  },
  {
    name: 'money goes back to whoever was refused under its number',
    file: 'src/transactions/acceptance/paybacks.ts',
    text: "AND channel = $5 AND outcome = 'suspended'",
    replacement: 'AND channel = $5',
    tests: [SPACES],
  },
  {
    name: 'a claim is not kept for longer when its customer tries again',
    file: 'src/transactions/rows/bill-store.ts',
    text: "`UPDATE bills SET claimed_until = greatest(claimed_until, clock_timestamp() + $3 * interval '1 second'),",
    replacement:
      "`UPDATE bills SET claimed_until = coalesce(claimed_until, clock_timestamp() + $3 * interval '1 second'),",
    tests: ['test/transactions/bills-decided.test.ts'],
  },
  {
    name: 'a second send leaves while the first may have arrived',
    file: 'src/transactions/channel/sends.ts',
    text: "OR outcome IS NULL OR outcome NOT IN ('not_sent', 'not_found')",
    tests: ['test/transactions/sends.test.ts'],
  },
  {
    name: 'a send leaves under a lower number than one before it',
    file: 'src/transactions/channel/sends.ts',
    text: 'AND (number >= $2 OR',
    replacement: 'AND (number = $2 OR',
    tests: ['test/transactions/sends.test.ts'],
  },
  {
    name: 'a key that several rotate at once has more than two secrets',
    file: 'src/accounts/new-keys.ts',
    text: 'WHERE id = $1 AND revoked_at IS NULL FOR UPDATE',
    replacement: 'WHERE id = $1 AND revoked_at IS NULL',
    tests: ['test/accounts/keys.test.ts'],
  },
  {
    name: 'what was sent before a restore was never sent',
    file: 'src/transactions/ending/wanted.ts',
    text: 'return sends === 0 && !restored;',
    replacement: 'return sends === 0;',
    tests: ['test/transactions/fence.test.ts', 'test/transactions/end.test.ts'],
  },
  {
    name: 'a bill ends although a payment of it is there that nobody could read',
    file: 'src/transactions/rows/bill-store.ts',
    text: 'i.amount = 0 AND i.is_open',
    replacement: 'i.amount <> 0 AND i.is_open',
    tests: ['test/transactions/bills-unreadable.test.ts'],
  },
  {
    name: 'the alarm of money ends while it is on its way back, or nobody has named it',
    file: 'src/transactions/care/attention.ts',
    text: 'WHERE a.id = entry.id AND NOT kept',
    replacement: 'WHERE a.id = entry.id',
    tests: ['test/operators/alarms.test.ts'],
  },
  {
    name: 'a late line is matched with a movement that was undone',
    file: 'src/reconciliation/passes.ts',
    text: 'AND e.undoes IS NULL AND NOT EXISTS (SELECT FROM entries u WHERE u.undoes = e.id)',
    tests: ['test/reconciliation/decisions.test.ts'],
  },
  {
    name: 'the entry that undoes another one waits for a line',
    file: 'src/reconciliation/items.ts',
    text: 'o.line_id IS NULL AND o.undoes IS NULL AND',
    replacement: 'o.line_id IS NULL AND',
    tests: [WALK],
  },
  {
    name: 'a movement that the opening counts is the line of a later statement, too',
    file: 'src/reconciliation/passes.ts',
    text: 'ours AS (SELECT * FROM unseen WHERE is_uncounted)',
    replacement: 'ours AS (SELECT * FROM unseen)',
    tests: ['test/reconciliation/openings.test.ts'],
  },
  {
    name: 'a payment that has no row to lock does not wait for its line',
    file: 'src/transactions/ending/bills.ts',
    text: "if (!bill || ('number' in bill && payment.hasReceipt === false)) await lockAgainstLines(db);",
    tests: ['test/reconciliation/doors.test.ts'],
  },
  {
    name: 'a payment does not look again once it has waited',
    file: 'src/transactions/ending/bills.ts',
    text: 'if (!known && told === null && (await toldBefore(db, payment))) return',
    replacement: 'if (false) return',
    tests: ['test/reconciliation/doors.test.ts'],
  },
  {
    name: "what people type does not wait for the bank's word of it",
    file: 'src/operators/actions/funding-actions.ts',
    text: 'await lockTyping(db);',
    tests: ['test/reconciliation/bank-references.test.ts'],
  },
];

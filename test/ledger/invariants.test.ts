// tests: slow
import assert from 'node:assert/strict';
import { checkNew } from '../../src/reconciliation/check.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Healthy, plantHealthy, type Subject } from './support.ts';

type Guard = {
  /** they lose their triggers and foreign keys */
  tables?: string[];
  drop?: string;
  /** what the database says when they are there; absent: no guard of the database sees this one */
  refused?: RegExp;
};
/** How it is planted, what is said of it, and the guards of the database that stand in the way. */
type Breach = [plant: (healthy: Healthy) => string, found: (healthy: Healthy) => RegExp, guard?: Guard];

const account = (healthy: Healthy, kind: 'available' | 'held') => `${kind}:${healthy.merchant.accountId}:TZS`;
const transferOf = (subject: Subject, prefix: string) =>
  `(SELECT id FROM transfers WHERE dedupe_key = '${prefix}:${subject.transactionId}')`;
const lastLineOf = (healthy: Healthy) =>
  `line = 11 AND ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = '${account(healthy, 'available')}')`;

/** What the database refuses while the guards of this table stand. */
const kept = (table: string, refused = /append-only/) => ({ tables: [table], refused });

/** Balanced, so that Postgres lets it in: a merchant's money out of the fees. */
const theft = (healthy: Healthy, transaction = 'NULL', kind = 'collection') =>
  `WITH t AS (INSERT INTO transfers (kind, dedupe_key, transaction_id) VALUES ('${kind}', 'theft', ${transaction}) RETURNING id)
   INSERT INTO entries (transfer_id, ledger_account_id, amount)
   SELECT t.id, a.id, CASE a.kind WHEN 'fees' THEN -700 ELSE 700 END FROM t, ledger_accounts a
   WHERE a.code IN ('fees::TZS', '${account(healthy, 'available')}')`;

const breaches: Record<string, Breach> = {
  'a collection of no payment': [(h) => theft(h), () => /theft credits a payment that there is not/],
  'a collection of a payout': [
    (h) => theft(h, `'${h.paid.transactionId}'`),
    () => /theft credits a payment that there is not/,
  ],
  ...Object.fromEntries(
    ['hold', 'release', 'payout', 'reversal', 'charge'].map((kind): [string, Breach] => [
      `a ${kind} that credits a merchant for nothing`,
      [
        (h) => theft(h, `'${h.paid.transactionId}'`, kind),
        () => new RegExp(`theft \\(${kind}\\) moves money of a merchant, and nothing of ours says why`),
      ],
    ]),
  ),
  'a release of more than a hold': [
    (h) => theft(h, 'NULL', 'release'),
    () => /\(release\) moves more than the money of one merchant/,
  ],
  'a balance that its entries do not explain': [
    (h) => `UPDATE ledger_accounts SET balance = balance + 1 WHERE code = '${account(h, 'available')}'`,
    (h) => new RegExp(`${account(h, 'available')} has the balance \\d+ but its entries sum to`),
    kept('ledger_accounts', /changes only through its entries/),
  ],
  'a sum of an account of the service that its entries do not explain': [
    () => "INSERT INTO ledger_sums SELECT id, 7 FROM ledger_accounts WHERE code = 'fees::TZS'",
    () => /fees::TZS was added up to 7, but its entries so far sum to 0/,
  ],
  'a negative merchant balance': [
    (h) => `UPDATE ledger_accounts SET balance = -1 WHERE code = '${account(h, 'available')}'`,
    (h) => new RegExp(`${account(h, 'available')} is negative: -1`),
    {
      tables: ['ledger_accounts'],
      drop: 'ALTER TABLE ledger_accounts DROP CONSTRAINT merchant_balance_not_negative',
      refused: /changes only through its entries/,
    },
  ],
  'a gap in the lines of an account': [
    (h) => `UPDATE entries SET line = line + 100 WHERE ${lastLineOf(h)}`,
    (h) => new RegExp(`${account(h, 'available')} has 11 lines but counts 11`),
    kept('entries'),
  ],
  'a line that its account does not count': [
    (h) => `UPDATE ledger_accounts SET lines = lines + 1 WHERE code = '${account(h, 'available')}'`,
    (h) => new RegExp(`${account(h, 'available')} has 11 lines but counts 12`),
    kept('ledger_accounts', /changes only through its entries/),
  ],
  'a line whose balance does not follow from the one before it': [
    (h) => `UPDATE entries SET balance = balance + 1 WHERE ${lastLineOf(h)}`,
    (h) =>
      new RegExp(`line 11 of ledger account ${account(h, 'available')} says \\d+1 after \\d+0 and -\\d+0`),
    kept('entries'),
  ],
  'a last line that is not the balance': [
    (h) => `UPDATE entries SET balance = balance + 1 WHERE ${lastLineOf(h)}`,
    (h) => new RegExp(`${account(h, 'available')} has the balance \\d+ but its last line says \\d+1`),
    kept('entries'),
  ],
  'lines that are not in the order of their times': [
    (h) => `UPDATE entries SET at = at - interval '1 hour' WHERE ${lastLineOf(h)}`,
    (h) => new RegExp(`line 11 of ledger account ${account(h, 'available')} is older than the one before it`),
    kept('entries'),
  ],
  'money of merchants that the accounts of the service do not have': [
    (h) => `UPDATE entries SET amount = amount + 5 WHERE ${lastLineOf(h)}`,
    () => /merchants have \d+ TZS but the accounts of the service say \d+/,
    kept('entries'),
  ],
  'a transfer that does not balance': [
    (h) => `INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT ${transferOf(h.paid, 'resolve')}, id, 7 FROM ledger_accounts WHERE kind = 'suspense'`,
    () => /transfer \S+ does not balance in TZS: 7/,
    { drop: 'ALTER TABLE entries DISABLE TRIGGER entries_balanced', refused: /unbalanced transfer/ },
  ],
  'a transfer that balances shillings with dollars': [
    () => `WITH mixed AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('suspense', 'mixed') RETURNING id),
        dollars AS (INSERT INTO ledger_accounts (kind, currency) VALUES ('suspense', 'USD') RETURNING id)
      INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT mixed.id, dollars.id, 5 FROM mixed, dollars
      UNION ALL SELECT mixed.id, a.id, -5 FROM mixed, ledger_accounts a WHERE a.code = 'suspense::TZS'`,
    () => /transfer \S+ does not balance in USD: 5/,
    { drop: 'ALTER TABLE entries DISABLE TRIGGER entries_balanced', refused: /unbalanced transfer/ },
  ],
  'a changed entry': [
    (h) => `UPDATE entries SET amount = amount + 1 WHERE id =
      (SELECT max(id) FROM entries WHERE transfer_id = ${transferOf(h.paid, 'resolve')})`,
    () => /transfer \S+ does not balance/,
    kept('entries'),
  ],
  'deleted entries': [
    (h) => `DELETE FROM entries WHERE transfer_id = ${transferOf(h.payment, 'collection')}`,
    (h) => new RegExp(`payment ${h.payment.transactionId} is completed but 0 was credited`),
    kept('entries'),
  ],
  'a transfer without entries': [
    () => "INSERT INTO transfers (kind, dedupe_key) VALUES ('suspense', 'empty')",
    () => /transfer \S+ has no entries/,
    { tables: ['transfers'], refused: /has no entries/ },
  ],
  'an entry whose transfer is gone': [
    (h) => `DELETE FROM transfers WHERE id = ${transferOf(h.payment, 'collection')}`,
    () => /entry \d+ belongs to no transfer/,
    { tables: ['transfers', 'entries'], refused: /append-only/ },
  ],
  'a collection posted twice': [
    (
      h,
    ) => `WITH again AS (INSERT INTO transfers (kind, transaction_id, dedupe_key) VALUES ('collection', '${h.payment.transactionId}', 'again') RETURNING id)
      INSERT INTO entries (transfer_id, ledger_account_id, amount) SELECT again.id, a.id, x.amount FROM again,
        (VALUES ('gains::TZS', -5), ('fees::TZS', 5)) AS x (code, amount) JOIN ledger_accounts a ON a.code = x.code`,
    (h) => new RegExp(`transaction ${h.payment.transactionId} has 2 transfers of the kind collection`),
  ],
  'a hold resolved twice': [
    (h) => `INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id)
      VALUES ('${h.paid.transactionId}', 'released', ${transferOf(h.paid, 'resolve')})`,
    (h) => new RegExp(`the hold of ${h.paid.transactionId} was resolved 2 times`),
    {
      drop: 'ALTER TABLE hold_resolutions DROP CONSTRAINT hold_resolutions_pkey',
      refused: /hold_resolutions_pkey/,
    },
  ],
  'a resolution of a hold that does not exist': [
    (h) => `INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id)
      VALUES ('${h.payment.transactionId}', 'taken', ${transferOf(h.paid, 'resolve')})`,
    (h) => new RegExp(`the resolution of ${h.payment.transactionId} has no hold`),
    { tables: ['hold_resolutions'], refused: /foreign key/ },
  ],
  'a hold of another amount than its transfer and its payout': [
    (h) => `UPDATE holds SET amount = amount + 1 WHERE transaction_id = '${h.paid.transactionId}'`,
    (h) => new RegExp(`the hold of ${h.paid.transactionId} is 510001 but its transfer held 510000`),
    kept('holds'),
  ],
  'a hold that is not its payout’s amount and fee': [
    (h) => `UPDATE transactions SET fee = fee + 1 WHERE id = '${h.open.transactionId}'`,
    (h) => new RegExp(`the hold of payout ${h.open.transactionId} is 510000, not its amount and fee 510001`),
  ],
  'a resolution that took another amount than was held': [
    (h) => `UPDATE hold_resolutions SET transfer_id = ${transferOf(h.payment, 'collection')}
      WHERE transaction_id = '${h.paid.transactionId}'`,
    (h) => new RegExp(`the hold of ${h.paid.transactionId} is 510000 but its resolution took 0`),
    kept('hold_resolutions'),
  ],
  'a held balance without open holds': [
    (h) => `DELETE FROM holds WHERE transaction_id = '${h.open.transactionId}'`,
    (h) => new RegExp(`${account(h, 'held')} is 510000 but its open holds sum to 0`),
    kept('holds'),
  ],
  'a payout without a hold': [
    (h) => `DELETE FROM holds WHERE transaction_id = '${h.open.transactionId}'`,
    (h) => new RegExp(`payout ${h.open.transactionId} is pending but its hold is missing`),
    kept('holds'),
  ],
  'a failed payout whose hold was never released': [
    (h) => `DELETE FROM hold_resolutions WHERE transaction_id = '${h.failed.transactionId}'`,
    (h) => new RegExp(`payout ${h.failed.transactionId} is failed but its hold is open`),
    kept('hold_resolutions'),
  ],
  'a paid payout whose hold was released': [
    (h) => `UPDATE hold_resolutions SET resolution = 'released'
      WHERE transaction_id = '${h.paid.transactionId}'`,
    (h) => new RegExp(`payout ${h.paid.transactionId} is paid but its hold is released`),
    kept('hold_resolutions'),
  ],
  'a final state that changed': [
    (h) => `UPDATE transactions SET status = 'failed', failure_code = 'network_error'
      WHERE id = '${h.payment.transactionId}'`,
    (h) => new RegExp(`payment ${h.payment.transactionId} is failed but 490000 was credited`),
    { tables: ['transactions'], refused: /cannot become failed/ },
  ],
  'refunds worth more than their payment': [
    (h) => `UPDATE transactions SET mode = 'refund', refund_of = '${h.payment.transactionId}'
      WHERE id IN ('${h.open.transactionId}', '${h.paid.transactionId}')`,
    (h) => new RegExp(`the refunds of ${h.payment.transactionId} are worth 1000000 but 500000 was paid`),
    { tables: ['transactions'], refused: /are worth 1000000, more than the 500000 that was paid/ },
  ],
  'a fee that is not the one posted': [
    (h) => `UPDATE transactions SET fee = fee + 1 WHERE id = '${h.paid.transactionId}'`,
    (h) => new RegExp(`the fee of payout ${h.paid.transactionId} is 10001 but 10000 was posted`),
  ],
};

describe('the check of the ledger', () => {
  const test = useTestDatabase({ each: true, poolMax: 1 });
  let healthy: Healthy;
  beforeEach(async () => {
    healthy = await plantHealthy(test.database);
  });

  it('finds nothing in a healthy ledger', async () => {
    assert.deepEqual(await checkInvariants(test.database), []);
    assert.deepEqual((await checkNew(test.database)).breaches, []);
  });

  for (const [what, [plant, found, { tables = [], drop, refused } = {}]] of Object.entries(breaches)) {
    it(`finds ${what}${refused ? ', which the database refuses' : ''}`, async () => {
      const { database } = test;
      const statement = plant(healthy);
      if (refused) {
        await assert.rejects(database.query(statement), refused);
        assert.deepEqual(await checkInvariants(database), []);
      }
      for (const table of tables) await database.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
      if (drop) await database.query(drop);
      const planted = await database.query(statement);
      assert.equal(planted.rowCount === 0, false, 'nothing was planted');
      const breachesFound = await checkInvariants(database);
      assert.ok(
        breachesFound.some((breach) => found(healthy).test(breach)),
        `${found(healthy)} is not among:\n${breachesFound.join('\n')}`,
      );
      // While it is newer than the last check, what is read of it alone is enough.
      const { breaches, isNoted } = await checkNew(database);
      assert.ok(breaches.length > 0 && !isNoted);
    });
  }
});

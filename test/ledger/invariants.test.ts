// tests: slow
import assert from 'node:assert/strict';
import { checkNew } from '../../src/reconciliation/check.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Healthy, plantHealthy, type Subject } from './support.ts';

type Breach = {
  what: string;
  plant(healthy: Healthy): string;
  found(healthy: Healthy): RegExp;
  /** the guards of the database that stand in the way: `tables` lose their triggers and foreign keys */
  tables?: string[];
  drop?: string;
  /** what the database says when they are there; absent: no guard of the database sees this one */
  refused?: RegExp;
};

const account = (healthy: Healthy, kind: 'available' | 'held') => `${kind}:${healthy.merchant.accountId}:TZS`;
const transferOf = (subject: Subject, prefix: string) =>
  `(SELECT id FROM transfers WHERE dedupe_key = '${prefix}:${subject.transactionId}')`;
const lastLineOf = (healthy: Healthy) =>
  `line = 11 AND ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = '${account(healthy, 'available')}')`;

/** Balanced, so that Postgres lets it in: a merchant's money out of the fees. */
const theft = (healthy: Healthy, transaction = 'NULL', kind = 'collection') =>
  `WITH t AS (INSERT INTO transfers (kind, dedupe_key, transaction_id) VALUES ('${kind}', 'theft', ${transaction}) RETURNING id)
   INSERT INTO entries (transfer_id, ledger_account_id, amount)
   SELECT t.id, a.id, CASE a.kind WHEN 'fees' THEN -700 ELSE 700 END FROM t, ledger_accounts a
   WHERE a.code IN ('fees::TZS', '${account(healthy, 'available')}')`;

const breaches: Breach[] = [
  {
    what: 'a collection of no payment',
    plant: (h) => theft(h),
    found: () => /theft credits a payment that there is not/,
  },
  {
    what: 'a collection of a payout',
    plant: (h) => theft(h, `'${h.paid.transactionId}'`),
    found: () => /theft credits a payment that there is not/,
  },
  ...['hold', 'release', 'payout', 'reversal', 'charge'].map((kind) => ({
    what: `a ${kind} that credits a merchant for nothing`,
    plant: (h: Healthy) => theft(h, `'${h.paid.transactionId}'`, kind),
    found: () => new RegExp(`theft \\(${kind}\\) moves money of a merchant, and nothing of ours says why`),
  })),
  {
    what: 'a release of more than a hold',
    plant: (h) => theft(h, 'NULL', 'release'),
    found: () => /\(release\) moves more than the money of one merchant/,
  },
  {
    what: 'a balance that its entries do not explain',
    plant: (h) =>
      `UPDATE ledger_accounts SET balance = balance + 1 WHERE code = '${account(h, 'available')}'`,
    found: (h) => new RegExp(`${account(h, 'available')} has the balance \\d+ but its entries sum to`),
    tables: ['ledger_accounts'],
    refused: /changes only through its entries/,
  },
  {
    what: 'a sum of an account of the service that its entries do not explain',
    plant: () => "INSERT INTO ledger_sums SELECT id, 7 FROM ledger_accounts WHERE code = 'fees::TZS'",
    found: () => /fees::TZS was added up to 7, but its entries so far sum to 0/,
  },
  {
    what: 'a negative merchant balance',
    plant: (h) => `UPDATE ledger_accounts SET balance = -1 WHERE code = '${account(h, 'available')}'`,
    found: (h) => new RegExp(`${account(h, 'available')} is negative: -1`),
    tables: ['ledger_accounts'],
    drop: 'ALTER TABLE ledger_accounts DROP CONSTRAINT merchant_balance_not_negative',
    refused: /changes only through its entries/,
  },
  {
    what: 'a gap in the lines of an account',
    plant: (h) => `UPDATE entries SET line = line + 100 WHERE ${lastLineOf(h)}`,
    found: (h) => new RegExp(`${account(h, 'available')} has 11 lines but counts 11`),
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'a line that its account does not count',
    plant: (h) => `UPDATE ledger_accounts SET lines = lines + 1 WHERE code = '${account(h, 'available')}'`,
    found: (h) => new RegExp(`${account(h, 'available')} has 11 lines but counts 12`),
    tables: ['ledger_accounts'],
    refused: /changes only through its entries/,
  },
  {
    what: 'a line whose balance does not follow from the one before it',
    plant: (h) => `UPDATE entries SET balance = balance + 1 WHERE ${lastLineOf(h)}`,
    found: (h) =>
      new RegExp(`line 11 of ledger account ${account(h, 'available')} says \\d+1 after \\d+0 and -\\d+0`),
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'a last line that is not the balance',
    plant: (h) => `UPDATE entries SET balance = balance + 1 WHERE ${lastLineOf(h)}`,
    found: (h) => new RegExp(`${account(h, 'available')} has the balance \\d+ but its last line says \\d+1`),
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'lines that are not in the order of their times',
    plant: (h) => `UPDATE entries SET at = at - interval '1 hour' WHERE ${lastLineOf(h)}`,
    found: (h) =>
      new RegExp(`line 11 of ledger account ${account(h, 'available')} is older than the one before it`),
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'money of merchants that the accounts of the service do not have',
    plant: (h) => `UPDATE entries SET amount = amount + 5 WHERE ${lastLineOf(h)}`,
    found: () => /merchants have \d+ TZS but the accounts of the service say \d+/,
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'a transfer that does not balance',
    plant: (h) => `INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT ${transferOf(h.paid, 'resolve')}, id, 7 FROM ledger_accounts WHERE kind = 'suspense'`,
    found: () => /transfer \S+ does not balance in TZS: 7/,
    drop: 'ALTER TABLE entries DISABLE TRIGGER entries_balanced',
    refused: /unbalanced transfer/,
  },
  {
    what: 'a transfer that balances shillings with dollars',
    plant:
      () => `WITH mixed AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('suspense', 'mixed') RETURNING id),
        dollars AS (INSERT INTO ledger_accounts (kind, currency) VALUES ('suspense', 'USD') RETURNING id)
      INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT mixed.id, dollars.id, 5 FROM mixed, dollars
      UNION ALL SELECT mixed.id, a.id, -5 FROM mixed, ledger_accounts a WHERE a.code = 'suspense::TZS'`,
    found: () => /transfer \S+ does not balance in USD: 5/,
    drop: 'ALTER TABLE entries DISABLE TRIGGER entries_balanced',
    refused: /unbalanced transfer/,
  },
  {
    what: 'a changed entry',
    plant: (h) => `UPDATE entries SET amount = amount + 1 WHERE id =
      (SELECT max(id) FROM entries WHERE transfer_id = ${transferOf(h.paid, 'resolve')})`,
    found: () => /transfer \S+ does not balance/,
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'deleted entries',
    plant: (h) => `DELETE FROM entries WHERE transfer_id = ${transferOf(h.payment, 'collection')}`,
    found: (h) => new RegExp(`payment ${h.payment.transactionId} is completed but 0 was credited`),
    tables: ['entries'],
    refused: /append-only/,
  },
  {
    what: 'a transfer without entries',
    plant: () => "INSERT INTO transfers (kind, dedupe_key) VALUES ('suspense', 'empty')",
    found: () => /transfer \S+ has no entries/,
    tables: ['transfers'],
    refused: /has no entries/,
  },
  {
    what: 'an entry whose transfer is gone',
    plant: (h) => `DELETE FROM transfers WHERE id = ${transferOf(h.payment, 'collection')}`,
    found: () => /entry \d+ belongs to no transfer/,
    tables: ['transfers', 'entries'],
    refused: /append-only/,
  },
  {
    what: 'a collection posted twice',
    plant: (
      h,
    ) => `WITH again AS (INSERT INTO transfers (kind, transaction_id, dedupe_key) VALUES ('collection', '${h.payment.transactionId}', 'again') RETURNING id)
      INSERT INTO entries (transfer_id, ledger_account_id, amount) SELECT again.id, a.id, x.amount FROM again,
        (VALUES ('gains::TZS', -5), ('fees::TZS', 5)) AS x (code, amount) JOIN ledger_accounts a ON a.code = x.code`,
    found: (h) => new RegExp(`transaction ${h.payment.transactionId} has 2 transfers of the kind collection`),
  },
  {
    what: 'a hold resolved twice',
    plant: (h) => `INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id)
      VALUES ('${h.paid.transactionId}', 'released', ${transferOf(h.paid, 'resolve')})`,
    found: (h) => new RegExp(`the hold of ${h.paid.transactionId} was resolved 2 times`),
    drop: 'ALTER TABLE hold_resolutions DROP CONSTRAINT hold_resolutions_pkey',
    refused: /hold_resolutions_pkey/,
  },
  {
    what: 'a resolution of a hold that does not exist',
    plant: (h) => `INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id)
      VALUES ('${h.payment.transactionId}', 'taken', ${transferOf(h.paid, 'resolve')})`,
    found: (h) => new RegExp(`the resolution of ${h.payment.transactionId} has no hold`),
    tables: ['hold_resolutions'],
    refused: /foreign key/,
  },
  {
    what: 'a hold of another amount than its transfer and its payout',
    plant: (h) => `UPDATE holds SET amount = amount + 1 WHERE transaction_id = '${h.paid.transactionId}'`,
    found: (h) => new RegExp(`the hold of ${h.paid.transactionId} is 510001 but its transfer held 510000`),
    tables: ['holds'],
    refused: /append-only/,
  },
  {
    what: 'a hold that is not its payout’s amount and fee',
    plant: (h) => `UPDATE transactions SET fee = fee + 1 WHERE id = '${h.open.transactionId}'`,
    found: (h) =>
      new RegExp(`the hold of payout ${h.open.transactionId} is 510000, not its amount and fee 510001`),
  },
  {
    what: 'a resolution that took another amount than was held',
    plant: (h) => `UPDATE hold_resolutions SET transfer_id = ${transferOf(h.payment, 'collection')}
      WHERE transaction_id = '${h.paid.transactionId}'`,
    found: (h) => new RegExp(`the hold of ${h.paid.transactionId} is 510000 but its resolution took 0`),
    tables: ['hold_resolutions'],
    refused: /append-only/,
  },
  {
    what: 'a held balance without open holds',
    plant: (h) => `DELETE FROM holds WHERE transaction_id = '${h.open.transactionId}'`,
    found: (h) => new RegExp(`${account(h, 'held')} is 510000 but its open holds sum to 0`),
    tables: ['holds'],
    refused: /append-only/,
  },
  {
    what: 'a payout without a hold',
    plant: (h) => `DELETE FROM holds WHERE transaction_id = '${h.open.transactionId}'`,
    found: (h) => new RegExp(`payout ${h.open.transactionId} is pending but its hold is missing`),
    tables: ['holds'],
    refused: /append-only/,
  },
  {
    what: 'a failed payout whose hold was never released',
    plant: (h) => `DELETE FROM hold_resolutions WHERE transaction_id = '${h.failed.transactionId}'`,
    found: (h) => new RegExp(`payout ${h.failed.transactionId} is failed but its hold is open`),
    tables: ['hold_resolutions'],
    refused: /append-only/,
  },
  {
    what: 'a paid payout whose hold was released',
    plant: (h) => `UPDATE hold_resolutions SET resolution = 'released'
      WHERE transaction_id = '${h.paid.transactionId}'`,
    found: (h) => new RegExp(`payout ${h.paid.transactionId} is paid but its hold is released`),
    tables: ['hold_resolutions'],
    refused: /append-only/,
  },
  {
    what: 'a final state that changed',
    plant: (h) => `UPDATE transactions SET status = 'failed', failure_code = 'network_error'
      WHERE id = '${h.payment.transactionId}'`,
    found: (h) => new RegExp(`payment ${h.payment.transactionId} is failed but 490000 was credited`),
    tables: ['transactions'],
    refused: /cannot become failed/,
  },
  {
    what: 'refunds worth more than their payment',
    plant: (h) => `UPDATE transactions SET mode = 'refund', refund_of = '${h.payment.transactionId}'
      WHERE id IN ('${h.open.transactionId}', '${h.paid.transactionId}')`,
    found: (h) =>
      new RegExp(`the refunds of ${h.payment.transactionId} are worth 1000000 but 500000 was paid`),
    tables: ['transactions'],
    refused: /are worth 1000000, more than the 500000 that was paid/,
  },
  {
    what: 'a fee that is not the one posted',
    plant: (h) => `UPDATE transactions SET fee = fee + 1 WHERE id = '${h.paid.transactionId}'`,
    found: (h) => new RegExp(`the fee of payout ${h.paid.transactionId} is 10001 but 10000 was posted`),
  },
];

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

  for (const { what, plant, found, tables = [], drop, refused } of breaches) {
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

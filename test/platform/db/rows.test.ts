import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createMerchant, type Merchant } from '../../support/merchant.ts';
import { type Queryable, sqlOf } from '../../support/queryable.ts';

type Party = { msisdn?: string; bic?: string; accountNumber?: string; fullName?: string };

const bank: Party = { bic: 'CORUTZTZ', accountNumber: '0150123456789', fullName: 'Asha Juma' };
const phone: Party = { msisdn: '255754123456' };

describe('the rows of transactions', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database);
  });

  async function store(db: Queryable, [type, mode]: [string, string], party: Party = {}): Promise<string> {
    const id = randomUUID();
    await db.query(
      `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee, fee_version,
         channel, reference, timing, msisdn, bic, account_number, full_name, connection)
       VALUES ($1::uuid, $2, $3, $1, $4, $5, 'test', 100, 'TZS', 0, 'test', 'm-pesa', $6, '{}', $7, $8, $9, $10, 'test')`,
      [
        id,
        merchant.accountId,
        merchant.apiKeyId,
        type,
        mode,
        `PY${id}`,
        party.msisdn,
        party.bic,
        party.accountNumber,
        party.fullName,
      ],
    );
    return id;
  }
  const bill = (db: Queryable, id: string) =>
    sqlOf(
      db,
    )`INSERT INTO bills (transaction_id, account_id, control_number, mode, expires_at) VALUES (${id}::uuid, ${merchant.accountId}, ${id}::text, 'exact', now())`;

  const complete: [[string, string], Party][] = [
    [['payment', 'ussd'], phone],
    [['payout', 'mobile'], phone],
    [['payout', 'bank'], bank],
  ];
  for (const [kind, party] of complete) {
    it(`of ${kind.join(' ')} have all that it needs`, async () => {
      await store(test.database, kind, party);
      for (const missing of Object.keys(party))
        await assert.rejects(
          store(test.database, kind, { ...party, [missing]: undefined }),
          /bank_payout_has_its_account|phone_has_its_number/,
          missing,
        );
    });

    it(`of ${kind.join(' ')} have no bill`, async () => {
      const withBill = inTransaction(test.database, async (db) => bill(db, await store(db, kind, party)));
      await assert.rejects(withBill, /is no bill and no QR code/);
    });
  }

  for (const kind of [
    ['bill', 'billpay'],
    ['payment', 'qr'],
  ] satisfies [string, string][]) {
    it(`of ${kind.join(' ')} have their bill, stored with them`, async () => {
      await inTransaction(test.database, async (db) => bill(db, await store(db, kind)));
      await assert.rejects(store(test.database, kind), /has no row in bills/);
    });
  }

  it('have a mode of their type', async () => {
    await assert.rejects(store(test.database, ['payment', 'mobile'], phone), /type_of_mode/);
    await assert.rejects(store(test.database, ['payout', 'ussd'], phone), /type_of_mode/);
  });

  it('and of all other tables compare the text in their indexes byte by byte', async () => {
    const rows = await test.sql`SELECT c.relname || '.' || a.attname AS name FROM pg_index i
       JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
       JOIN pg_collation o ON o.oid = a.attcollation
       WHERE n.nspname = 'public' AND c.relname <> 'schema_migrations' AND o.collname <> 'C'`;
    assert.deepEqual(rows, []);
  });
});

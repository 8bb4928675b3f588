import assert from 'node:assert/strict';
import { after, DEFAULT, insert, insertMany, NOW, now, update } from '../../../src/platform/db/write.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createMerchant, type Merchant } from '../../support/merchant.ts';
import { pick } from '../../support/pick.ts';

describe('rows that have names', () => {
  const test = useTestDatabase({ poolMax: 1 });
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database);
  });
  const open = async () =>
    await test.sql`SELECT thing FROM attention WHERE subject = 'written' AND resolved_at IS NULL`;
  const note = (thing: string) =>
    insert(
      test.database,
      'attention',
      {
        transaction_id: null,
        subject: 'written',
        reason: 'stuck',
        thing,
        detail: DEFAULT,
        raised_at: NOW,
        resolved_at: null,
      },
      { onConflict: 'DO NOTHING', returning: ['id', 'thing', 'detail'] },
    );

  it('are inserted once, prepared, and changed where they are found', async () => {
    const { rows, rowCount } = await note('one');
    assert.deepEqual([rowCount, rows.map(({ thing, detail }) => [thing, detail])], [1, [['one', '']]]);
    assert.equal((await note('one')).rowCount, 0);
    const texts =
      await test.sql`SELECT 1 FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO attention%'`;
    assert.equal(texts.length, 1, 'both had one text');
    await note('two');
    const found = { subject: 'written', thing: 'one', resolved_at: null };
    const change = () => update(test.database, 'attention', { resolved_at: now(-60_000) }, { ...found });
    assert.deepEqual([(await change()).rowCount, (await change()).rowCount], [1, 0]);
    assert.deepEqual(await open(), [{ thing: 'two' }]);
    const late = await test.database.query(
      "SELECT raised_at - resolved_at > interval '50 seconds' AS late FROM attention WHERE thing = 'one'",
    );
    assert.deepEqual(late.rows, [{ late: true }]);
    await update(
      test.database,
      'attention',
      { resolved_at: after('2031-01-02T03:04:05Z', 1_500) },
      { thing: 'one' },
    );
    assert.deepEqual(await test.sql`SELECT resolved_at FROM attention WHERE thing = 'one'`, [
      { resolved_at: '2031-01-02T03:04:06.500000Z' },
    ]);
  });

  it('are inserted many at once, whatever their columns are', async () => {
    const bytes = [Buffer.from([0, 255, 92]), Buffer.from('"x"')];
    await insertMany(test.database, 'callback_passphrases', bytes, (ciphertext) => ({
      key_id: merchant.apiKeyId,
      ciphertext,
      created_at: NOW,
      retires_at: '2031-01-02T03:04:05.678901Z',
    }));
    const rows = await test.sql`SELECT ciphertext, retires_at FROM callback_passphrases ORDER BY id`;
    assert.deepEqual(
      pick(rows, 'ciphertext', 'retires_at'),
      bytes.map((one) => [one, '2031-01-02T03:04:05.678901Z']),
    );
    await insertMany(test.database, 'operators', ['asha', 'juma'], (name) => ({
      name,
      email: `${name}@example.test`,
      roles: ['viewer', 'admin'],
      created_at: DEFAULT,
      disabled_at: null,
      version: DEFAULT,
      mac: null,
    }));
    const people = await test.sql`SELECT name, roles FROM operators ORDER BY name`;
    const roles = ['viewer', 'admin'];
    assert.deepEqual(people, [
      { name: 'asha', roles },
      { name: 'juma', roles },
    ]);
  });

  it('are none without items', async () => {
    const none = await insertMany(test.database, 'line_dismissals', [] as number[], (line_id) => ({
      line_id,
      proposal_id: 'pr_1',
    }));
    assert.deepEqual(none, { rows: [], rowCount: 0 });
  });
});

// tests: slow

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readNetwork } from '../../src/accounts/addresses.ts';
import { newKey, newKeyId, readKeyId } from '../../src/accounts/key-format.ts';
import { scopes } from '../../src/accounts/keys.ts';
import { createAccount, listAccounts } from '../../src/accounts/store.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { atOnce, itRaced } from '../support/at-once.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createTestKeys, type TestKeys } from '../support/keys.ts';
import { pick } from '../support/pick.ts';

const hashSecrets = ringOf(Buffer.alloc(32, 7));
const here = '127.0.0.1';
const firstPage = { page: 1, perPage: 50 };

describe('the text of a key', () => {
  it('names its id, and any single wrong character is noticed without the database', () => {
    const id = newKeyId();
    const key = newKey('sk_test', id);
    assert.match(key, /^sk_test_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    assert.equal(readKeyId('sk_test', key), id);
    for (let i = 0; i < key.length; i += 1) {
      const wrong = `${key.slice(0, i)}${key[i] === 'x' ? 'y' : 'x'}${key.slice(i + 1)}`;
      assert.equal(readKeyId('sk_test', wrong), null, wrong);
    }
  });

  it('belongs to one environment', () => {
    assert.equal(readKeyId('sk_live', newKey('sk_test', newKeyId())), null);
    for (const text of ['', 'sk_test_', 'sk_test_a_b', `${newKey('sk_test', newKeyId())}\n`])
      assert.equal(readKeyId('sk_test', text), null);
  });
});

describe('API keys', () => {
  const test = useTestDatabase({ each: true });
  let keys: TestKeys;
  let accountId: string;

  const open = async () => {
    keys = createTestKeys({ database: asRole(test.database, 'api'), hashSecrets });
    ({ id: accountId } = await createAccount(test.database, {
      name: 'Shop',
      limits: noLimits,
      actor: 'cli:asha',
    }));
  };
  beforeEach(open);

  const create = (more = {}) => keys.createKey({ accountId, actor: 'cli:asha', scopes, ...more });
  const actions = async () =>
    (await test.database.query('SELECT action, actor FROM audit_log ORDER BY id')).rows.map(
      (row) => row.action,
    );

  it('lets a merchant in with all scopes unless fewer were given', async () => {
    const all = await create();
    assert.deepEqual(await keys.authenticate(all.apiKey, here), {
      keyId: all.id,
      accountId,
      scopes: [...scopes],
      frozen: null,
    });
    const few = await create({ scopes: ['payments:read'] });
    assert.deepEqual((await keys.authenticate(few.apiKey, here))?.scopes, ['payments:read']);
  });

  it('stores nothing from which a key could be made again', async () => {
    const { apiKey } = await create({ label: 'shop' });
    const rows =
      await test.sql`SELECT (SELECT json_agg(k) FROM api_keys k)::text || (SELECT json_agg(s) FROM api_key_secrets s)::text
      || (SELECT json_agg(a) FROM audit_log a)::text AS everything`;
    assert.ok(!rows[0].everything.includes(apiKey.slice(-38, -6)));
    assert.doesNotMatch(JSON.stringify(await keys.listKeys(firstPage)), new RegExp(apiKey.slice(-38)));
  });

  it('refuses a well-formed key that was never issued, and one hashed with another secret', async () => {
    const { id, apiKey } = await create();
    assert.equal(await keys.authenticate(newKey('sk_test', id), here), null);
    assert.equal(await keys.authenticate(newKey('sk_test', newKeyId()), here), null);
    const other = createTestKeys({ database: test.database, hashSecrets: ringOf(Buffer.alloc(32, 8)) });
    assert.equal(await other.authenticate(apiKey, here), null);
  });

  it('refuses a revoked key with the next request, and an expired one', async () => {
    const { id, apiKey } = await create();
    assert.equal(await keys.revokeKey({ keyId: id, actor: 'cli:asha' }), true);
    assert.equal(await keys.authenticate(apiKey, here), null);
    assert.equal(await keys.revokeKey({ keyId: id, actor: 'cli:asha' }), false);
    const expired = await create({ expiresAt: '2020-01-01T00:00:00Z' });
    assert.equal(await keys.authenticate(expired.apiKey, here), null);
    const later = await create({ expiresAt: '2999-01-01T00:00:00Z' });
    assert.ok(await keys.authenticate(later.apiKey, here));
  });

  it('keeps two secrets live through rotations, never three', async () => {
    const first = await create();
    const second = await keys.rotateKey({ keyId: first.id, actor: 'cli:asha' });
    assert.equal(second.id, first.id);
    assert.ok(await keys.authenticate(first.apiKey, here));
    assert.ok(await keys.authenticate(second.apiKey, here));
    const third = await keys.rotateKey({ keyId: first.id, actor: 'cli:asha' });
    assert.equal(await keys.authenticate(first.apiKey, here), null);
    assert.ok(await keys.authenticate(second.apiKey, here));
    assert.ok(await keys.authenticate(third.apiKey, here));
    assert.equal((await keys.listKeys({ ...firstPage, accountId })).items[0]?.liveSecrets, 2);
    await keys.revokeKey({ keyId: first.id, actor: 'cli:asha' });
    assert.equal(await keys.authenticate(third.apiKey, here), null);
    await assert.rejects(keys.rotateKey({ keyId: first.id, actor: 'cli:asha' }), GatewayError);
  });

  it('ends a rotated secret a week after the rotation', async () => {
    const first = await create();
    await keys.rotateKey({ keyId: first.id, actor: 'cli:asha' });
    const rows = await test.sql`SELECT retires_at - now() > interval '6 days 23 hours'
      AND retires_at <= now() + interval '7 days' AS week FROM api_key_secrets WHERE key_id = ${first.id}
      ORDER BY id`;
    assert.deepEqual(rows, [{ week: true }, { week: null }]);
    await test.database.query("UPDATE api_key_secrets SET retires_at = retires_at - interval '7 days'");
    assert.equal(await keys.authenticate(first.apiKey, here), null);
    assert.equal((await keys.listKeys({ ...firstPage, accountId })).items[0]?.liveSecrets, 1);
  });

  itRaced(
    test,
    4,
    'keeps two secrets live when several people rotate one key at the same moment',
    async () => {
      await open();
      const { id } = await create();
      const rotations = Array.from(
        { length: 4 },
        () => () => keys.rotateKey({ keyId: id, actor: 'cli:asha' }),
      );
      const made = await atOnce(4, test.database, rotations);
      const live: unknown[] = [];
      for (const { apiKey } of made) live.push(await keys.authenticate(apiKey, here));
      assert.equal(live.filter(Boolean).length, 2);
      assert.equal((await keys.listKeys({ ...firstPage, accountId })).items[0]?.liveSecrets, 2);
    },
  );

  it('lets a key be used only from its addresses', async () => {
    const { apiKey } = await create({ allowedIps: ['10.1.0.0/16', '192.0.2.7', '2001:db8::/32'] });
    for (const address of ['10.1.255.3', '::ffff:10.1.0.1', '192.0.2.7', '2001:db8::1'])
      assert.ok(await keys.authenticate(apiKey, address), address);
    for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::1', '', 'nonsense'])
      assert.equal(await keys.authenticate(apiKey, address), null, address);
  });

  it('refuses addresses that are none, and unknown accounts', async () => {
    for (const wrong of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'example.com', '', '::1/129'])
      assert.equal(readNetwork(wrong), null, wrong);
    await assert.rejects(keys.createKey({ accountId: randomUUID(), actor: 'cli:asha', scopes }));
    assert.deepEqual((await keys.listKeys(firstPage)).items, []);
  });

  it('audits every change with who made it', async () => {
    const { id } = await create();
    await keys.rotateKey({ keyId: id, actor: 'cli:asha' });
    await keys.revokeKey({ keyId: id, actor: 'cli:asha' });
    assert.deepEqual(await actions(), [
      'accounts.create',
      'limits.set',
      'keys.create',
      'keys.rotate',
      'keys.revoke',
    ]);
  });

  it('makes an account with both of its ledger accounts', async () => {
    assert.deepEqual(await balanceOf(test.database, accountId, 'TZS'), { current: 0, reserved: 0 });
    const { rowCount } = await test.database.query('SELECT 1 FROM ledger_accounts WHERE account_id = $1', [
      accountId,
    ]);
    assert.equal(rowCount, 2);
    assert.deepEqual(pick((await listAccounts(test.database, firstPage)).items, 'id', 'name'), [
      [accountId, 'Shop'],
    ]);
  });
});

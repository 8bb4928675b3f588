import assert from 'node:assert/strict';
import { ensureDemo } from '../../../sandbox/local/demo.ts';
import { loadSecrets } from '../../../sandbox/local/secrets.ts';
import { createUrlPolicy } from '../../../src/callbacks/guard-url.ts';
import { getCallbackSettings, saveCallbackSettings } from '../../../src/callbacks/settings.ts';
import { keyRing } from '../../../src/config/fields.ts';
import { balanceOf, ensureServiceAccounts } from '../../../src/ledger/accounts.ts';
import { createOperators } from '../../../src/operators/people/operators.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { useFolder } from '../../support/folder.ts';
import { pick } from '../../support/pick.ts';

describe('the demo account', () => {
  const inFolder = useFolder();
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
    await ensureServiceAccounts(test.database, ['m-pesa'], 'TZS');
  });
  after(async () => await test.drop());
  const ensure = async (port: number) =>
    ensureDemo({
      database: test.database,
      dataFolder: inFolder(),
      secrets: await loadSecrets(inFolder()),
      callbackUrl: `http://127.0.0.1:${port}/receiver`,
    });

  it('starts with a thousand million shillings that came from somewhere', async () => {
    const demo = await ensure(4010);
    const balance = await balanceOf(test.database, demo.accountId, 'TZS');
    assert.equal(balance.current, 1_000_000_000_00);
    const { rows } = await test.database.query('SELECT sum(amount) AS total FROM entries');
    assert.equal(Number(rows[0].total), 0);
  });

  it('is the same at the second start, without new money', async () => {
    const first = await ensure(4010);
    assert.deepEqual(await ensure(4010), first);
    const balance = await balanceOf(test.database, first.accountId, 'TZS');
    assert.equal(balance.current, 1_000_000_000_00);
  });

  it('sends its callbacks where the simulator listens now, still signed', async () => {
    const demo = await ensure(4999);
    const keyId = demo.apiKey.split('_')[2] ?? '';
    const settings = await getCallbackSettings(test.database, keyId);
    assert.equal(settings.callbackUrl, 'http://127.0.0.1:4999/receiver');
    assert.equal(settings.passphraseSet, true);
  });

  it('heals: the callbacks come back to the simulator, signed as it expects, whatever somebody set', async () => {
    const demo = await ensure(4010);
    const keyId = demo.apiKey.split('_')[2] ?? '';
    const { ENCRYPTION_KEY } = await loadSecrets(inFolder());
    const deps = {
      encryptionKeys: keyRing.parse(ENCRYPTION_KEY),
      urlPolicy: createUrlPolicy({ development: true, ports: [] }),
    };
    const set = (callbackUrl: string | null, passphrase: string | null) =>
      saveCallbackSettings(
        test.database,
        { keyId, callbackUrl, passphrase, actor: 'test', by: 'merchant' },
        deps,
      );
    const { passphrase } = await loadSecrets(inFolder());
    for (const own of ['http://127.0.0.1:8080/callbacks', 'https://shop.example/receiver', null]) {
      await set(own, own && 'another passphrase, long enough');
      await ensure(4999);
      const { callbackUrl } = await getCallbackSettings(test.database, keyId);
      assert.equal(callbackUrl, 'http://127.0.0.1:4999/receiver');
      // The one that signs is that of the receiver: sent again it changes nothing.
      assert.equal((await set(callbackUrl, passphrase)).isChanged, false);
    }
  });

  it('is made anew in a database that does not know it', async () => {
    const first = await ensure(4010);
    const elsewhere = await createTestDatabase();
    await ensureServiceAccounts(elsewhere.database, ['m-pesa'], 'TZS');
    const second = await ensureDemo({
      database: elsewhere.database,
      dataFolder: inFolder(),
      secrets: await loadSecrets(inFolder()),
      callbackUrl: 'http://127.0.0.1:4010/receiver',
    });
    await elsewhere.drop();
    assert.notEqual(second.accountId, first.accountId);
  });

  it('has two operators who approve for each other, the same at every start', async () => {
    const { operators } = await ensure(4010);
    assert.deepEqual(pick(operators, 'name'), ['asha', 'juma']);
    assert.deepEqual((await ensure(4010)).operators, operators);
    const { KEY_HASH_SECRET } = await loadSecrets(inFolder());
    const hashSecrets = keyRing.parse(KEY_HASH_SECRET);
    const { authenticate } = createOperators({ database: test.database, hashSecrets });
    for (const { name, token } of operators) {
      const caller = await authenticate(token);
      assert.equal(caller?.name, name);
      assert.ok(caller.roles.includes('finance'));
    }
  });

  it('gives an operator whose token was revoked another one', async () => {
    const before = (await ensure(4010)).operators;
    await test.database.query("UPDATE operator_tokens SET revoked_at = now() WHERE operator = 'juma'");
    const after = (await ensure(4010)).operators;
    assert.deepEqual(after[0], before[0]);
    assert.notEqual(after[1]?.token, before[1]?.token);
  });
});

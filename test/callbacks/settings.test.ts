import assert from 'node:assert/strict';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { decryptSecret } from '../../src/callbacks/secrets.ts';
import {
  type CallbackChange,
  getCallbackSettings,
  livePassphrases,
  saveCallbackSettings,
} from '../../src/callbacks/settings.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { optionalEvents } from '../../src/domain/event.ts';
import { keepPartitions } from '../../src/platform/db/retention.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';

const url = 'https://shop.example/callbacks';

describe('callback settings', () => {
  const encryptionKeys = ringOf();
  const urlPolicy = createUrlPolicy({ development: false, ports: [443, 8443] });
  const test = useTestDatabase();
  let keyId: string;
  beforeEach(async () => {
    keyId = (await createMerchant(test.database)).apiKeyId;
    await save({ callbackUrl: null });
  });

  const saved = (change: Partial<CallbackChange>) =>
    inTransaction(test.database, (db) =>
      saveCallbackSettings(
        db,
        { keyId, actor: 'test', by: 'merchant', ...change },
        { encryptionKeys, urlPolicy },
      ),
    );
  const save = async (change: Partial<CallbackChange>) => (await saved(change)).settings;
  /** what the next attempt would sign with, the newest first */
  const passphrases = async () => {
    const { rows } = await test.database.query(
      `SELECT ${livePassphrases} AS sealed FROM api_keys k WHERE k.id = $1`,
      [keyId],
    );
    return rows[0].sealed.map((sealed: Buffer) => decryptSecret(encryptionKeys, sealed, keyId));
  };

  it('are empty at first', async () => {
    const settings = await getCallbackSettings(test.database, keyId);
    assert.match(settings.updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual(
      { ...settings, updatedAt: '' },
      {
        callbackUrl: null,
        passphraseSet: false,
        enabled: false,
        disabledReason: null,
        subscribedEvents: optionalEvents,
        updatedAt: '',
        operatorSetUrlAt: null,
      },
    );
    assert.deepEqual(await passphrases(), []);
  });

  it('name the events that are sent: all at first, then what was asked for last', async () => {
    const some = ['payout.returned', 'payment.failed', 'payout.returned'] as const;
    assert.deepEqual((await save({ events: some })).subscribedEvents, ['payment.failed', 'payout.returned']);
    assert.deepEqual((await save({ callbackUrl: url })).subscribedEvents.length, 2, 'kept');
    assert.deepEqual((await save({ events: [] })).subscribedEvents, []);
    assert.deepEqual((await save({ events: optionalEvents })).subscribedEvents, optionalEvents);
    const unknown = "UPDATE api_keys SET subscribed_events = '{payment.guessed}'";
    await assert.rejects(test.database.query(unknown), /subscribed_events_exist/);
  });

  it('keep what a change does not name, and remove what it names as null', async () => {
    const both = await save({ callbackUrl: url, passphrase: 'the first secret of the shop' });
    assert.deepEqual([both.callbackUrl, both.passphraseSet, both.enabled], [url, true, true]);
    const moved = await save({ callbackUrl: `${url}/2` });
    assert.deepEqual([moved.callbackUrl, moved.passphraseSet], [`${url}/2`, true]);
    assert.deepEqual(await passphrases(), ['the first secret of the shop']);
    const unsigned = await save({ passphrase: null });
    assert.deepEqual([unsigned.callbackUrl, unsigned.passphraseSet], [`${url}/2`, false]);
    assert.deepEqual(await passphrases(), []);
    const off = await save({ callbackUrl: null });
    assert.deepEqual([off.callbackUrl, off.enabled], [null, false]);
  });

  it('let a replaced passphrase sign beside the new one for 48 hours, and not longer', async () => {
    await save({ passphrase: 'the first secret of the shop' });
    await save({ passphrase: 'the second secret of the shop' });
    assert.deepEqual(await passphrases(), ['the second secret of the shop', 'the first secret of the shop']);
    const rows =
      await test.sql`SELECT round(extract(epoch FROM retires_at - now()) / 360) / 10 AS hours FROM callback_passphrases
      WHERE key_id = ${keyId} AND retires_at IS NOT NULL`;
    assert.deepEqual(
      rows.map((row) => Number(row.hours)),
      [48],
    );
    await test.sql`UPDATE callback_passphrases SET retires_at = now() WHERE key_id = ${keyId}
      AND retires_at IS NOT NULL`;
    assert.deepEqual(await passphrases(), ['the second secret of the shop']);
  });

  it('sign with none at once when it is removed, also not the one that was replaced, and forget both the day after', async () => {
    await save({ passphrase: 'the first secret of the shop' });
    await save({ passphrase: 'the second secret of the shop' });
    await save({ passphrase: null });
    assert.deepEqual(await passphrases(), []);
    const kept = async () => {
      await keepPartitions(asRole(test.database, 'worker'));
      return (await test.database.query('SELECT FROM callback_passphrases WHERE key_id = $1', [keyId]))
        .rowCount;
    };
    assert.equal(await kept(), 2);
    await test.database.query("UPDATE callback_passphrases SET retires_at = now() - interval '25 hours'");
    assert.equal(await kept(), 0);
  });

  for (const [what, given, live] of [
    ['take the same passphrase again as no change', [1, 1], [1]],
    ['sign once with a passphrase that comes back while it still signs', [1, 2, 1], [1, 2]],
    ['never let more than five signatures pile up', [1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3]],
  ] as const)
    it(what, async () => {
      for (const i of given) await save({ passphrase: `the secret of the shop ${i}` });
      assert.deepEqual(
        await passphrases(),
        live.map((i) => `the secret of the shop ${i}`),
      );
    });

  it('take new passphrases that come at the same moment one after the other', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((i) => save({ passphrase: `the secret of the shop ${i}` })));
    const { rowCount } = await test.database.query(
      'SELECT 1 FROM callback_passphrases WHERE key_id = $1 AND retires_at IS NULL',
      [keyId],
    );
    assert.equal(rowCount, 1);
    assert.equal((await passphrases()).length, 5);
  });

  it('enable a disabled URL when it is set again, even to the same', async () => {
    await save({ callbackUrl: url });
    await test.database.query("UPDATE api_keys SET callback_disabled_reason = 'gone' WHERE id = $1", [keyId]);
    const disabled = await getCallbackSettings(test.database, keyId);
    assert.deepEqual([disabled.enabled, disabled.disabledReason], [false, 'gone']);
    assert.equal((await save({ passphrase: 'any secret that is long enough' })).enabled, false);
    const again = await save({ callbackUrl: url });
    assert.deepEqual([again.enabled, again.disabledReason], [true, null]);
  });

  it('refuse every wrong field at once and change nothing', async () => {
    await save({ callbackUrl: url });
    await assert.rejects(save({ callbackUrl: 'http://127.0.0.1/', passphrase: '' }), (error) => {
      assert.ok(error instanceof GatewayError);
      assert.equal(error.code, 'validation_failed');
      assert.deepEqual(
        error.detail.errors?.map(({ field }) => field),
        ['callback_url', 'passphrase'],
      );
      return true;
    });
    for (const callbackUrl of ['', 'https://localhost/', 'https://a:b@shop.example/'])
      await assert.rejects(save({ callbackUrl }), GatewayError, callbackUrl);
    assert.equal((await getCallbackSettings(test.database, keyId)).callbackUrl, url);
  });

  it('of a key that does not exist are not found', async () => {
    keyId = 'nobody';
    const isNotFound = (error: unknown) =>
      error instanceof GatewayError &&
      error.code === 'not_found' &&
      error.message === 'No API key has this id';
    await assert.rejects(save({ callbackUrl: url }), isNotFound);
    await assert.rejects(getCallbackSettings(test.database, keyId), isNotFound);
  });

  it('are audited by name of the change, and keep the passphrase unreadable everywhere', async () => {
    await save({ callbackUrl: url, passphrase: 'the first secret of the shop' });
    const latest = async () => {
      const rows = await test.sql`SELECT actor, action, detail FROM audit_log WHERE subject = ${keyId}
        ORDER BY id DESC LIMIT 1`;
      return rows[0];
    };
    const action = { actor: 'test', action: 'callbacks.settings' };
    assert.deepEqual(await latest(), { ...action, detail: { callback_url: url, passphrase: 'set' } });
    const stored = await test.sql`SELECT ciphertext FROM callback_passphrases WHERE key_id = ${keyId}`;
    assert.equal(stored[0].ciphertext.includes('the first secret of the shop'), false);
    await save({ events: [] });
    assert.deepEqual(await latest(), { ...action, detail: { events: [], passphrase: 'kept' } });
    await save({ passphrase: null });
    assert.deepEqual(await latest(), { ...action, detail: { passphrase: 'removed' } });
  });
});

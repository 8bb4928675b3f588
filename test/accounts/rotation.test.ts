import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import { countHashed, scopes } from '../../src/accounts/keys.ts';
import { createAccount } from '../../src/accounts/store.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { countSealed, resealPassphrases } from '../../src/callbacks/reseal.ts';
import { decryptSecret } from '../../src/callbacks/secrets.ts';
import { livePassphrases, saveCallbackSettings } from '../../src/callbacks/settings.ts';
import { createGsmaChannel, notificationToken } from '../../src/channels/gsma/index.ts';
import { halopesaSettings } from '../../src/channels/halopesa/settings.ts';
import { isOurAddress, type Secrets } from '../../src/channels/kit/secret.ts';
import { isSignedRequest, signRequest } from '../../src/channels/kit/signature.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { createPayloadCodec } from '../../src/platform/temporal/codec.ts';
import { isSigned, signSubmission } from '../../src/transactions/rows/submission-mac.ts';
import { halopesaAccount } from '../channels/halopesa/account.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { keyOf } from '../support/key-rings.ts';
import { createTestKeys } from '../support/keys.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';

const [old, next] = [keyOf('old'), keyOf('next')];
/** The steps of every rotation, one rolled out after the other: neighbours must understand each other. */
const before: KeyRing = [old];
const known: KeyRing = [old, next];
const used: KeyRing = [next, old];
const after: KeyRing = [next];
const neighbours: [KeyRing, KeyRing][] = [
  [before, known],
  [known, before],
  [known, used],
  [used, known],
  [used, after],
];

describe('a rotation without downtime', () => {
  const test = useTestDatabase({ each: true, poolMax: 10 });
  /** as the processes that replace what is stored: with their rights only */
  let api: Database;
  beforeEach(async () => {
    api = asRole(test.database, 'api');
  });

  const keysOf = (hashSecrets: KeyRing) => createTestKeys({ database: api, hashSecrets });

  it('of KEY_HASH_SECRET: keys go on under load, and each that is used is hashed anew', async () => {
    const { id: accountId } = await createAccount(api, { name: 'Shop', limits: noLimits, actor: 'test' });
    const made = await Promise.all(
      Array.from({ length: 10 }, () => keysOf(before).createKey({ accountId, scopes, actor: 'test' })),
    );
    const [idle, ...busy] = made;
    const everybodyIn = async (secrets: KeyRing) => {
      const keys = keysOf(secrets);
      const tries = [...busy, ...busy].map(({ apiKey }) => keys.authenticate(apiKey, '127.0.0.1'));
      assert.ok((await Promise.all(tries)).every((principal) => principal !== null));
    };
    // Two processes at a time, as they are replaced one by one.
    await Promise.all([everybodyIn(before), everybodyIn(known)]);
    assert.deepEqual(await countHashed(api), new Map([['old', 10]]), 'known is not used yet');
    await Promise.all([everybodyIn(known), everybodyIn(used), everybodyIn(known), everybodyIn(used)]);
    // A process of the step before may have been the last to hash one: with its own first secret.
    await everybodyIn(used);
    assert.deepEqual(
      await countHashed(api),
      new Map([
        ['old', 1],
        ['next', 9],
      ]),
    );
    await everybodyIn(after);
    assert.equal(
      await keysOf(after).authenticate(idle?.apiKey ?? '', '127.0.0.1'),
      null,
      'it was never used',
    );
  });

  it('of KEY_HASH_SECRET: a secret with a week left keeps it, and its old hash is over', async () => {
    const { id: accountId } = await createAccount(api, { name: 'Shop', limits: noLimits, actor: 'test' });
    const { id, apiKey } = await keysOf(before).createKey({ accountId, scopes, actor: 'test' });
    await keysOf(before).rotateKey({ keyId: id, actor: 'test' });
    for (const ring of [used, known, used])
      for (const principal of await Promise.all(
        [1, 2, 3].map(() => keysOf(ring).authenticate(apiKey, '::1')),
      ))
        assert.ok(principal);
    const rows =
      await test.sql`SELECT hashed_with, ceil(extract(epoch FROM retires_at - now()) / 86400)::int AS days
      FROM api_key_secrets WHERE key_id = ${id} ORDER BY id`;
    assert.deepEqual(rows, [
      { hashed_with: 'old', days: 0 },
      { hashed_with: 'old', days: null },
      { hashed_with: 'next', days: 7 },
    ]);
  });

  it('of KEY_HASH_SECRET: operators go on with the tokens that they have', async () => {
    const operatorsOf = (hashSecrets: KeyRing) => createOperators({ database: api, hashSecrets });
    await operatorsOf(before).create({
      name: 'asha',
      email: 'asha@example.com',
      roles: ['admin'],
      actor: 'test',
    });
    const issue = (ring: KeyRing) =>
      operatorsOf(ring).issueToken({ operator: 'asha', days: 1, actor: 'test' });
    const [one, two] = [await issue(before), await issue(used)];
    for (const ring of [known, used])
      for (const { token } of [one, two])
        assert.equal((await operatorsOf(ring).authenticate(token))?.name, 'asha');
    assert.equal(await operatorsOf(after).authenticate(one.token), null, 'gone is gone');
    assert.equal((await operatorsOf(after).authenticate(two.token))?.name, 'asha');
    const live = { old: 1, next: 1 };
    assert.deepEqual(Object.fromEntries(await countHashed(api)), live);
  });

  it('of ENCRYPTION_KEY: passphrases open at every step, and are sealed anew beside changes', async () => {
    const merchants = await Promise.all(Array.from({ length: 12 }, () => createMerchant(test.database)));
    const save = (encryptionKeys: KeyRing, keyId: string, passphrase: string) =>
      inTransaction(api, (db) =>
        saveCallbackSettings(
          db,
          { keyId, passphrase, actor: 'test', by: 'merchant' },
          { encryptionKeys, urlPolicy: { check: () => null } },
        ),
      );
    const newest = async (keys: KeyRing, keyId: string) => {
      const { rows } = await test.database.query(
        `SELECT ${livePassphrases} AS sealed FROM api_keys k WHERE id = $1`,
        [keyId],
      );
      return decryptSecret(keys, rows[0].sealed[0], keyId);
    };
    const textOf = (round: string, keyId: string) => `the ${round} passphrase of the shop ${keyId}`;
    for (const { apiKeyId } of merchants) await save(before, apiKeyId, textOf('first', apiKeyId));
    for (const { apiKeyId } of merchants)
      assert.equal(await newest(known, apiKeyId), textOf('first', apiKeyId));
    // A process that writes with the old key still, one that writes with the new one, and the command line.
    await Promise.all([
      ...merchants.slice(0, 4).map(({ apiKeyId }) => save(known, apiKeyId, textOf('second', apiKeyId))),
      ...merchants.slice(4, 8).map(({ apiKeyId }) => save(used, apiKeyId, textOf('second', apiKeyId))),
      resealPassphrases(api, used),
    ]);
    await resealPassphrases(api, used);
    assert.equal(await resealPassphrases(api, used), 0, 'run twice it changes nothing');
    assert.deepEqual([...(await countSealed(api)).keys()], ['next']);
    for (const [i, { apiKeyId }] of merchants.entries())
      assert.equal(await newest(after, apiKeyId), textOf(i < 8 ? 'second' : 'first', apiKeyId));
  });

  it('of SUBMISSION_KEY: what the API signs at one step, a worker at the next one believes', async () => {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, mobilePayoutRequest());
    for (const [api, worker] of neighbours.slice(0, 4))
      assert.equal(isSigned(worker, signSubmission(api, submission)), true);
    assert.equal(isSigned(after, signSubmission(used, submission)), true);
    assert.equal(isSigned(after, signSubmission(before, submission)), false, 'gone is gone');
    assert.equal(isSigned(before, signSubmission(after, submission)), false);
    assert.equal(isSigned(used, signSubmission([keyOf('old')], submission)), false);
  });

  it('of NOTIFICATION_SECRET: addresses of either secret are proven, new ones are made with the first', async () => {
    const id = '0b9d5a2e-7a51-5d33-8c41-2f1d0a6f7a10';
    const channelOf = (notificationSecrets: KeyRing) =>
      createGsmaChannel({
        client: {} as Parameters<typeof createGsmaChannel>[0]['client'],
        network: 'm-pesa',
        organisationId: 'malipo',
        publicUrl: 'https://pay.example',
        notificationSecrets,
      });
    const proves = (ring: KeyRing, { key }: { key: Uint8Array }) =>
      channelOf(ring).verifyNotification({
        method: 'PUT',
        transactionId: id,
        token: notificationToken(key, id),
        headers: {},
        body: Buffer.from('{}'),
      });
    for (const [made, asked] of neighbours.slice(0, 4)) assert.equal(proves(asked, made[0]), true);
    assert.equal(proves(after, old), false);
    assert.equal(proves(used, old), true);
  });

  it('of PAYLOAD_ENCRYPTION_KEYS: what one process writes, its neighbour reads, at every step', async () => {
    const context = { type: 'workflow', namespace: 'default', workflowId: 'transaction/1' } as const;
    const payloads = Array.from({ length: 100 }, (_, i) => defaultPayloadConverter.toPayload({ i }));
    const passes = async (writer: KeyRing, reader: KeyRing) => {
      const written = await createPayloadCodec(writer).encode(payloads, context);
      assert.deepEqual(await createPayloadCodec(reader).decode(written, context), payloads);
    };
    await Promise.all(neighbours.slice(0, 4).map(([writer, reader]) => passes(writer, reader)));
    await passes(used, after);
    await assert.rejects(passes(before, after), /another key \(old\)/, 'gone is gone');
  });

  it("of a network's callback.token, which stands in the address that it has: both are believed", () => {
    const [first, second] = ['the-first-secret-in-the-address-0', 'the-second-secret-in-the-address'];
    const proves = (settings: { callback: { token?: Secrets | undefined } }, token: string) =>
      isOurAddress({ token }, settings.callback.token);
    for (const token of [first, second]) {
      const account = halopesaAccount('http://127.0.0.1:1', { callback: { token: [second, first] } });
      assert.equal(proves(halopesaSettings.parse(account), token), true);
      assert.equal(proves({ callback: { token: second } }, token), token === second);
    }
    assert.equal(proves({ callback: {} }, first), false);
  });

  it("of a bank's secret: the first signs, both are believed", () => {
    const message = { method: 'POST', path: '/channels/iso20022', body: '<Document/>' };
    const [first, second] = ['a-secret-of-the-bank-number-one', 'a-secret-of-the-bank-number-two'];
    const now = new Date();
    const proves = (secrets: string[], signers: string[]) =>
      isSignedRequest(signRequest(message, { secrets: signers, now }), message, { secrets, now });
    for (const signer of [first, second]) assert.equal(proves([second, first], [signer]), true);
    assert.equal(proves([second], [first, second]), false, 'the first signs');
    assert.equal(isSignedRequest(undefined, message, { secrets: [second, first], now }), false);
  });
});

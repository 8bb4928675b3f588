// tests: hard
import assert from 'node:assert/strict';
import { makeKey, newKeyId } from '../../src/accounts/key-format.ts';
import { hashOfProposal } from '../../src/transactions/care/agreed.ts';
import { mobilePayoutBody, newKey } from '../support/gateway.ts';
import { openKey } from '../support/shared-gateway.ts';
import { openVictim, reasonsOf, rowsOf, useTarget, type Victim } from './target.ts';

/** A thief writes rows with the API's password, and the service that runs is asked to pay by them. */
describe('attack: rows that a running service is asked to pay by', function () {
  this.timeout(60_000);
  const target = useTarget();
  const { plant, rowOf, propose, approve } = rowsOf(target);

  let victim: Victim;
  let thief: Victim;
  beforeEach(async () => {
    [victim, thief] = [await openVictim(target), await openVictim(target)];
  });
  afterEach(async () => {
    for (const { money, transactions } of [victim, thief])
      assert.deepEqual([await money(), await transactions()], [{ current: 100_000_000, reserved: 0 }, 0]);
  });

  it('a hash that two operators let in for one account pays nobody from another', async () => {
    const [made, named] = [makeKey('sk_test'), newKeyId()];
    const own = { account_id: thief.accountId, scopes: ['payouts:write'], fingerprint: made.fingerprint };
    await approve(await propose('keys.create', { ...own, key: `sk_test_${named}` }));
    const { scopes, mac } = await rowOf('api_keys', named);
    const { hash, hashed_with } = await rowOf('api_key_secrets', named, '*', 'key_id');
    await plant('api_keys', { id: made.id, account_id: victim.accountId, scopes, mac });
    await plant('api_key_secrets', { key_id: made.id, hash: `\\x${hash.toString('hex')}`, hashed_with });
    const request = { apiKey: made.text, key: newKey(), body: mobilePayoutBody() };
    assert.equal((await target.request('POST', 'payouts/mobile', request)).status, 401);
  });

  it('a proposal that nobody made brings no money, though an operator approves it', async () => {
    const asked = { amount: 250_000, currency: 'TZS', reference: newKey() };
    const mine = await propose('accounts.top-up', { ...asked, account_id: victim.accountId });
    const payload = JSON.stringify({ ...asked, account_id: thief.accountId });
    const [id, payload_hash] = [`pr_${newKeyId()}`, hashOfProposal('accounts.top-up', payload)];
    const copied = await rowOf('proposals', mine.id, 'action, reason, proposed_by, expires_at, mac');
    await plant('proposals', { ...copied, id, payload, payload_hash });
    assert.equal((await approve({ id, payload_hash })).status, 404);
    assert.deepEqual(await reasonsOf(target, `proposals:${id}`), ['unproven_row']);
  });

  it('the rows of an earlier draft are not paid in the place of those that an approver read', async () => {
    const draft = async (phone_number: string) => {
      const items = [{ phone_number, amount: 300_000, currency: 'TZS' }];
      return (await victim.post('payouts/batches', { batch_number: 'SALARIES', items })).json.batch;
    };
    const forgotten = async (table: string, columns: string, by?: string) => {
      const row = await rowOf(table, id, columns, by);
      await target.database.query('DELETE FROM batches WHERE id = $1', [id]);
      return row;
    };
    const { id } = await draft('0754666666');
    const columns = 'batch_id, position, transaction_id, mode, channel, msisdn, amount, metadata, mac';
    const strangers = await forgotten('batch_items', columns, 'batch_id');
    const read = await draft('0754123456');
    await plant('batches', await forgotten('batches', '*'));
    await plant('batch_items', strangers);
    assert.equal((await draft('0754123456')).items_hash, read.items_hash, 'it is shown as it was read');
    const another = { accountId: victim.accountId, scopes: ['payouts:approve'], holder: 'another' } as const;
    const asked = { apiKey: await openKey(target, another), body: { items_hash: read.items_hash } };
    const started = await target.request('POST', `payouts/batches/${id}/start`, asked);
    assert.deepEqual([started.status, started.json.code], [409, 'items_changed']);
    assert.deepEqual(await reasonsOf(target, `batches:${id}`), ['unproven_row']);
  });
});

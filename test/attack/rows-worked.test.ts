// tests: hard
import assert from 'node:assert/strict';
import { makeToken } from '../../src/operators/people/token-text.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { createDeskClient } from '../support/desk-client.ts';
import { mobilePayoutBody, newKey } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { openVictim, operate, reasonsOf, rowsOf, useTarget, type Victim } from './target.ts';

/** A thief writes rows with the password of one process, and the service that runs works on what they are about. */
describe('attack: rows that a running service works by', function () {
  this.timeout(60_000);
  const target = useTarget();
  const { as, plant, rowOf, propose, approve } = rowsOf(target);
  const failed = { kind: 'failed', code: 'network_error', channelReference: null };

  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  /** A payout of the victim which its network accepted, and says nothing of. */
  async function pendingPayout(phone_number = '0754123129'): Promise<string> {
    const { json, text } = await victim.post('payouts/mobile', { ...mobilePayoutBody(), phone_number });
    assert.ok(json.transaction_id, text);
    await until(
      async () =>
        (await rowOf('sends', json.transaction_id, 'outcome', 'transaction_id'))?.outcome === 'accepted',
      'its network has it',
    );
    return json.transaction_id;
  }
  const isHeld = async (id: string) => {
    const { json } = await victim.send('GET', `payouts/${id}`);
    assert.equal(json.status, 'pending');
    assert.ok((await victim.money()).reserved >= 5_000_000, 'its hold stays');
  };
  const isTold = async (subject: string) => {
    await until(async () => (await reasonsOf(target, subject)).length > 0, `the worker has read ${subject}`);
    assert.deepEqual(await reasonsOf(target, subject), ['unproven_row']);
  };

  it('a refusal that no door took gives the hold of a payout back to nobody', async () => {
    const paid = (await victim.post('payouts/mobile', mobilePayoutBody())).json.transaction_id;
    const taken = await until(() => rowOf('notifications', paid, 'mac', 'transaction_id'), 'a door took one');
    const id = await pendingPayout();
    // Without a proof, and with that of one which a door took.
    for (const mac of [null, taken.mac]) {
      const told = { channel: 'm-pesa', event_key: newKey(), transaction_id: id, content: failed };
      const row = { ...told, state: 'unapplied', received_at: new Date(0), mac };
      await assert.rejects(plant('notifications', row, 'worker'), { code: '42501' });
      await plant('notifications', row);
      await isTold(`notifications:${row.event_key}`);
      await isHeld(id);
    }
  });

  it('a payout that its network took is sent once, whatever is said to have become of its send', async () => {
    const phone_number = '0754770129';
    const id = await pendingPayout(phone_number);
    const asked = async (method: string) => {
      const { exchanges } = await target.simulator(`phone/wire?number=${phone_number}`);
      return exchanges.filter(({ line }: { line: string }) => line.startsWith(method)).length;
    };
    const set = 'UPDATE sends SET outcome = $2 WHERE transaction_id = $1';
    for (const role of ['api', 'worker'] as const)
      for (const outcome of ['not_sent', 'not_found', 'unknown', null])
        await assert.rejects(as(role, set, [id, outcome]), { code: '42501' }, `${role}: ${outcome}`);
    assert.equal((await victim.send('POST', `payouts/${id}/cancel`)).status, 409);
    await until(async () => (await asked('GET')) > 0, 'the worker asks what became of it');
    assert.equal(await asked('POST'), 1);
    await isHeld(id);
  });

  it('a decision that no two operators took ends no transaction, and a true one does', async () => {
    const [id, other] = [await pendingPayout(), await pendingPayout()];
    const detail = 'a test';
    await raiseAttention(target.database, { transactionId: other, reason: 'unknown_outcome', detail });
    const decided = { transaction_id: other, outcome: 'failed', note: 'ticket 8' };
    assert.equal((await approve(await propose('attention.decide', decided))).status, 200);
    const { mac } = await rowOf('decisions', other, 'mac', 'transaction_id');
    const asked = { amount: 250_000, currency: 'TZS', reference: newKey(), account_id: victim.accountId };
    const { id: proposal_id } = await propose('accounts.top-up', asked);
    const row = { ...decided, transaction_id: id, proposal_id, mac };
    await assert.rejects(plant('decisions', row, 'worker'), { code: '42501' });
    await plant('decisions', { ...row, decided_at: new Date(0) });
    await isTold(`decisions:${id}`);
    await isHeld(id);
    const ended = async () => (await victim.send('GET', `payouts/${other}`)).json.status === 'failed';
    await until(ended, 'the worker carries out what two decided');
  });

  it('the payload of a proposal masks whom its summary masks, over the API and at the desk', async () => {
    const name = `admin-${newKey().slice(0, 8)}`;
    const { token, tokenId: token_id, fingerprint } = makeToken();
    await operate(target, 'asha', 'POST', 'operators', { name, email: `${name}@example.com` });
    await approve(await propose('operators.roles', { operator: name, roles: ['admin'] }));
    await approve(await propose('operators.token', { operator: name, token_id, fingerprint, days: 1 }));
    const bank = { bic: 'CORUTZTZ', account_number: '0150999888777', full_name: 'Asha Juma' };
    const terms = { days: ['mon'], keep: 0, smallest: 100_000, cap: 100_000_000 };
    const { id, payload_hash } = await propose('settlement.set', {
      account_id: victim.accountId,
      bank,
      ...terms,
    });
    const seen = (await operate(target, 'juma', 'GET', `proposals/${id}`)).json.proposal;
    assert.equal(seen.payload.bank.account_number, bank.account_number);
    const masked = (await operate(target, token, 'GET', `proposals/${id}`)).json.proposal;
    const { account_number, bic } = masked.payload.bank;
    assert.deepEqual([account_number, bic, masked.payload_hash], ['0150***777', bank.bic, payload_hash]);
    const listed = (await operate(target, token, 'GET', 'proposals?state=proposed')).json;
    assert.ok(JSON.stringify(listed).includes(id));
    const desk = createDeskClient(target.local.management_url);
    assert.equal((await desk.signIn(token)).status, 303);
    const pages = await Promise.all([`/${id}`, ''].map((path) => desk.get(`/desk/proposals${path}`)));
    for (const { status, text } of pages) assert.deepEqual([status, text.includes(id)], [200, true]);
    for (const shown of [JSON.stringify([masked, listed]), ...pages.map(({ text }) => text)])
      assert.doesNotMatch(shown, /0150999888777|Asha Juma/);
  });
});

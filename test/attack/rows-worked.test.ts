// tests: hard
import assert from 'node:assert/strict';
import { newKeyId } from '../../src/accounts/key-format.ts';
import { dayOf } from '../../src/domain/day.ts';
import { makeToken } from '../../src/operators/people/token-text.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { createDeskClient } from '../support/desk-client.ts';
import { mobilePayoutBody, newKey } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { openVictim, operate, reasonsOf, rowsOf, useTarget, type Victim } from './target.ts';

/** Money of the service to a merchant, as one that reached our bank account. */
const TOP_UP = `
  WITH t AS (INSERT INTO transfers (kind, dedupe_key, proposal_id) VALUES ('top_up', $2, $3) RETURNING id),
  m AS (INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, told_by)
    SELECT gen_random_uuid(), id, code, 'itself', $4, currency, 'people' FROM ledger_accounts WHERE code = 'settlement::TZS'
    RETURNING id, ledger_account_id)
  INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id)
  SELECT t.id, m.ledger_account_id, -$4::bigint, m.id FROM t, m
  UNION ALL SELECT t.id, a.id, $4, NULL FROM t, ledger_accounts a WHERE a.code = 'available:' || $1 || ':TZS'
  RETURNING id, movement_id`;

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

  it('a theft of 1,000,002 TZS is named by the check of the books, though a forged statement shows it', async () => {
    const [amount, reference] = [100_000_200, newKey()];
    const post = (proposal: string | null) =>
      as('api', TOP_UP, [victim.accountId, `funding:${reference}`, proposal, amount]);
    await assert.rejects(post(null), { code: '42501' });
    const asked = { account_id: victim.accountId, amount, currency: 'TZS', reference: newKey() };
    const agreed = await propose('accounts.top-up', asked);
    assert.equal((await approve(agreed)).status, 200);
    await assert.rejects(post(agreed.id), { code: '23505' }, 'it is carried out once');
    const id = `pr_${newKeyId()}`;
    await plant('proposals', { ...(await rowOf('proposals', agreed.id)), id });
    const approval = await rowOf('approvals', agreed.id, '*', 'proposal_id');
    await plant('approvals', { ...approval, proposal_id: id });
    const entry_id = (await post(id)).rows.find(({ movement_id }) => movement_id !== null).id;
    const [at, to_at] = [new Date(), new Date(Date.now() + 1_000)];
    const of = { account: 'bank', currency: 'TZS' };
    const made = { sha256: '\\x00', data_key: '\\x00', imported_by: 'operator:asha', imported_at: at };
    const statement_id = `st_${newKeyId()}`;
    const statement = { ...of, ...made, id: statement_id, from_at: at, to_at, is_first: false, outcome: {} };
    await plant('statements', statement);
    const place = {
      no: 1,
      position: 1,
      key: '\\x00',
      also_known_as: [],
      names: [],
      waits: false,
      is_void: false,
    };
    const said = { receipt: reference, kind: 'funding', status: 'done', amount, at, day: dayOf(at) };
    await plant('statement_lines', { ...of, ...place, ...said, statement_id });
    const { id: line_id } = await rowOf('statement_lines', statement_id, 'id', 'statement_id');
    await plant('line_matches', { entry_id, line_id, pass: 'receipt', matched_at: at, is_freed: false });
    const { breaches } = await until(async () => {
      const { json } = await operate(target, 'asha', 'POST', 'ledger/check', {});
      return json.done ? json : null;
    }, 'the books are checked');
    const named = `funding:${reference} (top_up) moves money on which no two operators agreed (${id})`;
    assert.ok(breaches.includes(named), breaches.join('\n'));
    assert.deepEqual(await reasonsOf(target, `proposals:${id}`), ['unproven_row']);
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

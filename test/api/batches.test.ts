import assert from 'node:assert/strict';
import { freeze } from '../../src/accounts/freeze.ts';
import { setLimits } from '../../src/accounts/limits.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { findBatch, runOf } from '../../src/batches/batch-store.ts';
import { batchAnswer, batchItemList } from '../../src/contract/batch-schemas.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { signKey } from '../support/signed-rows.ts';
import { assertRefused } from './support/api.ts';
import { bankRow as bank } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('batches of payouts', () => {
  const { api, test, flows } = useTestApi({ balance: 10_000_000 });
  let approver = '';
  let made = 0;
  before(async () => {
    const key = await api.createKey({ scopes: ['payouts:approve', 'payouts:read'], holder: 'Neema' });
    approver = key.apiKey;
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const post = (body: unknown) => api.call('POST', 'payouts/batches', { body });
  const start = (batch: { id: string; items_hash: string }, key = approver) =>
    api.call('POST', `payouts/batches/${batch.id}/start`, { body: { items_hash: batch.items_hash }, key });
  const to = (phone: string, amount = 10_000) => ({ phone_number: phone, amount, currency: 'TZS' });
  const next = () => ++made;
  const numbered = () => `B-${next()}`;
  /** a number that no other test pays */
  const phone = () => `0754${String(next()).padStart(6, '0')}`;
  const balance = async () => (await api.call('GET', 'balance')).body.balance;
  async function draft(items: object[] = [to(phone()), to(phone())], more: object = {}) {
    const answer = await post({ batch_number: numbered(), items, ...more });
    assert.equal(answer.status, 200, answer.text);
    return batchAnswer.parse(answer.body).batch;
  }

  type Wrong = { row: number; field: string; message: string };
  const placesOf = (errors: Wrong[]) => errors.map(({ row, field }) => [row, field]);
  const noRows = (answer: Parameters<typeof assertRefused>[0]) =>
    assertRefused(answer, 422, 'validation_failed', ['items']);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  it('are checked, with totals and a hash; nothing moves', async () => {
    const before = await balance();
    const batch = await draft([{ ...to(phone()), reference: 'EMP-1', metadata: { a: 1 } }, bank]);
    assert.deepEqual(
      [batch.status, batch.errors, batch.totals.items, batch.totals.amount],
      ['draft', [], 2, '410,000.00'],
    );
    assert.match(batch.items_hash, /^[0-9a-f]{64}$/);
    assert.deepEqual(await balance(), before);
    const items = batchItemList.parse((await api.call('GET', `payouts/batches/${batch.id}/items`)).body);
    assert.deepEqual(pick(items.data, 'row', 'status', 'reference', 'metadata', 'bic'), [
      [1, 'waiting', 'EMP-1', { a: 1 }, undefined],
      [2, 'waiting', undefined, {}, 'CORUTZTZ'],
    ]);
  });

  it('are not made by a key that is frozen, which still gets what was made before', async () => {
    const { apiKey, id: keyId } = await api.createKey({ scopes: ['payouts:write'] });
    const [batch_number, items] = [numbered(), [to(phone())]];
    const first = (await post({ batch_number, items })).body.batch;
    const { accountId } = api;
    await freeze(test.database, { accountId, apiKeyId: keyId, actor: 'asha', reason: 'theft' });
    const send = (body: object) => api.call('POST', 'payouts/batches', { body, key: apiKey });
    for (const wanted of [items, [{}]])
      assertRefused(await send({ batch_number: numbered(), items: wanted }), 403, 'forbidden');
    assert.deepEqual((await send({ batch_number, items })).body.batch, first);
  });

  it('have one number: the same items find the first, others are refused', async () => {
    const [batch_number, items] = [numbered(), [to(phone())]];
    const first = (await post({ batch_number, items })).body.batch;
    assert.deepEqual((await post({ batch_number, items })).body.batch, first);
    assertRefused(await post({ batch_number, items: [to(phone())] }), 409, 'batch_number_taken', [
      'batch_number',
    ]);
    // Who asks for another day must not be answered with a batch of today.
    const start_at = inDays(1);
    for (const more of [{ start_at }, { quiet: true }, { allow_twins: true }, { metadata: { a: 1 } }])
      assertRefused(await post({ batch_number, items, ...more }), 409, 'batch_number_taken');
    const later = { batch_number: numbered(), items, start_at, metadata: { a: 1, b: 2 } };
    const { id } = (await post(later)).body.batch;
    assert.equal((await post({ ...later, metadata: { b: 2, a: 1 } })).body.batch?.id, id);
    // A day later, too; its time in the past is nothing that a new one may ask for.
    const past = { ...later, start_at: new Date(Date.now() - 1_000).toISOString() };
    assertRefused(await post({ ...past, batch_number: numbered() }), 422, 'validation_failed', ['start_at']);
    assertRefused(await post(past), 409, 'batch_number_taken');
  });

  it('name every wrong row, cannot start, and are replaced under their number', async () => {
    const batch_number = numbered();
    const items = [
      to('12'),
      { ...to(phone()), amount: 1.5 },
      { ...bank, bic: 'XXXXTZTX', full_name: '' },
      { amount: 5000, currency: 'TZS' },
      7,
    ];
    const { batch } = (await post({ batch_number, items })).body;
    assert.deepEqual(placesOf(batch.errors), [
      [1, 'phone_number'],
      [2, 'amount'],
      [3, 'bic'],
      [3, 'full_name'],
      [4, 'phone_number'],
      [5, 'phone_number'],
    ]);
    assertRefused(await start(batch), 409, 'batch_state');
    const { batch: right } = (await post({ batch_number, items: [to(phone())] })).body;
    assert.deepEqual([right.id, right.errors], [batch.id, []]);
    assert.equal((await start(right)).status, 200);
  });

  it('take a row that is its place, say types by name, and refuse items beside from_failed', async () => {
    assert.deepEqual((await draft([{ ...to(phone()), row: 1 }])).errors, []);
    const items = [
      { ...to(phone()), row: 2 },
      { ...to(phone()), reference: 5 },
    ];
    const { errors } = await draft(items);
    const many = Array.from({ length: 15 }, (_, n) => [`unknown_${n}`, n]);
    const odd = Array.from({ length: 10_000 }, () => ({ ...to('12'), ...Object.fromEntries(many) }));
    assert.equal((await draft(odd)).errors.length, 1_000, 'members that nobody knows are no fault');
    assert.deepEqual(pick(errors, 'row', 'field', 'message'), [
      [1, 'row', 'must be 1, its place among the items, or be left out'],
      [2, 'reference', 'must be a JSON string, not a number'],
    ]);
    const quiet = await post({ batch_number: numbered(), items, quiet: 'yes' });
    assert.equal(quiet.body.message, 'quiet must be a JSON boolean, not a string');
    const both = { batch_number: numbered(), items, from_failed: '7b1d9f0a-2c4f-5a1c-8e6b-0d4d7f9a3c5e' };
    noRows(await post(both));
    const batch = await draft();
    assertRefused(await start({ ...batch, items_hash: 'zz' }), 409, 'items_changed');
  });

  it('show all of their errors, and a list the first of each', async () => {
    const batch = await draft(Array.from({ length: 15 }, () => to('12')));
    assert.equal(batch.errors.length, 15);
    const { data } = (await api.call('GET', 'payouts/batches?status=draft')).body;
    const [listed] = data.filter(({ id }: { id: string }) => id === batch.id);
    assert.deepEqual(listed.errors, batch.errors.slice(0, 10));
    assert.equal((await api.call('GET', `payouts/batches/${batch.id}`)).body.batch.errors.length, 15);
  });

  it('name twins, inside and outside, unless they are meant', async () => {
    const [one, two] = [phone(), phone()];
    const twice = await draft([to(one), to(two), to(one)]);
    const message = 'is paid the same amount in row 1; send allow_twins if you mean both';
    assert.deepEqual(twice.errors, [{ row: 3, field: 'phone_number', message }]);
    const first = await draft([to(one)]);
    const second = await draft([to(one)]);
    assert.deepEqual(second.errors, [], 'a draft is nobody’s twin');
    assert.equal((await start(first)).status, 200);
    assertRefused(await start(second), 409, 'duplicate_suspected');
    const third = await draft([to(one)], { allow_twins: true });
    assert.deepEqual(third.errors, []);
    assert.equal((await start(third)).status, 200);
  });

  it('are started by another holder, with what was looked at, once', async () => {
    const batch = await draft();
    for (const scope of ['payouts:approve', 'payouts:write'] as const) {
      const { apiKey } = await api.createKey({ scopes: [scope] });
      assertRefused(await start(batch, apiKey), 403, 'forbidden');
    }
    assertRefused(await start({ ...batch, items_hash: '0'.repeat(64) }), 409, 'items_changed');
    const before = await balance();
    const started = await start(batch);
    assert.equal(started.status, 200, started.text);
    assert.equal(started.body.batch.status, 'running');
    const held = 2 * 10_000 + Number(batch.totals.fees.replaceAll(',', ''));
    assert.deepEqual(await balance(), { current: before.current - held, reserved: before.reserved + held });
    assert.equal((await start(batch)).body.batch.status, 'running');
    assert.equal((await balance()).current, before.current - held, 'held once');
    const { data } = (await api.call('GET', 'statements?per_page=100')).body;
    assert.deepEqual(pick(data.slice(-2), 'type', 'reference', 'amount', 'transaction_id'), [
      ['payout', batch.batch_number, '-20,000.00', undefined],
      ['fee', batch.batch_number, `-${batch.totals.fees}`, undefined],
    ]);
  });

  const own = 'Café  Ltd ﬁnance';
  const holders: [holder: string, isTheSame: boolean][] = [
    ['cafe\u0301 ltd finance', true],
    [' CAFÉ\u00a0Ltd\tﬁnance ', true],
    ['Ｃａｆé Ltd finance', true],
    ['Cafe Ltd finance', false],
    ['CaféLtd finance', false],
  ];
  for (const [holder, isTheSame] of holders)
    it(`are ${isTheSame ? 'not ' : ''}started by “${holder}” where “${own}” made them`, async () => {
      await test.database.query('UPDATE api_keys SET holder = $2 WHERE id = $1', [api.keyId, own]);
      await signKey(test.database, api.keyId);
      const { apiKey } = await api.createKey({ scopes: ['payouts:approve'], holder });
      const answer = await start(await draft(), apiKey);
      if (isTheSame) assertRefused(answer, 403, 'forbidden');
      else assert.equal(answer.status, 200, answer.text);
    });

  it('need no other holder where the account says so', async () => {
    const batch = await draft();
    const say = (needed: boolean) => test.sql`UPDATE accounts SET batches_need_another = ${needed}`;
    await say(false);
    assert.equal((await start(batch, api.apiKey)).status, 200);
    await say(true);
  });

  it('are refused whole where the balance is short, with what is missing', async () => {
    const batch = await draft(Array.from({ length: 12 }, (_, i) => ({ ...bank, amount: 900_000 + i })));
    const before = await balance();
    const refused = await start(batch);
    assertRefused(refused, 409, 'insufficient_balance');
    assert.match(refused.body.message, /TZS are missing/);
    assert.deepEqual(await balance(), before);
    assert.equal((await api.call('GET', `payouts/batches/${batch.id}`)).body.batch.status, 'draft');
  });

  it('count whole for the limits of a day, and name rows beyond those of a payout', async () => {
    const limits = { ...noLimits, payout_max: 1_000_000, payouts_per_day: 1, new_recipient_cooloff_s: 3600 };
    const set = (given: typeof noLimits) => {
      const subject = { accountId: api.accountId, apiKeyId: api.keyId, limits: given, actor: 'test' };
      return setLimits(test.database, subject, { mayRaise: true });
    };
    await set(limits);
    const old = phone();
    const { errors } = await draft([to(old, 20_000)]);
    assert.deepEqual(pick(errors, 'field'), ['amount', 'phone_number'].slice(0, errors.length));
    await set({ ...noLimits, payouts_per_day: 1 });
    const batch = await draft();
    const before = await balance();
    assertRefused(await start(batch), 409, 'limit_exceeded');
    assert.deepEqual(await balance(), before);
    await set(noLimits);
    assert.equal((await start(batch)).status, 200);
  });

  it('are paused, resumed and cancelled, by their scopes', async () => {
    const batch = await draft();
    const act = (what: string, key = api.apiKey) =>
      api.call('POST', `payouts/batches/${batch.id}/${what}`, { key });
    const tooEarly = await act('pause');
    assertRefused(tooEarly, 409, 'batch_state');
    assert.equal(tooEarly.body.message, 'The batch is draft; this can be done only while it is running');
    await start(batch);
    for (const _ of [1, 2]) assert.equal((await act('pause')).body.batch.status, 'paused');
    const writer = (await api.createKey({ scopes: ['payouts:write'] })).apiKey;
    assertRefused(await act('resume', writer), 403, 'forbidden');
    assert.equal((await act('resume', approver)).body.batch.status, 'running');
    assert.equal((await act('cancel', writer)).body.batch.status, 'cancelled');
    const items = await api.call('GET', `payouts/batches/${batch.id}/items?status=cancelled`);
    assert.deepEqual(
      pick(batchItemList.parse(items.body).data, 'fee'),
      [undefined, undefined],
      'what is not paid has no fee',
    );
    assertRefused(await act('resume', approver), 409, 'batch_state');
    assert.deepEqual(flows.signals.filter(([id]) => id === batch.id).length > 2, true);
    const forgotten = await api.call('POST', `payouts/batches/${(await draft()).id}/cancel`);
    assert.equal(forgotten.body.batch.status, 'cancelled');
  });

  it('made from what failed name rows that were paid all the same, unless they are meant', async () => {
    const batch = await draft([to(phone()), to(phone())]);
    await start(batch);
    const run = runOf(
      (await findBatch(test.database, { ...batch, accountId: api.accountId })) ?? assert.fail(),
    );
    for (const submission of await nextSubmissions(test.database, run)) {
      await accept(test.database, submission);
      await tryToEnd(test.database, submission.transactionId, {
        kind: 'answer',
        result: failure('network_error'),
      });
      if (submission.batch?.position !== 2) continue;
      const result = succeeded(10_000, `LATE-${batch.id}`);
      await tryToEnd(test.database, submission.transactionId, { kind: 'answer', result });
    }
    const items = `payouts/batches/${batch.id}/items?format=csv`;
    const since = /failed,.*,(2\d{3}-\d\d-\d\d)T[\d:.]+\+03:00,\1$/m;
    assert.match((await api.call('GET', items)).text.replaceAll('\r', ''), since);
    assert.match((await api.call('GET', `${items}&timezone=UTC`)).text, /,2[\dT:.-]+Z,2[\d-]+\r\n/);
    await test.sql`UPDATE batches SET finished_at = now() - interval '3 days' WHERE id = ${batch.id}`;
    await test.sql`UPDATE transactions SET created_at = now() - interval '3 days'
      WHERE batch_id = ${batch.id}`;
    const again = await post({ batch_number: numbered(), from_failed: batch.id });
    assert.deepEqual(placesOf(again.body.batch.errors), [[2, 'phone_number']]);
    assert.match(again.body.batch.errors[0].message, /^was paid the same amount at /);
    const meant = await post({ batch_number: numbered(), from_failed: batch.id, allow_twins: true });
    assert.deepEqual(meant.body.batch.errors, []);
  });

  it('wait for their time, and nothing is held before', async () => {
    const before = await balance();
    const batch = await draft([to(phone())], { start_at: inDays(1) });
    assert.equal((await start(batch)).body.batch.status, 'scheduled');
    assert.deepEqual(await balance(), before);
    const late = { batch_number: numbered(), items: [to(phone())], start_at: inDays(40) };
    assertRefused(await post(late), 422, 'validation_failed', ['start_at']);
  });

  it('are another account’s as little as anything else, and listed newest first', async () => {
    const batch = await draft();
    const unknown = await api.call('GET', 'payouts/batches/7b1d9f0a-2c4f-5a1c-8e6b-0d4d7f9a3c5e');
    assertRefused(unknown, 404, 'not_found');
    const { data } = (await api.call('GET', 'payouts/batches?status=draft')).body;
    assert.equal(data[0].id, batch.id);
    const tooEarly = await post({ batch_number: numbered(), from_failed: batch.id });
    assertRefused(tooEarly, 409, 'batch_state');
    assert.match(tooEarly.body.message, /may still be paid: send this again when all of them have ended/);
    noRows(await post({ batch_number: numbered() }));
    await api.call('POST', `payouts/batches/${batch.id}/cancel`);
  });
});

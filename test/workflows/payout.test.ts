import assert from 'node:assert/strict';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';

describe('the flow of a payout (skipped time, real durations)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  beforeEach(async () => {
    ({ merchant, script, flows } = await server.open({ balance: 100_000 }));
  });

  const start = (timing?: Partial<FlowTiming>) => flows.start(merchant, mobilePayoutRequest(50_000), timing);
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');
  const sent = () => until(() => script.sent.length > 0, 'the send');

  it('takes the hold when the channel says paid', async () => {
    const id = await start();
    await sent();
    assert.deepEqual(await balance(), { current: 4_900_000, reserved: 5_100_000 });
    await flows.notify(id, succeeded(50_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'paid');
    assert.deepEqual(await balance(), { current: 4_900_000, reserved: 0 });
  });

  it('keeps the hold however long the outcome is unknown: a timeout is no failure', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [
      ...Array.from({ length: 120 }, () => ({ kind: 'unknown', detail: '504' }) as const),
      succeeded(50_000),
    ];
    const id = await start();
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(script.sent.length, 1, 'never sent blindly again');
    assert.deepEqual(await balance(), { current: 4_900_000, reserved: 0 });
  }).timeout(60_000);

  it('sends again after "not found" held, at most three times in all, then fails and gives the money back', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'not_found' }];
    const id = await start();
    assert.equal(await flows.ended(id), 'failed');
    assert.equal(script.sent.length, 3);
    assert.equal(new Set(script.sent.map((order) => order.reference)).size, 1);
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('tries what a page turned away twice more, then fails, unasked: a person looks at the connection', async () => {
    script.sends = [{ kind: 'not_sent', detail: 'a page instead of an answer: HTTP 403', refused: 'page' }];
    const id = await start();
    assert.equal(await flows.ended(id), 'failed');
    assert.deepEqual([script.sent.length, script.enquired], [3, 0]);
    const failed = await getTransaction(test.database, id);
    assert.ok(failed && 'connection' in failed);
    assert.equal(failed.failureCode, 'network_unavailable');
    const asked = (await listAttention(test.database)).map(({ subject, reason }) => `${subject} ${reason}`);
    assert.ok(asked.includes(`connection:${failed.connection} turned_away`), asked.join());
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('sends nothing again while "not found" has not held for its time', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'not_found' }, succeeded(50_000)];
    const id = await start();
    assert.equal(await flows.ended(id), 'paid');
    assert.deepEqual([script.sent.length, script.enquired], [1, 2]);
  });

  it('asks about an unclear send after a short pause, not at once and not as late as about one that was taken', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }];
    const id = await start({ unclearEnquiryMs: 2 * 3_600_000, firstEnquiryMs: 100 * 3_600_000 });
    await sent();
    await server.environment.sleep('1h');
    assert.equal(script.enquired, 0);
    await server.environment.sleep('2h');
    assert.ok(script.enquired > 0);
    script.enquiries = [succeeded(50_000)];
    assert.equal(await flows.ended(id), 'paid');
  });

  it('asks once an hour, and books it once, where the channel moved another amount', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [succeeded(40_000)];
    const id = await start();
    await sent();
    await server.environment.sleep('5h');
    assert.ok(script.enquired >= 4 && script.enquired <= 7, `${script.enquired} enquiries`);
    assert.deepEqual(await test.sql`SELECT amount FROM suspense_items WHERE transaction_id = ${id}`, [
      { amount: -4_000_000 },
    ]);
    script.enquiries = [succeeded(50_000, 'RECEIPT2')];
    assert.equal(await flows.ended(id), 'paid');
  });

  it('goes on when its workflow is cancelled after the hand-over', async () => {
    const id = await start();
    await sent();
    await flows.handle(id).cancel();
    await flows.notify(id, succeeded(50_000), `cancelled-${id}`);
    assert.equal(await flows.ended(id), 'paid');
  });

  it('ends at once, with the stored refusal, when the balance does not cover it', async () => {
    const submission = submissionFor(merchant, mobilePayoutRequest(300_000));
    const { answer, mine } = await flows.submit(submission);
    assert.equal(mine, false);
    assert.match(answer.body, /insufficient_balance/);
    assert.equal(await flows.ended(submission.transactionId), 'refused');
    assert.equal(script.sent.length, 0);
  });

  // Before its send is answered, a hint says nothing that the answer will not say.
  const isAnswered = async (id: string) => (await sendHistory(test.database, id)).answered;
  const isPausing = async (id: string) => {
    const { events } = await flows.handle(id).fetchHistory();
    return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
  };
  for (const [what, send, isWaiting] of [
    ['a send that it took', { kind: 'accepted', channelReference: null }, isAnswered],
    ['an unclear send', { kind: 'unknown', detail: 'timeout' }, isPausing],
  ] as const)
    it(`asks the channel at once when an unproven notification hints at news of ${what}`, async () => {
      script.sends = [send];
      const id = await start({ unclearEnquiryMs: 3_600_000 });
      await until(() => isWaiting(id), 'the wait');
      script.enquiries = [succeeded(50_000)];
      await flows.handle(id).signal('channelResult', 'hint');
      await until(
        async () => (await getTransaction(test.database, id))?.status === 'paid',
        'the enquiry settles it, although its time had not come',
      );
      assert.equal(await flows.ended(id), 'paid');
    });
});

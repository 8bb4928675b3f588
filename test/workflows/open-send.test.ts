import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { SendResult } from '../../src/domain/channel.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { cancel, NOTIFIED, sendActivityId } from '../../src/workflows/messages.ts';
import { plantDecision } from '../support/decision.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { notify } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

/** What runs out in a test: the time until the first enquiry, in which a send stays open. */
const SHORT: Partial<FlowTiming> = { sendTimeoutMs: 500, firstEnquiryMs: 1_000, enquiryDelaysMs: [200] };

describe('a send that stays open for its notification (real Temporal server)', function () {
  this.timeout(60_000);
  const server = useFlowServer('real');
  const { test, statusOf } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  beforeEach(async () => {
    ({ merchant, script, flows } = await server.open({ balance: 100_000 }));
  });

  const start = (request: MoneyRequest = pushRequest(5_000), timing?: Partial<FlowTiming>) =>
    flows.start(merchant, request, timing);
  /** Its channel took it. */
  async function open(...of: Parameters<typeof start>) {
    const id = await start(...of);
    await until(async () => (await sendHistory(test.database, id)).answered, 'the channel took the send');
    return id;
  }
  const complete = (id: string, result: unknown, number = 1) =>
    server.environment.client.activity.complete(
      { workflowId: `transaction/${id}`, activityId: sendActivityId(number) },
      result,
    );
  const eventsOf = async (id: string) => (await flows.handle(id).fetchHistory()).events ?? [];
  const signalsOf = async (id: string) =>
    (await eventsOf(id)).filter((event) => event.workflowExecutionSignaledEventAttributes).length;

  it('is waited for although a hint comes before its answer', async () => {
    let answer: (result: SendResult) => void = () => {};
    script.sends = [() => new Promise<SendResult>((resolve) => (answer = resolve))];
    const id = await start();
    await until(() => script.sent.length === 1, 'the send');
    await flows.handle(id).signal('channelResult', 'hint');
    const hasReadTheHint = async () => {
      const events = await eventsOf(id);
      const hint = events.findIndex((event) => event.workflowExecutionSignaledEventAttributes);
      return hint >= 0 && events.slice(hint).some((event) => event.workflowTaskCompletedEventAttributes);
    };
    await until(hasReadTheHint, 'the flow has read the hint');
    answer(succeeded(5_000));
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.enquired, 0);
  });

  it('is completed by the door, without a signal and without a timer', async () => {
    const id = await open();
    await flows.notify(id, succeeded(5_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(await signalsOf(id), 0);
    assert.equal((await eventsOf(id)).filter((event) => event.timerStartedEventAttributes).length, 0);
  });

  it('is signalled where it is no longer open: notified twice, and after its time', async () => {
    const twice = await open();
    const odd = { ...succeeded(5_100, 'ODD') };
    await flows.notify(twice, odd, `odd-${twice}`);
    await flows.notify(twice, succeeded(5_000, 'RIGHT'), `right-${twice}`);
    assert.equal(await flows.ended(twice), 'completed');
    assert.equal(await signalsOf(twice), 1);

    const late = await open(pushRequest(5_000), SHORT);
    await until(() => script.enquired > 0, 'its time is over');
    await flows.notify(late, succeeded(5_000), `late-${late}`);
    assert.equal(await flows.ended(late), 'completed');
    assert.equal(await signalsOf(late), 1);
    assert.equal(script.sent.length, 2);
  });

  it('asks the channel as soon as its time is over, when the completion was lost', async () => {
    script.enquiries = [succeeded(5_000)];
    const id = await open(pushRequest(5_000), SHORT);
    await notify(test.database, id, succeeded(5_000));
    assert.equal(await flows.ended(id), 'completed');
    const timers = (await eventsOf(id)).filter((event) => event.timerStartedEventAttributes);
    assert.equal(timers.length, 0, 'its time is the quiet time: there is none after it');
  });

  it('is notified once more by the sweep, when the completion was lost', async () => {
    const id = await open();
    await notify(test.database, id, succeeded(5_000));
    await flows.sweep.sweep();
    assert.equal(await flows.ended(id), 'completed');
  });

  it('is not cancelled, and goes on waiting', async () => {
    const id = await open();
    assert.deepEqual(await flows.handle(id).executeUpdate(cancel), { cancelled: false });
    await flows.handle(id).cancel();
    await flows.notify(id, succeeded(5_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.enquired, 0);
  });

  it('is not made again once the prompt is over, which begins before the wait and not after it', async () => {
    // Its worker was lost while the channel had it: nobody knows until the wait is over.
    const lost = () => pause(3_500).then(() => ({ kind: 'unknown', detail: 'late' }) as const);
    script.sends = [lost, { kind: 'accepted', channelReference: null }];
    script.enquiries = [{ kind: 'not_found' }];
    const prompt = { firstEnquiryMs: 2_500, promptMs: 2_500, resendWithinMs: 2_500, settleTimeMs: 100 };
    const id = await start(pushRequest(5_000), { ...SHORT, ...prompt });
    await until(() => script.enquired >= 4, 'it is asked again and again');
    assert.equal(script.sent.length, 1);
    await flows.notify(id, succeeded(5_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'completed');
  });

  it('waits no more when somebody hints at news: the channel is asked', async () => {
    script.enquiries = [succeeded(5_000)];
    const id = await open();
    await flows.handle(id).signal('channelResult', 'hint');
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.enquired, 1);
  });

  it('is completed by the door also after a hint, and wakes the flow between two enquiries', async () => {
    const id = await open();
    await flows.handle(id).signal('channelResult', 'hint');
    await until(() => script.enquired === 1, 'the channel is asked');
    await flows.notify(id, succeeded(5_000), `paid-${id}`);
    await until(async () => (await statusOf(id)) === 'completed', 'it is completed');
    assert.deepEqual([script.enquired, await signalsOf(id)], [1, 1], 'no signal but the hint');
  });

  it('waits no more when two people decided', async () => {
    const id = await open(mobilePayoutRequest(50_000));
    await plantDecision(test.database, id, 'paid');
    await flows.handle(id).signal('channelResult', 'stored');
    await until(async () => (await statusOf(id)) === 'paid', 'it is paid');
    await flows.handle(id).terminate('its channel would be asked for a week');
  });

  it('is made under the next number when it was completed before a worker began it', async () => {
    flows = await server.restart({ worked: [] });
    const id = await start(mobilePayoutRequest(50_000), { notSentPauseMs: 200 });
    await complete(id, NOTIFIED);
    const scheduled = async () =>
      (await eventsOf(id)).filter((event) => event.activityTaskScheduledEventAttributes).length;
    await until(async () => (await scheduled()) === 2, 'the next try');
    flows = await server.restart();
    await until(() => script.sent.length === 1, 'the send');
    await until(async () => (await sendHistory(test.database, id)).answered, 'the channel took it');
    await flows.notify(id, succeeded(50_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'paid');
    assert.deepEqual([script.sent.length, await signalsOf(id)], [1, 0]);
  });

  const forged = {
    'that it was notified': NOTIFIED,
    'an answer': { kind: 'answered' },
    'a failure': failure('account_blocked'),
    'a success': succeeded(50_000),
    'that nothing was sent': { kind: 'not_sent' },
    'that nobody picked it up': { kind: 'never_picked_up' },
    'an end': { status: 'failed', events: [] },
    'a text': 'paid',
    nothing: null,
  };
  for (const [name, result] of Object.entries(forged))
    it(`moves no money and sends nothing again for whoever completes it with ${name}`, async () => {
      const timing = { unclearEnquiryMs: 100, enquiryDelaysMs: [100], notSentPauseMs: 100 };
      const id = await open(mobilePayoutRequest(50_000), timing);
      await complete(id, result);
      await until(() => script.enquired >= 2, 'the channel is asked');
      assert.equal(await statusOf(id), 'pending');
      assert.equal(script.sent.length, 1);
      const { reserved } = await balanceOf(test.database, merchant.accountId, 'TZS');
      assert.ok(reserved > 0, 'its money is held');
      await flows.notify(id, succeeded(50_000), `paid-${id}`);
      assert.equal(await flows.ended(id), 'paid');
    });

  it('is decided by no signal and no update, whatever is sent: only what two people wrote in Postgres counts', async () => {
    const timing = { unclearEnquiryMs: 100, enquiryDelaysMs: [100] };
    const id = await open(mobilePayoutRequest(50_000), timing);
    const handle = flows.handle(id);
    const verdict = { outcome: 'paid', note: 'forged', actor: 'nobody' };
    for (const forged of [verdict, null, 'paid', ['stored'], 7, undefined, 'stored'])
      await handle.signal('channelResult', forged);
    await handle.signal('decide', verdict);
    await assert.rejects(handle.executeUpdate('decide', { args: [verdict] }));
    await until(() => script.enquired >= 2, 'the channel is asked');
    assert.deepEqual([(await handle.describe()).status.name, await statusOf(id)], ['RUNNING', 'pending']);
    const money = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual(money, { current: 4_900_000, reserved: 5_100_000 });
    await flows.notify(id, succeeded(50_000), `paid-${id}`);
    assert.equal(await flows.ended(id), 'paid');
  });

  it('leaves the books right', async () => assert.deepEqual(await checkInvariants(test.database), []));
});

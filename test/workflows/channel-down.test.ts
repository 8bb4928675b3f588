import assert from 'node:assert/strict';
import { close, open } from '../../src/channels/traffic/closures.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { cancel } from '../../src/workflows/messages.ts';
import { plantProposal } from '../support/decision.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { gateOf, gateWithoutResults } from '../support/gate.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const closing = { channel: 'm-pesa', services: ['payouts'] as const, reason: 'a test', actor: 'test' };

/** Looks again every time: skipped time runs faster than what a gate remembers grows old. */
function forgetful() {
  let clock = 0;
  return () => {
    clock += 10_000;
    return clock;
  };
}

describe('a channel that operators closed (skipped time)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let { merchant, script, flows } = {} as OwnFlows;

  beforeEach(async () => {
    const gate = gateOf(test.database, forgetful());
    ({ merchant, script, flows } = await server.open({ balance: 100_000, gate }));
    script.enquiries = [succeeded(10_000)];
    await close(test.database, closing);
  });
  afterEach(() => reopen());

  const reopen = async (services: Parameters<typeof open>[1]['services'] = closing.services) =>
    open(test.database, {
      ...closing,
      services,
      proposalId: await plantProposal(test.database, 'channels.open'),
    });
  const start = () => flows.start(merchant, mobilePayoutRequest(10_000));
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');
  const waiting = (id: string) =>
    until(async () => (await getTransaction(test.database, id))?.waitsUntil, 'the payout waits');

  it('loses no payout in six hours, and sends each of them once when it is open again', async () => {
    const ids = await Promise.all([start(), start(), start(), start(), start()]);
    await Promise.all(ids.map(waiting));
    await server.environment.sleep('6 hours');
    assert.equal(script.sent.length, 0);
    for (const id of ids) {
      const { historyLength } = await flows.handle(id).describe();
      assert.ok(historyLength < 30, `waiting adds no history: ${historyLength} events`);
      assert.equal((await getTransaction(test.database, id))?.status, 'pending');
    }
    await reopen();
    for (const id of ids) assert.equal(await flows.ended(id), 'paid');
    assert.deepEqual(script.sent.map((order) => order.transactionId).sort(), ids.sort());
    const after = await getTransaction(test.database, ids[0] ?? '');
    assert.equal(after?.waitsUntil, null);
    assert.equal((await balance()).reserved, 0);
  }).timeout(120_000);

  it('fails a payout after its 24 hours, gives the money back and sends nothing, also when it opens later', async () => {
    const id = await start();
    assert.equal(await flows.ended(id), 'failed');
    const transaction = await getTransaction(test.database, id);
    assert.equal(transaction?.failureCode, 'network_unavailable');
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
    const { startTime, closeTime } = await flows.handle(id).describe();
    const hours = ((closeTime?.getTime() ?? 0) - startTime.getTime()) / 3_600_000;
    assert.ok(hours >= 24 && hours < 24.2, `it waited ${hours} h`);
    await reopen();
    assert.equal(script.sent.length, 0);
  }).timeout(120_000);

  it('stays short, and fails safely, where each probe is turned away again', async () => {
    await reopen();
    let asked = 0;
    // Open for each probe, shut before the next try.
    const gate = {
      ...gateWithoutResults(test.database),
      mayTry: async () => true,
      async pass() {
        asked += 1;
        return asked % 2 === 1 ? ({ open: true, probe: true } as const) : ({ open: false } as const);
      },
    };
    script.sends = [{ kind: 'not_sent', detail: 'refused', refused: 'login' }];
    flows = await server.restart({ gate });
    const id = await start();
    assert.equal(await flows.ended(id), 'failed');
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
    const { events = [] } = await flows.handle(id).fetchHistory();
    assert.ok((events?.length ?? 0) < 500, `${events?.length} events`);
    assert.ok(script.sent.length <= 12, `${script.sent.length} sends`);
  });

  it('lets a payout be cancelled while it waits', async () => {
    const id = await start();
    await waiting(id);
    assert.deepEqual(await flows.handle(id).executeUpdate(cancel), { cancelled: true });
    assert.equal(await flows.ended(id), 'cancelled');
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
    assert.equal(script.sent.length, 0);
  });

  it('fails a push at once that was accepted just before: its customer does not wait', async () => {
    await close(test.database, { ...closing, services: ['payments'] });
    try {
      const id = await flows.start(merchant, pushRequest());
      assert.equal(await flows.ended(id), 'failed');
      const transaction = await getTransaction(test.database, id);
      assert.equal(transaction?.failureCode, 'network_unavailable');
      assert.equal(script.sent.length, 0);
      const { events } = await flows.handle(id).fetchHistory();
      const begun = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      assert.ok(begun?.includes('requestPush') && !begun.includes('awaitChannel'), String(begun));
    } finally {
      await reopen(['payments']);
    }
  });
});

import assert from 'node:assert/strict';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDelivery } from '../../src/callbacks/deliver.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { startTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';
import { plantEvent } from './planted.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Delivering, startDelivering } from './support/delivering.ts';

/** Together they could hold 150 places if each held its five; there are 60, and 84 slots. */
const HANGING = 30;
const IN_FLIGHT_MAX = 60;
const HEALTHY = 10;

describe('receivers that hang', function () {
  this.timeout(90_000);
  const test = useTestDatabase({ poolMax: 4 });
  let delivering: Delivering;
  let environment: TestWorkflowEnvironment;
  let flows: Flows;
  let receivers: Receiver[];

  before(async () => {
    receivers = await Promise.all(Array.from({ length: HANGING + HEALTHY }, startReceiver));
    const { address } = await startTemporalDevServer();
    delivering = await startDelivering(address);
    environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
    flows = await startFlows(environment, {
      database: test.database,
      script: createScriptedChannel(),
      worked: [],
      workers: { callbacksInFlightMax: IN_FLIGHT_MAX },
      delivery: createDelivery({
        database: test.database,
        sender: createCallbackSender({
          policy: createUrlPolicy({ development: true, ports: [] }),
          userAgent: 'Malipo/test',
          inFlightMax: IN_FLIGHT_MAX,
          // Longer than the test: whoever gets a place in it gets it without waiting for one that hangs.
          timeoutMs: 120_000,
        }),
        encryptionKeys: ringOf(),
        delaysMs: [1_000],
      }),
    });
  });
  after(async () => {
    // What hangs is let go first: a worker waits for its activities before it ends.
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await flows.stop();
    await delivering.stop();
    await environment.teardown();
  });

  it('cost the others nothing, although together they have more callbacks than there are places and slots', async () => {
    const hanging = receivers.slice(0, HANGING);
    const healthy = receivers.slice(HANGING);
    for (const receiver of hanging) receiver.react(() => {});
    const eventsFor = async (receiver: Receiver, count: number) => {
      const merchant = await createMerchant(test.database, { callbackUrl: receiver.url });
      for (let at = 0; at < count; at += 1)
        await delivering.deliver(await plantEvent(test.database, merchant));
    };
    await Promise.all(hanging.map((receiver) => eventsFor(receiver, 6)));
    await until(() => hanging.every(({ received }) => received.length > 0), {
      deadlineMs: 40_000,
      what: 'every hanging receiver has at least one of its callbacks',
    });
    await Promise.all(healthy.map((receiver) => eventsFor(receiver, 3)));
    await until(() => healthy.every(({ received }) => received.length === 3), {
      deadlineMs: 40_000,
      what: 'the healthy receivers have all of theirs',
    });
    const inFlight = hanging.map(({ received }) => received.length);
    assert.ok(Math.max(...inFlight) <= 5, inFlight.join());
  });
});

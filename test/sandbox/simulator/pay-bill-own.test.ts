import assert from 'node:assert/strict';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { networks } from '../../../src/domain/network.ts';
import { billCredentialsOf, HALOPESA_KEY } from '../../api/support/bill-networks.ts';
import { makeBill, mistyped, statusOf } from '../../api/support/bills.ts';
import { useTestApi } from '../../api/support/use-api.ts';
import { pick } from '../../support/pick.ts';
import { openSimulator } from '../../support/simulator.ts';

/** Bills in the networks' own forms; everything that has no form is in pay-bill.test.ts. */
describe('customers of the simulator who pay in a form of their network', () => {
  const { api, restart } = useTestApi({ poolMax: 10 });
  let simulator: Simulator;
  const credentials = Object.fromEntries(networks.map(({ id }) => [id, billCredentialsOf(id)]));

  async function start() {
    simulator = await openSimulator({
      halopesaBillSecret: HALOPESA_KEY,
      gateway: { url: `http://127.0.0.1:${api.port}`, tokens: {}, credentials, timeoutMs: 2_000 },
      payBillWaitMs: 1_000,
    });
  }
  beforeEach(start);
  afterEach(() => simulator.close());

  async function pay(number: string, more: object) {
    const answer = await fetch(`${simulator.url}/customer/pay-bill`, {
      method: 'POST',
      body: JSON.stringify({ control_number: number, amount: 25_000, ...more }),
    });
    return { status: answer.status, ...((await answer.json()) as { accepted: boolean; message: string }) };
  }

  for (const [protocol, phone] of [
    ['mixx-w2a', '0654123456'],
    ['halopesa-soap', '0624123456'],
  ] as const) {
    const customer = { protocol, phone_number: phone };

    it(`pay once per receipt (${protocol})`, async () => {
      const { id, number } = await makeBill(api);
      const receipt = `R-${protocol}`;
      assert.equal((await pay(number, { ...customer, receipt })).accepted, true);
      assert.equal((await pay(number, { ...customer, receipt })).accepted, true);
      assert.equal(await statusOf(api, id), 'completed');
      assert.deepEqual(pick(simulator.book.movements(number), 'amount'), [25_000]);
    });

    it(`keep their money when the bill is not theirs to pay (${protocol})`, async () => {
      const { id, number } = await makeBill(api);
      assert.equal((await pay(mistyped(number), customer)).accepted, false);
      assert.equal((await pay(number, { ...customer, amount: 24_000 })).accepted, false);
      assert.equal(await statusOf(api, id), 'pending');
      assert.deepEqual(simulator.book.movements(), []);
    });

    it(`wait while the service does not know their network (${protocol})`, async () => {
      const { number } = await makeBill(api);
      await restart({ billCredentials: [] });
      await simulator.close();
      await start();
      const waiting = await pay(number, { ...customer, step: 'notify' });
      assert.deepEqual([waiting.status, waiting.accepted], [202, false]);
      await restart();
    });
  }
});

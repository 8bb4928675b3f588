import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { RESULT_PATH } from '../../../sandbox/simulator/mpesa-broker/bill.ts';
import { createResultActivities } from '../../../src/activities/results.ts';
import { createMpesaBrokerDoors } from '../../../src/channels/mpesa-broker/bill-door.ts';
import { mpesaBrokerSettings } from '../../../src/channels/mpesa-broker/settings.ts';
import { type BrokerPayment, spPasswordOf, timestampOf } from '../../../src/channels/mpesa-broker/wire.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';
import { billConnectionOf } from '../support/bill-networks.ts';
import { useTestApi } from '../support/use-api.ts';

const SP_ID = '888000';
export const PASSWORD = 'the password of this test';

type Line = { level: string; message: string } & Record<string, unknown>;

/** The door of the broker in an API, and the simulator's broker that asks it; each test opens its own simulator. */
export function useBroker() {
  const settings = mpesaBrokerSettings.parse({
    spId: SP_ID,
    password: PASSWORD,
    resultUrl: 'http://127.0.0.1:1/',
    initiator: 'malipo',
  });
  const lines: Line[] = [];
  const note = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, ...facts });
  };
  const bills = createMpesaBrokerDoors({
    settings,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  });
  const billConnections = [billConnectionOf('m-pesa', bills)];
  const { api, test, restart } = useTestApi({
    poolMax: 10,
    billConnections,
    // In place of the workflow: its activity, tried again as Temporal does.
    flows: (database) => ({
      report: async (id) => {
        const { postResult } = createResultActivities({ database, billConnections });
        for (let tries = 0; tries < 20; tries += 1) if (await postResult(id).catch(() => false)) return;
      },
    }),
  });
  let simulator: Simulator;
  let receipts = 0;

  async function open(losesResults = 0): Promise<void> {
    simulator = await openSimulator({
      gateway: { url: `http://127.0.0.1:${api.port}`, tokens: {} },
      mpesaBroker: { spId: SP_ID, password: PASSWORD, resultMs: 1_500, losesResults },
      payBillWaitMs: 15_000,
    });
    settings.resultUrl = `${simulator.url}${RESULT_PATH}`;
  }
  afterEach(() => simulator?.close());

  async function payBill(number: string, amount: number, receipt?: string) {
    const answer = await fetch(`${simulator.url}/customer/pay-bill`, {
      method: 'POST',
      body: JSON.stringify({
        control_number: number,
        amount,
        phone_number: '0754123456',
        protocol: 'mpesa-broker',
        ...(receipt === undefined ? {} : { receipt }),
      }),
    });
    return (await answer.json()) as { accepted: boolean; message: string; receipt: string };
  }

  function paymentOf(number: string, changes: Partial<BrokerPayment> = {}, clockOffMs = 0): BrokerPayment {
    receipts += 1;
    const timestamp = changes.timestamp ?? timestampOf(new Date(Date.now() + clockOffMs));
    return {
      spId: SP_ID,
      spPassword: spPasswordOf({ spId: SP_ID, password: PASSWORD, timestamp }),
      timestamp,
      amount: '25000.0',
      commandId: 'Pay Bill',
      initiator: '+255754123456',
      originatorConversationId: `OC-${receipts}`,
      recipient: SP_ID,
      mpesaReceipt: `MP-${receipts}`,
      transactionDate: '2026-01-08 12:00:00',
      accountReference: number,
      transactionId: `T-${receipts}`,
      conversationId: `C-${receipts}`,
      ...changes,
    };
  }

  const send = (raw: string) =>
    api.call('POST', '/channels/mpesa-broker', { key: null, raw, headers: { 'content-type': 'text/xml' } });
  const noted = (receipt: string) => lines.filter((line) => line.receipt === receipt);
  const reportOf = (receipt: string) =>
    until(() => noted(receipt).find(({ level }) => level !== 'warn'), 'a report');

  return {
    api,
    test,
    restart,
    settings,
    billConnections,
    open,
    payBill,
    paymentOf,
    send,
    noted,
    reportOf,
    simulator: () => simulator,
  };
}

import assert from 'node:assert/strict';
import { createBillService } from '../../../src/api/doors/bills.ts';
import type { DoorContext } from '../../../src/api/http/app.ts';
import { networkById } from '../../../src/domain/network.ts';
import { createLog } from '../../../src/process/log.ts';
import { listAttention } from '../../../src/transactions/attention.ts';
import { paymentOf } from '../../support/bill-customer.ts';
import { openBillDesk } from '../../support/bill-desk.ts';
import { until } from '../../support/wait.ts';

describe('a payment that the database refuses to store', () => {
  const desk = openBillDesk();

  for (const refusalReturnsMoney of [true, false])
    it(`calls ${refusalReturnsMoney ? 'nobody, where the customer gets the money back' : 'a person, where the network keeps the money'}`, async () => {
      const { number } = await desk.bill();
      const flows = { signal: async () => {} };
      const failures = { addressOf: () => '', countFailure: async () => {} };
      const billsOf = createBillService({ database: desk.database, flows, proofs: [], failures });
      const network = networkById('m-pesa');
      assert.ok(network);
      const receipt = `A\u0000${number}`;
      const { channel: _, refusalReturnsMoney: __, ...payment } = paymentOf(number, 25_000, { receipt });
      const attempt = {
        ...payment,
        network: { ...network, bill: { ...network.bill, refusalReturnsMoney } },
      };
      const context = { state: { log: createLog({ level: 'silent', name: 'test' }) } } as DoorContext;
      await assert.rejects(billsOf(context).receive(attempt));
      const subjects = async () => (await listAttention(desk.database)).map((entry) => entry.subject);
      if (refusalReturnsMoney) assert.deepEqual(await subjects(), []);
      else
        await until(async () => (await subjects()).includes(`m-pesa:A${number}`), {
          deadlineMs: 5_000,
          what: 'a person is called',
        });
    });
});

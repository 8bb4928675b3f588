import assert from 'node:assert/strict';
import { findSender } from '../../../src/api/doors/bill-senders.ts';
import { createBillService } from '../../../src/api/doors/bills.ts';
import { createBillJsonDoors } from '../../../src/channels/bill-json/door.ts';
import type { DoorCall } from '../../../src/channels/kit/door.ts';
import type { BillConnection } from '../../../src/channels/kit/registry.ts';
import { networkById } from '../../../src/domain/network.ts';
import { createLog, type Log } from '../../../src/platform/process/log.ts';
import { paymentOf } from '../../support/bill-customer.ts';
import { openBillDesk } from '../../support/bill-desk.ts';
import type { Database } from '../../support/queryable.ts';
import { listAttention } from '../../support/unexplained.ts';
import { until } from '../../support/wait.ts';
import { billConnectionOf } from '../support/bill-networks.ts';

describe('whose token it is', () => {
  const failed: string[] = [];
  const operators = { 'm-pesa': 'MPESA-TZ', 't-pesa': 'TTCLMOBILE' };
  const connections: BillConnection[] = [
    billConnectionOf('m-pesa', createBillJsonDoors({ tokens: ['own'] }), 'a'),
    {
      ...billConnectionOf('m-pesa', createBillJsonDoors({ tokens: ['aggregator'], operators }), 'b'),
      networks: Object.entries(operators).map(([id, operator]) => ({ id, operator })),
    },
  ];
  const billsOf = createBillService({
    database: {} as Database,
    flows: { signal: async () => true, beginPayment: async () => true, report: async () => {} },
  });
  const networkOf = async (token: string, operatorOf?: () => Promise<string | null>) => {
    const call = { header: () => `Bearer ${token}` } as unknown as DoorCall;
    const sender = findSender(connections, { call, address: 'address' }, async () => {
      failed.push('address');
    });
    return (await billsOf(sender, {} as Log).networkOf(operatorOf)).id;
  };

  it('is its network’s, whatever the message says', async () => {
    assert.equal(await networkOf('own'), 'm-pesa');
    assert.equal(await networkOf('own', async () => 'TTCLMOBILE'), 'm-pesa');
  });

  it('is an aggregator’s for the operator that the message names, and for no other', async () => {
    assert.equal(await networkOf('aggregator', async () => ' ttclmobile '), 't-pesa');
    assert.equal(await networkOf('aggregator', async () => 'MPESA-TZ'), 'm-pesa');
    for (const operator of ['AIRTELMONEY', '', null])
      await assert.rejects(
        networkOf('aggregator', async () => operator),
        /operator must be one of those/,
      );
    await assert.rejects(networkOf('aggregator'), /operator must be one of those/);
    assert.deepEqual(failed, []);
  });

  it('is nobody’s where nobody knows it, and nothing of the message is read', async () => {
    let asked = false;
    const operatorOf = async () => {
      asked = true;
      return 'MPESA-TZ';
    };
    await assert.rejects(networkOf('wrong', operatorOf), /not accepted/);
    assert.deepEqual([failed, asked], [['address'], false]);
  });
});

describe('a payment that the database refuses to store', () => {
  const desk = openBillDesk();

  for (const refusalReturnsMoney of [true, false])
    it(`calls ${refusalReturnsMoney ? 'nobody, where the customer gets the money back' : 'a person, where the network keeps the money'}`, async () => {
      const { number } = await desk.bill();
      const flows = { signal: async () => true, beginPayment: async () => true, report: async () => {} };
      const billsOf = createBillService({ database: desk.database, flows });
      const sender = billConnectionOf('m-pesa', createBillJsonDoors({ tokens: ['own'] }), 'test');
      const network = networkById('m-pesa');
      assert.ok(network);
      const receipt = `A\u0000${number}`;
      const {
        channel: _,
        connection: __,
        refusalReturnsMoney: ___,
        ...payment
      } = paymentOf(number, 25_000, { receipt });
      const attempt = { ...payment, network: { ...network, bill: { ...network.bill, refusalReturnsMoney } } };
      const bills = billsOf(Promise.resolve(sender), createLog({ level: 'silent', name: 'test' }));
      await assert.rejects(bills.receive(attempt));
      const subjects = async () => (await listAttention(desk.database)).map((entry) => entry.subject);
      if (refusalReturnsMoney) assert.deepEqual(await subjects(), []);
      else await until(async () => (await subjects()).includes(`test:A${number}`), 'a person is called');
    });
});

import assert from 'node:assert/strict';
import { createBillService } from '../../../src/api/doors/bills.ts';
import type { DoorContext } from '../../../src/api/http/app.ts';
import type { Database } from '../../../src/db/pool.ts';
import { networkById } from '../../../src/domain/network.ts';
import { createLog } from '../../../src/process/log.ts';
import { paymentOf } from '../../support/bill-customer.ts';
import { openBillDesk } from '../../support/bill-desk.ts';
import { listAttention } from '../../support/unexplained.ts';
import { until } from '../../support/wait.ts';

describe('whose token it is', () => {
  const failed: string[] = [];
  const everywhere = { connection: 'a', allows: () => true };
  const billsOf = createBillService({
    database: {} as Database,
    flows: { signal: async () => true },
    proofs: [
      { ...everywhere, network: 'm-pesa', token: 'own' },
      { ...everywhere, network: 'm-pesa', token: 'aggregator', operator: 'MPESA-TZ' },
      { ...everywhere, network: 't-pesa', token: 'aggregator', operator: 'TTCLMOBILE' },
    ],
    failures: {
      addressOf: () => 'address',
      countFailure: async (address) => {
        failed.push(address);
      },
      isLimited: () => false,
    },
  });
  const networkOf = async (token: string, operatorOf?: () => Promise<string | null>) => {
    const context = { get: () => `Bearer ${token}`, req: {}, state: {} } as unknown as DoorContext;
    const message = operatorOf ? { operatorOf } : {};
    return (await billsOf(context, () => new Date()).networkOfToken(message)).id;
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
    assert.deepEqual(failed, []);
  });

  it('is nobody’s where messages name no operator, or where nobody knows it', async () => {
    await assert.rejects(networkOf('aggregator'), /not accepted/);
    let asked = false;
    const operatorOf = async () => {
      asked = true;
      return 'MPESA-TZ';
    };
    await assert.rejects(networkOf('wrong', operatorOf), /not accepted/);
    assert.deepEqual([failed, asked], [['address', 'address'], false]);
  });
});

describe('a payment that the database refuses to store', () => {
  const desk = openBillDesk();

  for (const refusalReturnsMoney of [true, false])
    it(`calls ${refusalReturnsMoney ? 'nobody, where the customer gets the money back' : 'a person, where the network keeps the money'}`, async () => {
      const { number } = await desk.bill();
      const flows = { signal: async () => true };
      const failures = { addressOf: () => '', countFailure: async () => {}, isLimited: () => false };
      const credentials = { username: 'network', password: 'p'.repeat(24) };
      const proof = { ...credentials, network: 'm-pesa', connection: 'test', allows: () => true };
      const billsOf = createBillService({ database: desk.database, flows, proofs: [proof], failures });
      const network = networkById('m-pesa');
      assert.ok(network);
      const receipt = `A\u0000${number}`;
      const {
        channel: _,
        connection: __,
        refusalReturnsMoney: ___,
        ...payment
      } = paymentOf(number, 25_000, { receipt });
      const attempt = {
        ...payment,
        network: { ...network, bill: { ...network.bill, refusalReturnsMoney } },
      };
      const context = { state: { log: createLog({ level: 'silent', name: 'test' }) } } as DoorContext;
      const bills = billsOf(context, () => new Date());
      await bills.networkOf(credentials);
      await assert.rejects(bills.receive(attempt));
      const subjects = async () => (await listAttention(desk.database)).map((entry) => entry.subject);
      if (refusalReturnsMoney) assert.deepEqual(await subjects(), []);
      else
        await until(async () => (await subjects()).includes(`m-pesa:A${number}`), {
          deadlineMs: 5_000,
          what: 'a person is called',
        });
    });
});

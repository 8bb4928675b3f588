import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Succeeded } from '../../src/domain/channel.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf, suspenseOf } from '../support/unexplained.ts';

const SHILLINGS = 5_000;

describe('a success of a transaction that has ended', () => {
  const test = useTestDatabase({ each: true });

  const success = (channelReference: string | null, shillings = SHILLINGS): Succeeded =>
    succeeded(shillings, channelReference);

  async function completed(receipt: string | null): Promise<string> {
    const { id } = await handedOver(test.database, pushRequest(SHILLINGS), { balance: 0 });
    const { status } = await tryToEnd(test.database, id, { kind: 'answer', result: success(receipt) });
    assert.equal(status, 'completed');
    return id;
  }

  /** What takeLateSuccess says, and what it did: each movement in suspense, in shillings, and what a person is shown. */
  async function take(id: string, report: Succeeded) {
    const transaction = await getTransaction(test.database, id);
    assert.ok(transaction);
    const taken = await inTransaction(test.database, (db) => takeLateSuccess(db, transaction, report));
    const suspended = (await suspenseOf(test.database, id)).map(([amount]) => amount / 100);
    return { taken, suspended, shown: await attentionOf(test.database, id) };
  }
  const nothing = { taken: false, suspended: [], shown: [] };

  for (const [what, known, reported] of [
    ['with the receipt that ended it', 'R1', 'R1'],
    ['without a receipt', 'R1', null],
    ['with a receipt, where it ended without one', null, 'R1'],
    ['without a receipt, where it ended without one', null, null],
  ] as const)
    it(`is that one reported again: ${what}`, async () => {
      assert.deepEqual(await take(await completed(known), success(reported)), nothing);
    });

  it('is that one reported again where only its acceptance had a number; from then on its receipt counts', async () => {
    const { id } = await handedOver(test.database, pushRequest(SHILLINGS), { balance: 0 });
    const acceptance = { outcome: 'accepted', channelReference: 'A1' } as const;
    await recordSendOutcome(test.database, { transactionId: id, number: 1, ...acceptance });
    await tryToEnd(test.database, id, { kind: 'answer', result: success(null) });
    for (const report of [success(null), success('R1'), success(null), success('R1')])
      assert.deepEqual(await take(id, report), nothing);
    assert.equal((await getTransaction(test.database, id))?.channelReference, 'R1');
    assert.deepEqual((await take(id, success('A2'))).suspended, [SHILLINGS]);
  });

  it('is another movement with another receipt: in suspense once, and shown to a person in full', async () => {
    const id = await completed('R1');
    await take(id, success('R2'));
    const { taken, suspended, shown } = await take(id, success('R2'));
    assert.deepEqual([taken, suspended], [true, [SHILLINGS]]);
    assert.deepEqual(
      shown.map(({ reason, detail }) => [reason, detail]),
      [
        [
          'late_success',
          'The channel moved 5,000.00 TZS (R2); the transaction is completed for 5,000.00 TZS',
        ],
      ],
    );
  });

  it('is another movement with another amount, whatever its receipt', async () => {
    const { taken, suspended, shown } = await take(await completed('R1'), success('R1', 4_999));
    assert.deepEqual(
      [taken, suspended, shown.map(({ reason }) => reason)],
      [true, [4_999], ['wrong_amount']],
    );
  });

  it('is no success of ours in another currency: that one is in suspense, and nothing ends', async () => {
    const { id } = await handedOver(test.database, pushRequest(SHILLINGS), { balance: 0 });
    const result = { ...success(randomUUID()), currency: 'USD' };
    const { status, needs } = await tryToEnd(test.database, id, { kind: 'answer', result });
    assert.deepEqual([status, needs], ['pending', ['wrong_amount']]);
    assert.deepEqual(await suspenseOf(test.database, id), [[SHILLINGS * 100, 'USD']]);
  });

  /** One that failed: any success of it is late. */
  async function failed(request: MoneyRequest = pushRequest(SHILLINGS)): Promise<string> {
    const { id } = await handedOver(test.database, request);
    const failure = { kind: 'failed', code: 'network_error', channelReference: null } as const;
    assert.equal((await tryToEnd(test.database, id, { kind: 'answer', result: failure })).status, 'failed');
    return id;
  }
  const receipt = () => `R${randomUUID()}`;

  it('is one movement, reported with its receipt and without, whichever came first', async () => {
    const [first, second] = [receipt(), receipt()];
    for (const reports of [
      [null, first, null, first],
      [second, null, second, null],
    ]) {
      const id = await failed();
      for (const one of reports) {
        const { suspended, shown } = await take(id, success(one));
        assert.deepEqual([suspended, shown.length], [[SHILLINGS], 1], `${one} of ${reports}`);
      }
      assert.deepEqual((await take(id, success(receipt()))).suspended, [SHILLINGS, SHILLINGS]);
    }
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('that got its receipt from a later report counts under it, whoever reports it next', async () => {
    const [id, other, named] = [await failed(), await failed(), receipt()];
    await take(id, success(null));
    await take(id, success(named));
    const { suspended, shown } = await take(other, success(named));
    assert.deepEqual([suspended, shown.length], [[], 1]);
  });

  it('keeps its own name where a later report brings the receipt of another one: a receipt is one movement', async () => {
    const [id, other, named] = [await failed(), await failed(), receipt()];
    for (const one of [null, named]) await take(id, success(one));
    for (const [entries, one] of [null, named].entries()) {
      const { suspended, shown } = await take(other, success(one));
      assert.deepEqual([suspended, shown.length], [[SHILLINGS], entries + 1], 'one entry of each item');
    }
  });

  it('is not what moved in another currency, be it the same number', async () => {
    const id = await failed();
    await take(id, success(null));
    await take(id, { ...success(receipt()), currency: 'USD' });
    const amount = SHILLINGS * 100;
    assert.deepEqual(await suspenseOf(test.database, id), [
      [amount, 'TZS'],
      [amount, 'USD'],
    ]);
  });

  it('has a receipt of its bank alone: two banks that use one number moved two amounts', async () => {
    const number = receipt();
    for (const connection of ['one bank', 'another bank']) {
      const id = await failed({ ...bankPayoutRequest(SHILLINGS), connection });
      for (const _ of [1, 2])
        assert.deepEqual((await take(id, success(number))).suspended, [-SHILLINGS], connection);
    }
  });

  it('without a receipt is another movement where its amount is another one', async () => {
    const id = await failed();
    await take(id, success(receipt(), 4_999));
    assert.deepEqual((await take(id, success(null))).suspended, [4_999, SHILLINGS]);
    assert.deepEqual((await take(id, success(receipt(), 4_998))).suspended, [4_999, SHILLINGS, 4_998]);
  });
});

import assert from 'node:assert/strict';
import type { Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { type MoneyRequest, statusOf } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { unreadNews } from '../../src/transactions/rescue/orphans.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf, suspenseOf } from '../support/unexplained.ts';

const SHILLINGS = 50_000;
const MINOR = SHILLINGS * 100;
/** What a merchant of these tests has before. */
const OPENING = 100_000_000;

describe('money that a channel says it gave back, whether it had moved or not', () => {
  const test = useTestDatabase();
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  async function started(request: MoneyRequest) {
    const { id, merchant } = await handedOver(test.database, request);
    const current = async () => (await balanceOf(test.database, merchant.accountId, 'TZS')).current;
    return { id, current, merchant };
  }
  const moved = (id: string) => ({ ...succeeded(SHILLINGS, `R${id}`), currency: 'TZS' });
  const paid = (id: string) => tryToEnd(test.database, id, { kind: 'answer', result: moved(id) });
  const read = (id: string) => tryToEnd(test.database, id, { kind: 'notifications' });
  const back: Notification['content'] = {
    kind: 'returned',
    amount: minor(MINOR),
    currency: 'TZS',
    reason: 'The channel returned the money',
    channelReference: 'C1',
    orFailed: 'network_error',
  };
  const payout = () => started(mobilePayoutRequest(SHILLINGS));
  const payment = () => started(pushRequest(SHILLINGS));

  it('is the merchant’s again after a paid payout to a wallet, once', async () => {
    const { id, current } = await payout();
    await paid(id);
    assert.equal((await notify(test.database, id, back, { eventKey: 'one' })).outcome, 'stored');
    assert.equal((await notify(test.database, id, back, { eventKey: 'one' })).outcome, 'duplicate');
    const transaction = await getTransaction(test.database, id);
    assert.deepEqual([transaction?.status, transaction?.returnedAt !== null], ['paid', true]);
    assert.equal(OPENING - (await current()), transaction?.fee, 'the fee stays taken');
    assert.deepEqual(await suspenseOf(test.database, id), []);
    const [row] = await attentionOf(test.database, id);
    assert.equal(row?.detail, 'The channel returned the payout: The channel returned the money');
  });

  it('is the failure of a payout that nothing calls paid, and the hold goes back', async () => {
    const { id, current } = await payout();
    assert.equal((await notify(test.database, id, back)).news, 'stored');
    assert.ok(
      (await unreadNews(test.database, -1_000)).includes(id),
      'the sweep finds it where the signal is lost',
    );
    for (const _run of [1, 2]) assert.equal((await read(id)).status, 'failed');
    assert.equal(await current(), OPENING);
    assert.deepEqual([await suspenseOf(test.database, id), await attentionOf(test.database, id)], [[], []]);
    assert.ok(!(await unreadNews(test.database, -1_000)).includes(id));
  });

  it('is no news of a payout that an enquiry has found failed', async () => {
    const { id, current } = await payout();
    const failed = { kind: 'failed', code: 'network_error', channelReference: null } as const;
    await tryToEnd(test.database, id, { kind: 'answer', result: failed });
    await notify(test.database, id, back);
    assert.equal(await current(), OPENING);
    assert.deepEqual([await suspenseOf(test.database, id), await attentionOf(test.database, id)], [[], []]);
  });

  it('is a return where the success and it are read together, in either order', async () => {
    for (const order of [
      ['success', 'back'],
      ['back', 'success'],
    ]) {
      const { id } = await payout();
      for (const one of order) await notify(test.database, id, one === 'back' ? back : moved(id));
      assert.equal((await read(id)).status, 'paid');
      assert.notEqual((await getTransaction(test.database, id))?.returnedAt, null);
    }
  });

  it('makes up for a success that came after the failure', async () => {
    const { id } = await payout();
    const failed = { kind: 'failed', code: 'network_error', channelReference: null } as const;
    await tryToEnd(test.database, id, { kind: 'answer', result: failed });
    await paid(id);
    await notify(test.database, id, back);
    assert.deepEqual(await suspenseOf(test.database, id), [
      [-MINOR, 'TZS'],
      [MINOR, 'TZS'],
    ]);
  });

  it('makes up for no success that comes only after it: whether that money came back, people ask the channel', async () => {
    const bySignal = async (id: string) => void (await notify(test.database, id, moved(id)));
    for (const succeed of [bySignal, paid]) {
      const { id } = await payout();
      await notify(test.database, id, back);
      assert.equal((await read(id)).status, 'failed');
      await succeed(id);
      await paid(id);
      assert.deepEqual(await suspenseOf(test.database, id), [[-MINOR, 'TZS']]);
    }
  });

  it('is an item below zero after a completed payment: the merchant was credited', async () => {
    const { id } = await payment();
    await paid(id);
    await notify(test.database, id, back);
    assert.deepEqual(await suspenseOf(test.database, id), [[-MINOR, 'TZS']]);
    const transaction = await getTransaction(test.database, id);
    assert.deepEqual([transaction?.status, transaction?.returnedAt], ['completed', null]);
    const [row] = await attentionOf(test.database, id);
    assert.deepEqual(
      [row?.reason, row?.detail],
      ['returned', 'The payer has the payment back: The channel returned the money'],
    );
  });

  it('ends a payment that nobody has called completed', async () => {
    const { id, current } = await payment();
    await notify(test.database, id, { ...back, orFailed: 'reversed' });
    assert.equal((await read(id)).status, 'failed');
    assert.equal((await getTransaction(test.database, id))?.failureCode, 'reversed');
    assert.equal(await current(), OPENING);
  });

  /** Asks for all that is left of a payment. */
  async function refund({ id, merchant }: Awaited<ReturnType<typeof started>>) {
    const submission = submissionFor(merchant, refundRequest(id));
    const { answer } = await accept(test.database, submission);
    return { id: submission.transactionId, status: statusOf(answer), body: JSON.parse(answer.body) };
  }

  it('leaves nothing to refund of a payment: the payer has it', async () => {
    const push = await payment();
    await paid(push.id);
    await notify(test.database, push.id, back);
    const { status, body } = await refund(push);
    assert.deepEqual([status, body.code], [409, 'refund_exceeds_payment']);
  });

  it('makes a payment refundable again where it was the refund that came back, and once only', async () => {
    const push = await payment();
    await paid(push.id);
    const first = await refund(push);
    await recordSend(test.database, { transactionId: first.id, number: 1 });
    await paid(first.id);
    assert.equal((await refund(push)).body.code, 'refund_exceeds_payment', 'all of it is with the payer');
    const refundedNow = async () => {
      const transaction = await getTransaction(test.database, push.id);
      return transaction && 'refunded' in transaction ? transaction.refunded : undefined;
    };
    assert.equal(await refundedNow(), MINOR);
    for (const _twice of [1, 2])
      await notify(test.database, first.id, back, { eventKey: `back-${first.id}` });
    assert.equal(await refundedNow(), 0);
    const second = await refund(push);
    assert.deepEqual([second.status, second.body.amount.value], [200, SHILLINGS]);
    assert.equal((await refund(push)).body.code, 'refund_exceeds_payment');
  });
});

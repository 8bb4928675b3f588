import assert from 'node:assert/strict';
import type { Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { statusOf } from '../../src/domain/operation.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { unreadNews } from '../../src/transactions/rescue/orphans.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { answered, handedOver, notify, type Started } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

const SHILLINGS = 50_000;
const MINOR = SHILLINGS * 100;

describe('money that a channel says it gave back, whether it had moved or not', () => {
  const test = useTestDatabase();
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const moved = (id: string) => ({ ...succeeded(SHILLINGS, `R${id}`), currency: 'TZS' });
  const paid = (id: string) => answered(test.database, id, moved(id));
  const back: Notification['content'] = {
    kind: 'returned',
    amount: minor(MINOR),
    currency: 'TZS',
    reason: 'The channel returned the money',
    channelReference: 'C1',
    orFailed: 'network_error',
  };
  const payment = () => handedOver(test.database, pushRequest(SHILLINGS));

  it('is read by the sweep where the signal is lost, once', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(SHILLINGS));
    assert.equal((await notify(test.database, id, back)).news, 'stored');
    assert.ok((await unreadNews(test.database, -1_000)).includes(id));
    await tryToEnd(test.database, id, { kind: 'notifications' });
    assert.ok(!(await unreadNews(test.database, -1_000)).includes(id));
  });

  /** Asks for all that is left of a payment. */
  async function refund({ id, merchant }: Started) {
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

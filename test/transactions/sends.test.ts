import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import {
  closeSendsAsNotFound,
  noteArrived,
  recordSend,
  recordSendOutcome,
  type SendOutcome,
  sendHistory,
} from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction, lockTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { accepted as acceptedRequest, handedOver } from '../support/handed-over.ts';
import {
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';

describe('the numbers of sends', () => {
  const test = useTestDatabase();

  async function accepted(): Promise<string> {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await accept(test.database, submission);
    return submission.transactionId;
  }
  const record = async (transactionId: string, number: number) =>
    (await recordSend(test.database, { transactionId, number })).granted;

  for (const outcome of ['not_sent', 'not_found'] as const)
    it(`only rise: after one that was ${outcome} neither it nor a lower one is granted, the next one is`, async () => {
      const transactionId = await accepted();
      assert.equal(await record(transactionId, 2), true);
      await recordSendOutcome(test.database, { transactionId, number: 2, outcome });
      assert.equal(await record(transactionId, 1), false);
      assert.equal(await record(transactionId, 2), false);
      assert.equal((await sendHistory(test.database, transactionId)).last, 2);
      assert.equal(await record(transactionId, 3), true);
    });

  for (const outcome of ['accepted', 'succeeded', 'failed', 'unknown', null] as const)
    it(`end with one that was ${outcome ?? 'not answered yet'}`, async () => {
      const transactionId = await accepted();
      assert.equal(await record(transactionId, 1), true);
      if (outcome) await recordSendOutcome(test.database, { transactionId, number: 1, outcome });
      assert.equal(await record(transactionId, 2), false);
    });

  it('end with what people decided: the flow is sent to read it', async () => {
    const transactionId = await accepted();
    await record(transactionId, 1);
    await recordSendOutcome(test.database, { transactionId, number: 1, outcome: 'not_found' });
    const worker = asRole(test.database, 'worker');
    // The send waits for the row that the approval holds, and finds what was decided meanwhile.
    const second = await inTransaction(test.database, async (db) => {
      await lockTransaction(db, transactionId);
      const waiting = recordSend(worker, { transactionId, number: 2 });
      await plantDecision(db, transactionId, 'failed');
      return { waiting };
    });
    assert.deepEqual(await second.waiting, { granted: false, why: 'final' });
    assert.equal((await sendHistory(test.database, transactionId)).last, 1);
  });

  it('are none while the channel is closed, and nothing is recorded; one that is open may be probed by it', async () => {
    const transactionId = await accepted();
    const send = { transactionId, number: 1 };
    const closed = await recordSend(test.database, send, async () => ({ open: false }));
    assert.deepEqual(closed, { granted: false, why: 'closed' });
    assert.equal((await sendHistory(test.database, transactionId)).last, 0);
    assert.equal((await getTransaction(test.database, transactionId))?.handedOverAt, null);
    const probe = await recordSend(test.database, send, async () => ({ open: true, probe: true }));
    assert.equal(probe.granted && probe.probe, true);
    const other = await recordSend(test.database, { transactionId: await accepted(), number: 1 });
    assert.equal(other.granted && other.probe, false);
  });

  it('have one outcome: the first, but that a proof replaces a doubt', async () => {
    const transactionId = await accepted();
    await record(transactionId, 1);
    const answer = (outcome: SendOutcome) =>
      recordSendOutcome(test.database, { transactionId, number: 1, outcome });
    for (const [outcome, stays] of [
      ['unknown', true],
      ['accepted', true],
      ['failed', false],
    ] as const)
      assert.equal(await answer(outcome), stays, outcome);
    assert.equal((await sendHistory(test.database, transactionId)).answered, true);
  });

  it('that are unclear make a pending transaction unclear, with the time of its enquiry, until its channel shows that it has it', async () => {
    const seen = async (id: string) => {
      const transaction = await getTransaction(test.database, id);
      return [transaction?.isUnclear, transaction?.nextEnquiryAt !== null];
    };
    const { id: transactionId } = await handedOver(test.database, pushRequest());
    assert.deepEqual(await seen(transactionId), [false, false], 'under way');
    await recordSendOutcome(test.database, { transactionId, number: 1, outcome: 'unknown' });
    assert.deepEqual(await seen(transactionId), [true, true]);
    await noteArrived(test.database, transactionId);
    assert.deepEqual(await seen(transactionId), [false, true]);
    const { id: lost } = await handedOver(test.database, pushRequest());
    await test.sql`UPDATE sends SET handed_over_at = now() - interval '2 minutes'
      WHERE transaction_id = ${lost}`;
    assert.deepEqual(
      await seen(lost),
      [true, false],
      'its worker died, and nobody has said what became of it',
    );
  });

  it('were taken after all where the channel says so late: nothing fails as never arrived any more', async () => {
    const transactionId = await accepted();
    const answer = (number: number, outcome: SendOutcome) =>
      recordSendOutcome(test.database, { transactionId, number, outcome });
    await record(transactionId, 1);
    await closeSendsAsNotFound(test.database, { transactionId, upTo: 1 });
    assert.equal(await record(transactionId, 2), true);
    await answer(2, 'unknown');
    assert.equal(await answer(1, 'failed'), false, 'it says nothing about the second');
    assert.equal(await answer(1, 'accepted'), true);
    const { status } = await tryToEnd(test.database, transactionId, { kind: 'never_arrived' });
    assert.equal(status, 'pending');
  });

  it('are none of a transaction that is not there, or of a bill, whose customer pays it', async () => {
    await assert.rejects(record(randomUUID(), 1), /does not exist/);
    const bill = await acceptedRequest(test.database, billRequest());
    await assert.rejects(record(bill.id, 1), /never sent/);
    assert.equal((await sendHistory(test.database, bill.id)).last, 0);
  });

  it('keep the first reference that a channel gave, and a transaction without one has none', async () => {
    const transactionId = await accepted();
    const answer = async (number: number, channelReference: string | null) => {
      const outcome = number === 1 ? 'not_sent' : 'accepted';
      await record(transactionId, number);
      await recordSendOutcome(test.database, { transactionId, number, outcome, channelReference });
      return (await getTransaction(test.database, transactionId))?.channelReference;
    };
    assert.equal(await answer(1, null), null);
    assert.equal(await answer(2, 'C2'), 'C2');
    assert.equal(await answer(2, 'C3'), 'C2');
    assert.equal(await answer(2, null), 'C2');
  });

  it('close as not found up to the one that was asked about, and open again when the channel has one', async () => {
    const transactionId = await accepted();
    const close = async (upTo: number) => {
      await closeSendsAsNotFound(test.database, { transactionId, upTo });
      return (await sendHistory(test.database, transactionId)).mayHaveArrived;
    };
    await record(transactionId, 1);
    assert.equal(await close(0), true);
    assert.equal(await close(1), false);
    const { last, sends } = await sendHistory(test.database, transactionId);
    assert.deepEqual([last, sends], [1, 1], 'it left us all the same');
    await noteArrived(test.database, transactionId);
    assert.equal(await close(1), true, 'what has arrived is not lost any more');
    assert.equal(await record(transactionId, 2), false);
  });
});

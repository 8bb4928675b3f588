import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { GatewayError } from '../../src/domain/errors.ts';
import { suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { actions } from '../support/actions.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { getDecision } from '../support/decision.ts';
import { by, hire } from '../support/finance.ts';
import { accepted, handedOver, notify } from '../support/handed-over.ts';
import { billRequest, mobilePayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('the approval of a decision', () => {
  const test = useTestDatabase();
  before(() => hire(test.database));
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const desk = () => createProposals({ database: asRole(test.database, 'api'), actions, fourEyes: true });
  const proposeOf = (action: string, payload: object) =>
    desk().propose({ action, payload, reason: 'r' }, by('asha'));
  const propose = (id: string, outcome: 'paid' | 'failed' = 'failed') =>
    proposeOf('attention.decide', { transaction_id: id, outcome, note: 'ticket 123' });
  const approve = async (proposal: { id: string; payloadHash: string }) =>
    (await desk().approve({ id: proposal.id, payloadHash: proposal.payloadHash }, by('juma'))).proposal;

  /** A payout whose channel gives no answer, and a person was called. */
  async function unknown(): Promise<string> {
    const { id } = await handedOver(test.database, mobilePayoutRequest());
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: '' });
    return id;
  }
  async function sendAgain(transactionId: string): Promise<boolean> {
    await recordSendOutcome(test.database, { transactionId, number: 1, outcome: 'not_found' });
    return (await recordSend(test.database, { transactionId, number: 2 })).granted;
  }

  it('is refused where the transaction was sent again since it was proposed; a new proposal is taken', async () => {
    const id = await unknown();
    const proposal = await propose(id);
    assert.equal(await sendAgain(id), true);
    const { state, outcome } = await approve(proposal);
    assert.equal(state, 'failed');
    assert.match(outcome ?? '', /was sent again after this was proposed/);
    assert.equal(await getDecision(test.database, id), null);
    const again = await approve(await propose(id));
    assert.equal(again.state, 'executed', again.outcome ?? '');
  });

  it('is for an open question only, and never for a bill, which ends by itself', async () => {
    const bill = await accepted(test.database, billRequest());
    await raiseAttention(test.database, { transactionId: bill.id, reason: 'unknown_outcome', detail: '' });
    const asked = await handedOver(test.database, mobilePayoutRequest());
    for (const [id, message] of [
      [bill.id, /^A bill ends by its payments, its cancellation or its time; close the entry instead/],
      [asked.id, /^Its outcome is not on the attention list as unknown/],
    ] as const)
      await assert.rejects(propose(id), (error: GatewayError) => {
        assert.equal(error.code, 'conflict');
        return message.test(error.message);
      });
  });

  describe('to be paid, where the channel moved another amount', () => {
    const OTHER = 49_999;
    /** What the channel says of it goes through the door, and is read by whoever settles. */
    async function moved(id: string, { isRead = true } = {}): Promise<void> {
      await notify(test.database, id, succeeded(OTHER, randomUUID()));
      if (isRead) await tryToEnd(test.database, id, { kind: 'notifications' });
    }
    /** Its item leaves by the word of the two. */
    async function release(id: string, action: string, more: object = {}): Promise<void> {
      const [item] = await suspenseItemsOf(test.database, { transactionIds: [id] });
      assert.ok(item);
      const { receipt, amount, currency } = item;
      const payload = { item: item.id, receipt, amount, currency, note: 'ticket 123', ...more };
      const { state, outcome } = await approve(await proposeOf(action, payload));
      assert.equal(state, 'executed', outcome ?? '');
    }

    for (const isRead of [true, false])
      it(`is refused when it is proposed, and when it is approved, ${isRead ? 'read' : 'unread'}`, async () => {
        const id = await unknown();
        const proposal = await propose(id, 'paid');
        await moved(id, { isRead });
        await assert.rejects(propose(id, 'paid'), /moved another amount for it: let that item leave/);
        const { state, outcome } = await approve(proposal);
        assert.equal(state, 'failed');
        assert.match(outcome ?? '', /moved another amount for it: let that item leave suspense first/);
        assert.equal(await getDecision(test.database, id), null);
        assert.equal((await approve(await propose(id))).state, 'executed', 'failed books nothing');
      });

    it('is refused for good where that money was released: it would be booked twice', async () => {
      const id = await unknown();
      const proposal = await propose(id, 'paid');
      await moved(id);
      await release(id, 'suspense.write-off');
      await assert.rejects(
        propose(id, 'paid'),
        /was released from suspense: paid would book that money twice/,
      );
      assert.equal((await approve(proposal)).state, 'failed');
      assert.equal((await approve(await propose(id))).state, 'executed');
    });

    it('is taken where the channel gave that money back: the decision is about another movement', async () => {
      const id = await unknown();
      await moved(id);
      await release(id, 'suspense.given-back', { return_receipt: 'RV1' });
      const { state, outcome } = await approve(await propose(id, 'paid'));
      assert.equal(state, 'executed', outcome ?? '');
    });
  });
});

import assert from 'node:assert/strict';
import { minor } from '../../../src/domain/money.ts';
import { prepare } from '../../../src/operators/actions/actions.ts';
import { createPaybackAction } from '../../../src/operators/actions/payback-action.ts';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { handedOver } from '../../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { suspend } from '../../support/suspend.ts';

describe('what an approver reads of a proposal', () => {
  const { test, desk } = useOperatorDesk();

  async function proposed(action: string, payload: object): Promise<string> {
    const { status, body } = await desk.propose('asha', action, payload);
    assert.equal(status, 200, JSON.stringify(body));
    return body.proposal.id;
  }
  const readAs = async (who: string, id: string) =>
    (await desk.call(who, 'GET', `proposals/${id}`)).body.proposal;
  /** What the audit log says was read in the last call of this name by this operator. */
  async function readBy(who: string, call: string): Promise<string[]> {
    const rows = await test.sql`SELECT detail FROM audit_log WHERE actor = ${`operator:${who}`}
      AND action = ${`call.${call}`} ORDER BY id DESC LIMIT 1`;
    return rows[0].detail.read ?? [];
  }

  it('names the number that a payback goes to, to who may read it, and that is an audited read', async () => {
    const { id: transactionId } = await handedOver(test.database, pushRequest());
    const item = await suspend(test.database, { transactionId, amount: minor(5_309_00) });
    const { id: itemId, receipt, amount, currency } = item;
    const payload = { item: itemId, receipt, amount, currency, note: 'ticket 8' };
    const id = await proposed('suspense.to-payer', payload);
    const seen = await readAs('only-finance', id);
    assert.match(seen.summary, /^Pay 5,309\.00 TZS back to 0754123456.* over M-PESA \(/);
    assert.match(JSON.stringify(seen.facts), /5,309\.00 TZS in suspense since .*of Test shop/);
    assert.deepEqual(await readBy('only-finance', 'getProposal'), [itemId]);
    const masked = await readAs('only-admin', id);
    assert.match(masked.summary, /back to 0754\*\*\*456 over/);
    assert.doesNotMatch(JSON.stringify(masked), /754123456/);
    assert.deepEqual(await readBy('only-admin', 'getProposal'), []);
    await desk.call('only-support', 'GET', 'proposals?state=proposed');
    assert.deepEqual(await readBy('only-support', 'listProposals'), [itemId]);
    const shown = await desk.cli('juma', 'proposals', 'show', id);
    assert.ok(shown.some((line) => / {2}on its way back/.test(line)));

    // Who approves the hash approves this payer: another one was not proposed.
    assert.equal(seen.payload.paid_by, `transaction ${transactionId}`);
    const toPayer = createPaybackAction({ payoutRouteOf: () => undefined, timing: 'fast' });
    await assert.rejects(
      prepare(test.database, toPayer, { ...payload, paid_by: 'receipt own R-9' }),
      /changed since you looked at it \(movement, paid by\)/,
    );
  });

  it('names merchant, recipient, shillings, fee and where the money is before an unknown outcome ends', async () => {
    const { id: transaction_id } = await handedOver(test.database, mobilePayoutRequest());
    await raiseAttention(test.database, {
      transactionId: transaction_id,
      reason: 'unknown_outcome',
      detail: '',
    });
    const payload = { transaction_id, outcome: 'failed', note: 'ticket 9' };
    const id = await proposed('attention.decide', payload);
    const seen = await readAs('only-finance', id);
    assert.match(
      seen.summary,
      /^The payout of 50,000\.00 TZS, fee [0-9,]+\.00 TZS, of Test shop to 07\d{8}.* over M-PESA \(.*\) is failed: ticket 9$/,
    );
    assert.match(seen.facts[0].before, /^pending\. Held: 5\d,000\.00 TZS of the merchant's balance/);
    assert.equal(seen.facts[0].after, 'failed');
    assert.deepEqual(await readBy('only-finance', 'getProposal'), [transaction_id]);
    assert.doesNotMatch((await readAs('only-admin', id)).summary, /to 07\d{8}/);
  });
});

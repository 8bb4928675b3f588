// tests: slow
import assert from 'node:assert/strict';
import { GatewayError } from '../../src/domain/errors.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import type { Cause } from '../../src/domain/settlement.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import { settle } from '../../src/transactions/ending/settle.ts';
import { useLines } from '../reconciliation/lines.ts';
import { accept } from '../support/accept.ts';
import { actions } from '../support/actions.ts';
import { controlNumberOf, expireBill } from '../support/bill-customer.ts';
import { plantProposal } from '../support/decision.ts';
import { accepted, handedOver } from '../support/handed-over.ts';
import {
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { attentionOf } from '../support/unexplained.ts';

const SHILLINGS = 50_000;
/** Its lines are items at once. */
const graceless = walletAccount({ graceMs: 1 });

/** What a statement shows of a transaction is a fact about money: nothing is ended or given away against it. */
describe('what a statement shows', () => {
  const { test, wallet, database, classes } = useLines();

  /** What two people agreed on is carried out; `refused`: the sentence of the rule that forbids it. */
  async function agree(name: string, payload: object): Promise<{ refused: string | null }> {
    const action = actions[name] ?? assert.fail(name);
    const actor = { operator: 'juma', address: '127.0.0.1', requestId: 'r' };
    try {
      await inTransaction(database(), async (db) => {
        const proposalId = await plantProposal(db, name);
        await action.execute(db, action.payload.parse(payload), { actor, proposalId, proposedBy: 'asha' });
      });
      return { refused: null };
    } catch (error) {
      if (error instanceof GatewayError) return { refused: error.message };
      throw error;
    }
  }

  const itemOf = async (receipt: string) => {
    const { rows } = await test.database.query(
      'SELECT id AS item, receipt, amount, currency FROM suspense_items WHERE receipt = $1',
      [receipt],
    );
    return { ...(rows[0] ?? assert.fail(receipt)), note: 'n' } as { item: string; amount: number };
  };
  const lineOf = async (receipt: string) => {
    const { rows } = await test.database.query('SELECT id FROM statement_lines WHERE receipt = $1', [
      receipt,
    ]);
    return `ln_${rows[0]?.id}`;
  };
  const reasonsOf = async (id: string) =>
    (await attentionOf(test.database, id)).map(({ reason, detail }) => `${reason}: ${detail}`);

  describe('that a transaction moved, while its channel knows nothing of it', () => {
    const shown = { waits: wallet, 'is an item': graceless };
    const requests = { payout: mobilePayoutRequest(SHILLINGS), push: pushRequest(SHILLINGS) };
    /** Handed over, not found by its channel, and shown by a line with our reference. */
    async function told(request: MoneyRequest, how: keyof typeof shown, line: Partial<Move> = {}) {
      const its = await handedOver(test.database, request);
      const amount = request.mode === 'ussd' ? SHILLINGS : -SHILLINGS;
      await classes([{ receipt: 'R1', amount, reference: its.reference, ...line }], shown[how]);
      return { ...its, named: how === 'waits' ? await lineOf('R1') : (await itemOf('R1')).item };
    }
    const statusAfter = async (id: string, kind: 'never_arrived' | 'unsent' | 'notifications') =>
      (await settle(test.database, id, { kind } satisfies Cause)).status;

    for (const what of ['payout', 'push'] as const)
      for (const how of ['waits', 'is an item'] as const) {
        it(`is no end of the ${what} (its line ${how}): "not found" for long enough is none, and a person looks`, async () => {
          const { id, named } = await told(requests[what], how);
          const enquiry = {
            transactionId: id,
            at: new Date().toISOString(),
            nextAt: new Date().toISOString(),
          };
          assert.equal(await noteEnquiry(test.database, { ...enquiry, said: 'not_found' }), null);
          assert.equal(await statusAfter(id, 'never_arrived'), 'pending');
          assert.match(String(await reasonsOf(id)), new RegExp(`unknown_outcome: .*${named}`));
        });

        it(`is not decided to have failed (the line of the ${what} ${how}): the sentence and the facts name it`, async () => {
          const { id, named } = await told(requests[what], how);
          await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: 'd' });
          const asked = { transaction_id: id, outcome: 'failed', note: 'n' };
          assert.match(
            (await agree('attention.decide', asked)).refused ?? '',
            new RegExp(`^${named} of a statement`),
          );
          assert.equal(await statusAfter(id, 'notifications'), 'pending');
          const view = { db: test.database, showsPeople: false, isOpen: true };
          const described = await actions['attention.decide']?.describe(asked, view);
          assert.ok(typeof described === 'object');
          assert.equal(described.facts?.at(-1)?.after, `${named} shows that it moved`);
        });
      }

    it('is no end of what never left us, either', async () => {
      const its = await accepted(test.database, mobilePayoutRequest(SHILLINGS));
      await classes([{ receipt: 'R1', amount: -SHILLINGS, reference: its.reference }]);
      assert.equal(await statusAfter(its.id, 'unsent'), 'pending');
      assert.match(String(await reasonsOf(its.id)), /unknown_outcome: .*ln_/);
    });

    it('is what people decide once its item has left suspense, and not its channel', async () => {
      const { id, merchant } = await told(requests.payout, 'is an item');
      const released = { ...(await itemOf('R1')), account_id: merchant.accountId };
      assert.deepEqual(await agree('suspense.to-merchant', released), { refused: null });
      assert.equal(await statusAfter(id, 'never_arrived'), 'pending');
      const asked = { transaction_id: id, outcome: 'failed', note: 'n' };
      assert.deepEqual(await agree('attention.decide', asked), { refused: null });
      assert.equal(await statusAfter(id, 'notifications'), 'failed');
    });

    for (const [what, line] of Object.entries({
      'comes the other way': { amount: SHILLINGS },
      'is a fee': { amount: -5, kind: 'fee' as const },
    }))
      it(`does not hold up an end where it ${what}`, async () => {
        const { id } = await told(requests.payout, 'waits', line);
        assert.equal(await statusAfter(id, 'never_arrived'), 'failed');
      });
  });

  describe('of a bill whose time is over', () => {
    const REASON = 'unexpected_payment';
    async function bill() {
      const submission = submissionFor(await createMerchant(test.database), billRequest(25_000));
      await accept(test.database, submission);
      return {
        id: submission.transactionId,
        number: await controlNumberOf(test.database, submission.transactionId),
      };
    }

    it('keeps it open while the line waits, and then until its item has left suspense: a person is called', async () => {
      const { id, number } = await bill();
      await classes([{ receipt: 'R1', amount: 25_000, reference: number }]);
      assert.equal((await expireBill(test.database, id)).status, 'pending');
      assert.deepEqual(await reasonsOf(id), []);
      await matchAgain(database(), graceless);
      assert.equal((await expireBill(test.database, id)).status, 'pending');
      const item = await itemOf('R1');
      assert.match(String(await reasonsOf(id)), new RegExp(`^${REASON}: .*${item.item}`));
      const { account_id } = (
        await test.database.query('SELECT account_id FROM transactions WHERE id = $1', [id])
      ).rows[0];
      assert.deepEqual(await agree('suspense.to-merchant', { ...item, account_id }), { refused: null });
      assert.deepEqual(await reasonsOf(id), []);
      assert.equal((await expireBill(test.database, id)).status, 'failed');
    });

    it('does not keep another one open', async () => {
      const [one, other] = [await bill(), await bill()];
      await classes([{ receipt: 'R1', amount: 25_000, reference: one.number }]);
      assert.equal((await expireBill(test.database, other.id)).status, 'failed');
    });
  });
});

// tests: slow
import assert from 'node:assert/strict';
import { paidLate } from '../../src/batches/batch-checks.ts';
import type { Failed, Succeeded } from '../../src/domain/channel.ts';
import type { Cause } from '../../src/domain/ending.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { minor } from '../../src/domain/money.ts';
import { type BillRequest, type MoneyRequest, statusOf } from '../../src/domain/operation.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { correctOurs } from '../../src/reconciliation/correct-ours.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useLines } from '../reconciliation/lines.ts';
import { accept } from '../support/accept.ts';
import { actions } from '../support/actions.ts';
import { draftOf } from '../support/batches.ts';
import { controlNumberOf, expireBill, paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { accepted, answered, handedOver, notify } from '../support/handed-over.ts';
import { limitTo } from '../support/limits.ts';
import {
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { attentionOf } from '../support/unexplained.ts';
import { carryOut } from './agree.ts';

const SHILLINGS = 50_000;
const MSISDN = '255754100077';
const FAILED = failure('network_error');
/** Its lines are items at once. */
const graceless = walletAccount({ graceMs: 1 });

/** What a statement shows of a transaction is a fact about money: nothing is ended or given away against it. */
describe('what a statement shows', () => {
  const { test, wallet, database, classes } = useLines();
  const worker = () => asRole(test.database, 'worker');

  /** What two people agreed on is carried out; `refused`: the sentence of the rule that forbids it. */
  async function agree(name: string, payload: object): Promise<{ refused: string | null }> {
    const action = actions[name] ?? assert.fail(name);
    try {
      await inTransaction(database(), async (db) => {
        const proposalId = await plantProposal(db, name, { payload, state: 'approved' });
        await carryOut(db, { action, payload, proposalId });
      });
      return { refused: null };
    } catch (error) {
      if (error instanceof GatewayError) return { refused: error.message };
      throw error;
    }
  }

  const itemOf = async (receipt: string) => {
    const rows = await test.sql`SELECT id AS item, receipt, amount, currency FROM suspense_items
        WHERE receipt = ${receipt}`;
    return { ...(rows[0] ?? assert.fail(receipt)), note: 'n' } as { item: string; amount: number };
  };
  const lineOf = async (receipt: string) => {
    const rows = await test.sql`SELECT id FROM statement_lines WHERE receipt = ${receipt}`;
    return `ln_${rows[0]?.id}`;
  };
  const reasonsOf = async (id: string) =>
    (await attentionOf(test.database, id)).map(({ reason, detail }) => `${reason}: ${detail}`);

  /** A push of this merchant, with these answers. */
  async function pushed(merchant: Merchant, ...answers: (Succeeded | Failed)[]): Promise<string> {
    const { id } = await sent(merchant, pushRequest(SHILLINGS));
    for (const result of answers) await answered(test.database, id, result);
    return id;
  }
  async function sent(merchant: Merchant, request: MoneyRequest) {
    const submission = submissionFor(merchant, request);
    await accept(test.database, submission);
    await recordSend(test.database, { transactionId: submission.transactionId, number: 1 });
    return { id: submission.transactionId };
  }
  async function billOf(merchant: Merchant, request: BillRequest) {
    const submission = submissionFor(merchant, request);
    await accept(test.database, submission);
    const id = submission.transactionId;
    return { id, number: await controlNumberOf(test.database, id) };
  }

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
      (await tryToEnd(test.database, id, { kind } satisfies Cause)).status;

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
            new RegExp(`^A statement \\(${named}\\) shows`),
          );
          assert.equal(await statusAfter(id, 'notifications'), 'pending');
          const view = { db: test.database, showsPeople: false, isOpen: true };
          const described = await actions['attention.decide']?.describe?.(asked, view);
          assert.ok(typeof described === 'object');
          assert.equal(described.facts?.at(-1)?.after, `${named} shows that the money moved`);
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
    const bill = async () => billOf(await createMerchant(test.database), billRequest(25_000));

    it('keeps it open while the line waits, and then until its item has left suspense: a person is called', async () => {
      const { id, number } = await bill();
      await classes([{ receipt: 'R1', amount: 25_000, reference: number }]);
      assert.equal((await expireBill(test.database, id)).status, 'pending');
      assert.deepEqual(await reasonsOf(id), []);
      await matchAgain(database(), graceless);
      assert.equal((await expireBill(test.database, id)).status, 'pending');
      const item = await itemOf('R1');
      assert.match(String(await reasonsOf(id)), new RegExp(`^${REASON}: .*${item.item}`));
      const { account_id } = (await test.sql`SELECT account_id FROM transactions WHERE id = ${id}`)[0];
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

  describe('that a payment went back to its payer', () => {
    const NUMBERS = { push: 'R-push', bill: 'R-bill', number: 'R-number' };
    const receive = (number: string, receipt: string, amount = SHILLINGS) =>
      receiveBillPayment(database(), paymentOf(number, amount, { receipt }));

    /** The id of a payment with this receipt. */
    async function paid(kind: keyof typeof NUMBERS, merchant: Merchant): Promise<string> {
      const receipt = NUMBERS[kind];
      if (kind === 'push') return pushed(merchant, succeeded(SHILLINGS, receipt));
      if (kind === 'number') {
        const decision = await receive((await makeNumber(test.database, merchant)).controlNumber, receipt);
        assert.ok(decision.outcome === 'accepted');
        return decision.transactionId;
      }
      const { id, number } = await billOf(merchant, billRequest(SHILLINGS));
      await receive(number, receipt);
      return id;
    }

    async function refund(merchant: Merchant, id: string, more: object = {}) {
      const submission = submissionFor(merchant, refundRequest(id, more));
      const { answer } = await accept(worker(), submission);
      const { rowCount } = await test.database.query(
        'SELECT FROM idempotency_keys WHERE transaction_id = $1',
        [submission.transactionId],
      );
      return [statusOf(answer), JSON.parse(answer.body).code, rowCount === 1 ? 'kept' : 'not kept'];
    }

    for (const kind of ['push', 'bill', 'number'] as const) {
      const goneBack = [
        { receipt: NUMBERS[kind], amount: SHILLINGS },
        { receipt: 'V1', amount: -SHILLINGS, kind: 'reversal' as const, names: [NUMBERS[kind]] },
      ];

      it(`leaves nothing to refund of a ${kind}: an item of the line of its reversal`, async () => {
        const merchant = await createMerchant(test.database, { balance: 500_000 });
        const id = await paid(kind, merchant);
        await classes(goneBack);
        assert.deepEqual(await refund(merchant, id), [409, 'not_refundable', 'kept']);
      });

      it(`leaves nothing to refund of a ${kind} that its network told of only after both lines`, async () => {
        const merchant = await createMerchant(test.database, { balance: 500_000 });
        await classes(goneBack);
        const id = await paid(kind, merchant);
        assert.deepEqual(await refund(merchant, id), [409, 'not_refundable', 'kept']);
      });

      it(`leaves nothing to refund of a ${kind} that two people say never came`, async () => {
        const merchant = await createMerchant(test.database, { balance: 500_000 });
        const id = await paid(kind, merchant);
        await classes([{ receipt: 'OTHER', amount: 5 }]);
        const rows = await test.sql`SELECT entry_id FROM movement_entries WHERE transaction_id = ${id}`;
        await inTransaction(database(), async (db) => {
          const agreed = { proposalId: await plantProposal(db, 'lines.ours'), note: 'n' };
          assert.ok(await correctOurs(db, { entry: rows[0]?.entry_id, group: [wallet], agreed }));
        });
        assert.deepEqual(await refund(merchant, id), [409, 'not_refundable', 'kept']);
      });
    }

    it('leaves nothing to refund of a push where the line of its reversal, shown before, names our reference', async () => {
      const merchant = await createMerchant(test.database, { balance: 500_000 });
      const submission = submissionFor(merchant, pushRequest(SHILLINGS));
      await accept(worker(), submission);
      const { transactionId: id } = submission;
      const { reference } = (await getTransaction(test.database, id)) ?? {};
      await classes([{ receipt: 'V1', amount: -SHILLINGS, kind: 'reversal', names: [reference ?? ''] }]);
      await matchAgain(database(), graceless);
      await answered(worker(), id, succeeded(SHILLINGS, 'R1'));
      assert.deepEqual(await refund(merchant, id), [409, 'not_refundable', 'kept']);
    });

    it('is refused without being kept while its line waits, and that part alone', async () => {
      const merchant = await createMerchant(test.database, { balance: 500_000 });
      const { id, number } = await billOf(merchant, billRequest(200_000, { mode: 'flexible' }));
      await receive(number, 'R1');
      await receive(number, 'R2', 2_000);
      const back = {
        receipt: 'V1',
        amount: -SHILLINGS,
        kind: 'reversal',
        names: ['R1'],
        reference: number,
      } as const;
      await classes([{ receipt: 'R1', amount: SHILLINGS }, { receipt: 'R2', amount: 2_000 }, back]);
      assert.deepEqual(await refund(merchant, id, { receipt: 'R1' }), [503, 'unavailable', 'not kept']);
      assert.deepEqual(await refund(merchant, id, { receipt: 'R2' }), [200, undefined, 'kept']);
      await matchAgain(database(), graceless);
      assert.deepEqual(await refund(merchant, id, { receipt: 'R1' }), [409, 'not_refundable', 'kept']);
    });
  });

  describe('that a late success was given back', () => {
    const lines = [
      { receipt: 'R1', amount: SHILLINGS },
      { receipt: 'V1', amount: -SHILLINGS, kind: 'reversal', names: ['R1'] },
    ] as const;

    for (const way of ['to-payer', 'to-merchant', 'write-off'] as const)
      it(`forbids to let it go alone: ${way}`, async () => {
        const merchant = await createMerchant(test.database);
        await pushed(merchant, FAILED, succeeded(SHILLINGS, 'R1'));
        await classes([...lines]);
        const more = way === 'to-merchant' ? { account_id: merchant.accountId } : {};
        const { refused } = await agree(`suspense.${way}`, { ...(await itemOf('R1')), ...more });
        assert.match(refused ?? '', new RegExp((await itemOf('V1')).item));
      });

    it('lets both go the same way, the one below zero first', async () => {
      const merchant = await createMerchant(test.database, { balance: 500_000 });
      await pushed(merchant, FAILED, succeeded(SHILLINGS, 'R1'));
      await classes([...lines]);
      const account_id = merchant.accountId;
      assert.deepEqual(await agree('suspense.to-merchant', { ...(await itemOf('V1')), account_id }), {
        refused: null,
      });
      assert.match((await agree('suspense.to-payer', await itemOf('R1'))).refused ?? '', /the same way/);
      assert.deepEqual(await agree('suspense.to-merchant', { ...(await itemOf('R1')), account_id }), {
        refused: null,
      });
    });

    it('forbids it also while that line waits', async () => {
      const merchant = await createMerchant(test.database);
      const id = await pushed(merchant, succeeded(4_000, 'R1'));
      const reference = (await getTransaction(test.database, id))?.reference ?? null;
      await classes([
        { receipt: 'R1', amount: 4_000 },
        { receipt: 'V1', amount: -4_000, kind: 'reversal', names: ['R1'], reference },
      ]);
      const { refused } = await agree('suspense.to-payer', await itemOf('R1'));
      assert.match(
        refused ?? '',
        new RegExp(`^${await lineOf('V1')} shows .*: wait until this line of a statement is matched`),
      );
      const back = await agree('suspense.given-back', { ...(await itemOf('R1')), return_receipt: 'V1' });
      assert.match(
        back.refused ?? '',
        new RegExp(`V1 is on line ${await lineOf('V1')} of a statement: try again when`),
      );
    });
  });

  describe('of a payout that failed and was paid late', () => {
    const asked = () => mobilePayoutRequest(SHILLINGS, MSISDN);
    const back = {
      kind: 'returned',
      amount: minor(SHILLINGS * 100),
      currency: 'TZS',
      reason: 'REVERSED',
    } as const;
    type Late = { id: string; merchant: Merchant };
    const release = async (way: string, more: object = {}) =>
      assert.deepEqual(await agree(`suspense.${way}`, { ...(await itemOf('LATE')), ...more }), {
        refused: null,
      });
    const nothing = async () => {};
    const lineOfNobody = () => classes([{ receipt: 'LATE', amount: -SHILLINGS }], graceless);
    type Step = (late: Late) => Promise<unknown>;
    const stories: [what: string, then: Step, expected: 'a twin' | 'none', first?: Step][] = [
      ['lies in suspense', nothing, 'a twin'],
      ['lies in suspense, and a line that named nobody showed it first', nothing, 'a twin', lineOfNobody],
      [
        'was debited from its merchant',
        ({ merchant: { accountId } }) => release('to-merchant', { account_id: accountId }),
        'a twin',
      ],
      ['was written off', () => release('write-off'), 'a twin'],
      ['came back', ({ id }) => notify(test.database, id, { ...back, channelReference: 'V1' }), 'none'],
      ['came back, as two people say', () => release('given-back', { return_receipt: 'V1' }), 'none'],
    ];
    for (const [what, then, expected, first = nothing] of stories)
      it(`is ${expected} where its money ${what}: for a payout, a batch and from_failed`, async () => {
        const merchant = await createMerchant(test.database, { balance: 1_000_000 });
        await limitTo(test.database, merchant, { duplicate_window_s: 86_400 });
        const { id } = await sent(merchant, asked());
        await answered(test.database, id, FAILED);
        await first({ id, merchant });
        await answered(test.database, id, succeeded(SHILLINGS, 'LATE'));
        await then({ id, merchant });
        const { batch } = await draftOf(test.database, merchant, [{ amount: SHILLINGS, msisdn: MSISDN }]);
        const late = await paidLate(test.database, [{ transactionId: id, mode: 'mobile' }]);
        const { answer } = await accept(worker(), submissionFor(merchant, asked()));
        assert.deepEqual(
          [batch.errors.length, late.length, JSON.parse(answer.body).code],
          expected === 'a twin' ? [1, 1, 'duplicate_suspected'] : [0, 0, undefined],
        );
      });
  });
});

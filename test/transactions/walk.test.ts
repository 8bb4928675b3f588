import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Failed, Succeeded } from '../../src/domain/channel.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { minor } from '../../src/domain/money.ts';
import type { Executed } from '../../src/operators/actions/actions.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { type BillNotification, receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { settle } from '../../src/transactions/ending/settle.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { actions } from '../support/actions.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { generatorOf } from '../support/random.ts';

const WALKS = Number(process.env.WALKS ?? 25);
const STEPS = 45;
/** Another seed is another set of walks: `WALK_SEED=… npx mocha test/transactions/walk.test.ts` walks one of them again. */
const SEED = Number(process.env.WALK_SEED ?? randomInt(2 ** 31));

/** The channel's own books: what it moved, in minor units, whatever it says of it and how often. Money in is positive. */
type Truth = { channel: string; sign: 1 | -1; movements: Movement[] };
type Movement = { receipt: string; amount: number; isAsAsked: boolean };

class Walk {
  readonly truths = new Map<string, Truth>();
  readonly payments: BillNotification[] = [];
  /** what came back to us, or went out again, by the channel's own doing or by ours */
  readonly moved = new Map<string, number>();
  private receipts = 0;
  private readonly database: TestDatabase['database'];
  private readonly merchant: Merchant;
  private readonly next: () => number;

  constructor(database: TestDatabase['database'], merchant: Merchant, next: () => number) {
    this.database = database;
    this.merchant = merchant;
    this.next = next;
  }

  private below(count: number): number {
    return Math.floor(this.next() * count);
  }
  private one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
  private newReceipt(): string {
    this.receipts += 1;
    return `${this.merchant.accountId.slice(0, 8)}-${this.receipts}`;
  }
  private move(channel: string, amount: number): void {
    this.moved.set(channel, (this.moved.get(channel) ?? 0) + amount);
  }

  /** One step, chosen now: a step that is refused because of what was decided meanwhile changes nothing. */
  step(): () => Promise<unknown> {
    const kinds = [...this.truths.keys()];
    const chance = this.next();
    if (kinds.length < 3 || chance < 0.15) return this.begin();
    if (chance < 0.25) return this.payBill();
    if (chance < 0.32) return this.refund();
    if (chance < 0.42) return this.leaveSuspense();
    const id = this.one(kinds);
    const truth = this.truths.get(id) as Truth;
    return chance < 0.52 ? this.moveAt(truth) : this.tell(id, truth);
  }

  private begin(): () => Promise<unknown> {
    const request = this.one([
      () => pushRequest(5_000),
      () => mobilePayoutRequest(50_000),
      () => bankPayoutRequest(400_000),
      () => billRequest(),
    ])();
    const submission = submissionFor(this.merchant, request);
    const id = submission.transactionId;
    const isSent = this.next() < 0.8;
    return async () => {
      await accept(this.database, submission);
      if (request.mode === 'billpay') {
        this.bills.push(await controlNumberOf(this.database, id));
        return;
      }
      if (!(await getTransaction(this.database, id))) return;
      if (isSent) await recordSend(this.database, { transactionId: id, number: 1 });
      const sign = request.mode === 'ussd' ? 1 : -1;
      this.truths.set(id, { channel: request.channel, sign, movements: [] });
    };
  }
  private readonly bills: string[] = [];

  private refund(): () => Promise<unknown> {
    const paid = [...this.truths].filter(([, { sign }]) => sign === 1).map(([id]) => id);
    if (paid.length === 0) return this.begin();
    const submission = submissionFor(this.merchant, refundRequest(this.one(paid), { amount: 1_000 }));
    const id = submission.transactionId;
    return async () => {
      await accept(this.database, submission);
      if (!(await getTransaction(this.database, id))) return;
      try {
        await recordSend(this.database, { transactionId: id, number: 1 });
      } catch (error) {
        // An earlier refund that had failed was paid all the same, since this one was accepted: it is never sent.
        if (String(error).includes('has the money of this refund already')) return;
        throw error;
      }
      this.truths.set(id, { channel: 'm-pesa', sign: -1, movements: [] });
    };
  }

  /** The channel moves the money: as asked, another amount, or once more. */
  private moveAt(truth: Truth): () => Promise<unknown> {
    const receipt = this.newReceipt();
    const isOdd = this.next() < 0.2;
    return async () => {
      const id = [...this.truths].find(([, one]) => one === truth)?.[0] ?? '';
      const transaction = await getTransaction(this.database, id);
      if (!transaction || (transaction.status === 'pending' && transaction.handedOverAt === null)) return;
      const amount = transaction.amount + (isOdd ? 700 : 0);
      truth.movements.push({ receipt, amount, isAsAsked: !isOdd });
      this.move(truth.channel, truth.sign * amount);
    };
  }

  private payBill(): () => Promise<unknown> {
    const known = this.payments.length > 0 && this.next() < 0.4;
    const number = this.bills.length > 0 && this.next() < 0.9 ? this.one(this.bills) : '77000000';
    const amount = this.one([15_000, 15_000, 10_000, 25_000]);
    const refusalReturnsMoney = this.next() < 0.5;
    const payment = known
      ? this.one(this.payments)
      : paymentOf(number, amount, { receipt: this.newReceipt(), refusalReturnsMoney });
    return async () => {
      const decision = await receiveBillPayment(this.database, payment);
      // Refused, it goes back to its customer; told again, it is the same movement.
      if (known || decision.outcome === 'refused') return;
      this.payments.push(payment);
      this.move(payment.channel, payment.amount ?? 0);
    };
  }

  private tell(id: string, truth: Truth): () => Promise<unknown> {
    const how = this.next();
    const success = truth.movements.length > 0 ? successOf(this.one(truth.movements)) : null;
    const says = success !== null && this.next() < 0.7 ? success : FAILED;
    const outcome = this.one(['paid', 'failed'] as const);
    // A channel that never answers does not say in the end that it failed: then people's word stays. It does say so, in
    // `tellAll`, where it moved nothing as it was asked to.
    const silent = truth.movements.some(({ isAsAsked }) => isAsAsked) ? (['unanswered'] as const) : [];
    const cause = this.one(['cancel', 'never_arrived', 'unsent', ...silent] as const);
    return async () => {
      if (how < 0.4) return settle(this.database, id, { kind: 'answer', result: says });
      if (how < 0.7) {
        await notify(this.database, id, says);
        return this.read(id);
      }
      if (how < 0.85) {
        // Its channel was asked for a day.
        await raiseAttention(this.database, {
          transactionId: id,
          reason: 'unknown_outcome',
          detail: 'a walk',
        });
        await this.agree('attention.decide', { transaction_id: id, outcome, note: 'a walk' });
        return this.read(id);
      }
      const transaction = await getTransaction(this.database, id);
      const isSent = transaction?.handedOverAt !== null;
      // What the flow never says: it knows whether anything was sent.
      if ((isSent && cause === 'unsent') || (!isSent && cause === 'never_arrived')) return null;
      return settle(this.database, id, { kind: cause });
    };
  }
  private read(id: string) {
    return settle(this.database, id, { kind: 'notifications' });
  }

  /** What two people agree on is carried out, or refused by a rule: then nothing happens. */
  private agree(name: string, payload: object): Promise<Executed | null> {
    return inTransaction(this.database, async (db) => {
      const action = actions[name];
      assert.ok(action, name);
      const proposalId = await plantProposal(db, name);
      const actor = { operator: 'juma', address: '127.0.0.1', requestId: 'walk' };
      return action.execute(db, action.payload.parse(payload), { actor, proposalId, proposedBy: 'asha' });
    }).catch(refused);
  }

  /** Two people let an item go: to the merchant, to us, back by the channel itself, or back by a payout of ours. */
  private leaveSuspense(): () => Promise<unknown> {
    const [chance, receipt] = [this.next(), this.newReceipt()];
    const name = this.one([
      'suspense.to-merchant',
      'suspense.write-off',
      'suspense.given-back',
      'suspense.to-payer',
    ]);
    return async () => {
      const { rows } = await this.database.query(
        `SELECT id, receipt, amount, currency, channel FROM suspense_items
         WHERE receipt LIKE $1 AND transfer_id IS NOT NULL AND left_by IS NULL ORDER BY receipt`,
        [`${this.merchant.accountId.slice(0, 8)}-%`],
      );
      const item = rows[Math.floor(chance * rows.length)];
      if (!item) return;
      const { id, amount, currency } = item;
      const done = await this.agree(name, {
        ...{ item: id, receipt: item.receipt, amount, currency, note: 'a walk' },
        ...(name === 'suspense.to-merchant' ? { account_id: this.merchant.accountId } : {}),
        ...(name === 'suspense.given-back' ? { return_receipt: receipt } : {}),
      });
      if (!done) return;
      if (name === 'suspense.given-back') this.move(item.channel, -amount);
      if (done.begin === undefined) return;
      await recordSend(this.database, { transactionId: done.begin, number: 1 });
      this.truths.set(done.begin, { channel: item.channel, sign: -1, movements: [] });
    };
  }

  /** In the end the channel has told us everything that it moved, and of what it did not move that it failed. */
  async tellAll(): Promise<void> {
    for (const [id, { movements }] of this.truths) {
      const wasAsAsked = movements.some(({ isAsAsked }) => isAsAsked);
      for (const result of [...(wasAsAsked ? [] : [FAILED]), ...movements.map(successOf)])
        await settle(this.database, id, { kind: 'answer', result });
    }
  }
}

const FAILED: Failed = { kind: 'failed', code: 'network_error', channelReference: null };

const successOf = ({ receipt, amount }: Movement): Succeeded => ({
  kind: 'succeeded',
  amount: minor(amount),
  currency: 'TZS',
  channelReference: receipt,
  fullName: null,
});

/** What a rule of ours refuses changes nothing; anything else is a fault. */
function refused(error: unknown): null {
  if (error instanceof GatewayError) return null;
  throw error;
}

describe('a random walk of endings against the books of a channel', function () {
  this.timeout(180_000);
  const test = useTestDatabase({ poolMax: 8 });

  const clearings = async () => {
    const { rows } = await test.database.query(
      `SELECT a.channel, sum(-e.amount) AS amount FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
       WHERE a.kind = 'clearing' GROUP BY 1`,
    );
    return new Map(rows.map(({ channel, amount }) => [channel, Number(amount)]));
  };

  for (const atOnce of [1, 4])
    it(`${atOnce === 1 ? 'one step after the other' : 'several steps at once'}: clearing is what moved (seed ${SEED})`, async () => {
      const next = generatorOf(SEED + atOnce);
      for (let number = 0; number < WALKS; number += 1) {
        const before = await clearings();
        const walk = new Walk(
          test.database,
          await createMerchant(test.database, { balance: 5_000_000 }),
          next,
        );
        for (let step = 0; step < STEPS; step += atOnce)
          await Promise.all(Array.from({ length: atOnce }, () => walk.step()()));
        await walk.tellAll();
        const now = await clearings();
        for (const channel of ['m-pesa', 'bank'])
          assert.equal(
            (now.get(channel) ?? 0) - (before.get(channel) ?? 0),
            walk.moved.get(channel) ?? 0,
            `clearing of ${channel} in walk ${number}`,
          );
        assert.deepEqual(await checkInvariants(test.database), [], `walk ${number}`);
      }
    });
});

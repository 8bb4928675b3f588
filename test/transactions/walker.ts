import type { Failed, Succeeded } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { asRole } from '../support/database.ts';
import { withKills } from '../support/failing-database.ts';
import { notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { agree } from './agree.ts';
import type { Network, Where } from './network.ts';
import { WalkOfBills } from './walker-bills.ts';
import { peopleStep } from './walker-people.ts';

/**
 * What a network really moved of one transaction, whatever it says of it and how often. `isSimple`: once at most, so that a line may
 * have no receipt, or a number of its own. `isDecided`, `isReleased`: two people took its money for theirs, or gave an item of it
 * away or corrected it; where they did not know of each other, no books could be right.
 */
export type Truth = {
  channel: Where;
  sign: 1 | -1;
  reference: string;
  isSimple: boolean;
  movements: Movement[];
  isDecided: boolean;
  isReleased: boolean;
};
type Movement = {
  receipt: string;
  amount: number;
  isAsAsked: boolean;
  /** its line has our reference */
  isNamed: boolean;
  shownAs: string | null;
  back: string | null;
};

const BALANCE = 5_000_000;

export class Walk {
  readonly truths = new Map<string, Truth>();
  /** the payment of each */
  readonly refunds = new Map<string, string>();
  readonly bills = new WalkOfBills(this);
  /** what people gave this merchant or took from it, minor units */
  given = BALANCE * 100;
  private receipts = 0;
  readonly database: Database;
  readonly worker;
  readonly network: Network;
  readonly merchant: Merchant;
  readonly next: () => number;

  constructor(
    { database, network }: { database: Database; network: Network },
    merchant: Merchant,
    next: () => number,
  ) {
    this.database = database;
    this.worker = asRole(database, 'worker');
    this.network = network;
    this.merchant = merchant;
    this.next = next;
  }

  /** A walk of a merchant of its own, whose first money is at the bank. */
  static async begin(of: { database: Database; network: Network }, next: () => number): Promise<Walk> {
    const merchant = await createMerchant(of.database, { balance: BALANCE });
    const receipt = `first ${merchant.accountId}`;
    of.network.move('bank', { amount: BALANCE * 100, receipt, reference: null, kind: 'funding' });
    const walk = new Walk(of, merchant, next);
    await walk.bills.begin();
    return walk;
  }

  readonly below = (count: number): number => Math.floor(this.next() * count);
  readonly one = <T>(of: readonly T[]): T => of[this.below(of.length)] as T;
  get prefix(): string {
    return `${this.merchant.accountId.slice(0, 8)}X`;
  }
  readonly newReceipt = (): string => {
    this.receipts += 1;
    return `${this.prefix}${this.receipts}`;
  };

  /** One step, chosen now: a step that is refused because of what was decided meanwhile changes nothing. */
  step(): () => Promise<unknown> {
    const kinds = [...this.truths.keys()];
    const chance = this.next();
    if (kinds.length < 3 || chance < 0.15) return this.begin();
    if (chance < 0.27) return this.bills.step();
    if (chance < 0.32) return this.refund();
    if (chance < 0.45) return peopleStep(this);
    if (chance < 0.48) return this.fund();
    if (chance < 0.57) return this.show();
    if (chance < 0.59) return this.makeVoid();
    const id = this.one(kinds);
    const truth = this.truths.get(id) as Truth;
    if (chance < 0.64 || (truth.movements.length === 0 && chance < 0.85)) return this.moveAt(truth);
    return chance < 0.68 ? this.giveBack(id, truth) : this.tell(id, truth);
  }

  private begin(): () => Promise<unknown> {
    const request = this.one([
      () => pushRequest(5_000),
      () => mobilePayoutRequest(50_000),
      () => bankPayoutRequest(400_000),
    ])();
    const submission = submissionFor(this.merchant, request);
    const id = submission.transactionId;
    const isSent = this.next() < 0.8;
    const isSimple = this.next() < 0.4;
    return async () => {
      await accept(this.worker, submission);
      const begun = await getTransaction(this.database, id);
      if (!begun) return;
      if (isSent) await recordSend(this.worker, { transactionId: id, number: 1 });
      const sign = request.mode === 'ussd' ? 1 : -1;
      this.know(id, { channel: request.channel as Where, sign, reference: begun.reference, isSimple });
    };
  }
  know(id: string, truth: Pick<Truth, 'channel' | 'sign' | 'reference' | 'isSimple'>): void {
    this.truths.set(id, { ...truth, movements: [], isDecided: false, isReleased: false });
  }

  private refund(): () => Promise<unknown> {
    const pushes = [...this.truths].filter(([, { sign, movements }]) => sign === 1 && movements.length > 0);
    const paid = [...pushes.map(([id]) => id), ...this.bills.paid];
    if (paid.length === 0) return this.begin();
    const of = this.one(paid);
    const submission = submissionFor(this.merchant, refundRequest(of, { amount: 1_000 }));
    const id = submission.transactionId;
    return async () => {
      await accept(this.worker, submission);
      const begun = await getTransaction(this.database, id);
      if (!begun) return;
      try {
        await recordSend(this.worker, { transactionId: id, number: 1 });
      } catch (error) {
        // An earlier refund that had failed was paid all the same, since this one was accepted: it is never sent.
        if (String(error).includes('has the money of this refund already')) return;
        throw error;
      }
      this.know(id, { channel: 'm-pesa', sign: -1, reference: begun.reference, isSimple: false });
      this.refunds.set(id, of);
    };
  }

  /** The channel moves the money: as asked, another amount, or once more. */
  private moveAt(truth: Truth): () => Promise<unknown> {
    const receipt = this.newReceipt();
    const isOdd = this.next() < 0.2;
    const isOurs = this.next() < 0.5;
    const how = truth.isSimple ? this.one(['its own', 'none', 'anew'] as const) : 'its own';
    return async () => {
      const id = [...this.truths].find(([, one]) => one === truth)?.[0] ?? '';
      const transaction = await getTransaction(this.database, id);
      if (!transaction || (transaction.status === 'pending' && transaction.handedOverAt === null)) return;
      if (truth.isSimple && truth.movements.length > 0) return;
      const amount = transaction.amount + (isOdd ? 700 : 0);
      const isNumberedAnew = how === 'anew' && truth.channel === 'bank';
      const shownAs = how === 'none' ? null : isNumberedAnew ? `${receipt}N` : receipt;
      const isNamed = isOurs || how === 'none' || isNumberedAnew;
      truth.movements.push({ receipt, amount, isAsAsked: !isOdd, isNamed, shownAs, back: null });
      this.network.move(truth.channel, {
        amount: truth.sign * amount,
        receipt: shownAs,
        reference: isNamed ? truth.reference : null,
        kind: truth.sign > 0 ? 'payment' : 'payout',
      });
    };
  }

  /** Our bank moves a merchant's own money, and two people type it, or it is shown first. */
  private fund(): () => Promise<unknown> {
    const [receipt, isTopUp] = [this.newReceipt(), this.next() < 0.7];
    const [isShownFirst, isSpelled] = [this.next() < 0.3, this.next() < 0.3];
    const amount = 20_000_00;
    const name = isTopUp ? 'accounts.top-up' : 'accounts.withdraw';
    return async () => {
      this.network.move('bank', {
        amount: isTopUp ? amount : -amount,
        receipt,
        reference: null,
        kind: isTopUp ? 'funding' : 'adjustment',
      });
      if (isShownFirst) await this.showOf('bank', { overlap: 0, graceMs: 1 });
      const reference = isSpelled ? receipt.toLowerCase().replace('x', ' x-') : receipt;
      const asked = { account_id: this.merchant.accountId, amount, currency: 'TZS', reference };
      if (await this.agree(name, asked)) this.given += isTopUp ? amount : -amount;
    };
  }

  private show(): () => Promise<unknown> {
    const where = this.one(['m-pesa', 'm-pesa', 'bank'] as const);
    const how = { overlap: this.one([0, 0, 1, 5]), graceMs: this.one([1, 1, 86_400_000]) };
    return () => this.showOf(where, how);
  }
  showOf(where: Where, how: { overlap: number; graceMs: number }): Promise<void> {
    const api = asRole(this.database, 'api');
    return withKills(api, this.next, (db) => this.network.show(db, where, how));
  }
  private makeVoid(): () => Promise<unknown> {
    const [where, back] = [this.one(['m-pesa', 'bank'] as const), this.one([1, 1, 2])];
    return () =>
      this.network.makeVoid(
        where,
        back,
        async (asked) => (await this.agree('statements.void', { ...asked, note: 'a walk' })) !== null,
      );
  }

  /** The network gives a movement back by itself; its bank may tell so, and its statement shows it. */
  private giveBack(id: string, { channel, sign, movements, reference }: Truth): () => Promise<unknown> {
    const [receipt, isTold] = [this.newReceipt(), this.next() < 0.5];
    const movement = movements.length > 0 ? this.one(movements) : null;
    return async () => {
      if (movement === null || movement.back !== null) return;
      movement.back = receipt;
      const { amount, isAsAsked, shownAs } = movement;
      const names = [shownAs ?? reference];
      const kind = sign > 0 ? 'reversal' : 'return';
      this.network.move(channel, { amount: -sign * amount, receipt, reference: null, kind, names });
      if (sign > 0 || !isAsAsked || !isTold) return;
      const content = { kind: 'returned', amount: minor(amount), currency: 'TZS', reason: 'AC04' } as const;
      await notify(asRole(this.database, 'api'), id, { ...content, channelReference: receipt });
      await this.read(id);
    };
  }
  private tell(id: string, truth: Truth): () => Promise<unknown> {
    const how = this.next();
    const moved = truth.movements.length > 0 ? this.one(truth.movements) : null;
    // Its channel may tell it without its receipt, where its line names us and it is one movement alone.
    const isUnnamed = truth.isSimple && moved?.isNamed && this.next() < 0.3;
    const success = moved && { ...successOf(moved), ...(isUnnamed ? { channelReference: null } : {}) };
    const says = success !== null && this.next() < 0.7 ? success : FAILED;
    const outcome = this.one(['paid', 'failed'] as const);
    // A channel that never answers does not say in the end that it failed: then people's word stays. It does say so, in
    // `tellAll`, where it moved nothing as it was asked to.
    const silent = truth.movements.some(({ isAsAsked }) => isAsAsked) ? (['unanswered'] as const) : [];
    const cause = this.one(['cancel', 'never_arrived', 'unsent', ...silent] as const);
    return async () => {
      if (how < 0.4)
        return withKills(this.worker, this.next, (db) => tryToEnd(db, id, { kind: 'answer', result: says }));
      if (how < 0.7) {
        await notify(asRole(this.database, 'api'), id, says);
        return this.read(id);
      }
      if (how < 0.85) return this.decide(id, truth, outcome);
      const transaction = await getTransaction(this.database, id);
      const isSent = transaction?.handedOverAt !== null;
      // The flow never says so: it knows whether anything was sent.
      if ((isSent && cause === 'unsent') || (!isSent && cause === 'never_arrived')) return null;
      const isAbsent = cause === 'never_arrived';
      return tryToEnd(this.worker, id, isAbsent ? { kind: cause, afterDecision: true } : { kind: cause });
    };
  }
  /** Its channel was asked for a day. */
  async decide(id: string, truth: Truth, outcome: 'paid' | 'failed'): Promise<unknown> {
    await raiseAttention(this.database, { transactionId: id, reason: 'unknown_outcome', detail: 'a walk' });
    if (outcome === 'paid' && truth.isReleased) return null;
    truth.isDecided ||= outcome === 'paid';
    await this.agree('attention.decide', { transaction_id: id, outcome, note: 'a walk' });
    return this.read(id);
  }
  private read(id: string) {
    return withKills(this.worker, this.next, (db) => tryToEnd(db, id, { kind: 'notifications' }));
  }

  agree(name: string, payload: object) {
    return agree(this.database, name, payload);
  }

  /** In the end the channel has told us everything that it moved, and of what it did not move that it failed. */
  async tellAll(): Promise<void> {
    for (const [id, { movements }] of this.truths) {
      const wasAsAsked = movements.some(({ isAsAsked }) => isAsAsked);
      for (const result of [...(wasAsAsked ? [] : [FAILED]), ...movements.map(successOf)])
        await tryToEnd(this.worker, id, { kind: 'answer', result });
    }
    await this.bills.tellAll();
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

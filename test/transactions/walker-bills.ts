import { recordSend } from '../../src/transactions/channel/sends.ts';
import { type BillNotification, receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, expireBill, paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { withKills } from '../support/failing-database.ts';
import { billRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import type { Database } from '../support/queryable.ts';
import type { Walk } from './walker.ts';

/** `id`: of a number, or of the bill. */
type Payable = { id: string; controlNumber: string; isOpen: boolean };
/** A payment that a network took, and what its door may say of it. `amount`: minor units that moved. */
type Taken = { ways: BillNotification[]; amount: number; isReleased: boolean };

/** What customers pay of one merchant's bills and numbers. */
export class WalkOfBills {
  private readonly walk: Walk;
  private readonly payables: Payable[] = [];
  /** that were accepted: what may be refunded */
  readonly paid = new Set<string>();
  private readonly taken: Taken[] = [];
  /** that a network has taken, and not told of yet */
  private readonly untold: BillNotification[] = [];
  private count = 0;

  constructor(walk: Walk) {
    this.walk = walk;
  }

  async begin(): Promise<void> {
    const { database, merchant } = this.walk;
    const { id, controlNumber } = await makeNumber(database, merchant);
    this.payables.push({ id, controlNumber, isOpen: true });
  }

  async add(id: string, isOpen: boolean): Promise<void> {
    const controlNumber = await controlNumberOf(this.walk.database, id);
    this.payables.push({ id, controlNumber, isOpen });
  }

  step(): () => Promise<unknown> {
    const chance = this.walk.next();
    if (chance < 0.1) return this.bill();
    if (chance < 0.6) return this.pay();
    if (chance < 0.72) return this.payOddly();
    if (chance < 0.8) return this.tellAgain();
    if (chance < 0.88) return this.nameAmount();
    return chance < 0.94 ? this.push() : this.end();
  }

  private bill(): () => Promise<unknown> {
    const { worker, merchant, one } = this.walk;
    const mode = one(['exact', 'flexible'] as const);
    const submission = submissionFor(merchant, billRequest(25_000, { mode }));
    return async () => {
      await accept(worker, submission);
      await this.add(submission.transactionId, mode === 'flexible');
    };
  }

  /** The customer pays, and the network tells of it: at once or later, once or more often. */
  private pay(): () => Promise<unknown> {
    const { next, one, network, newReceipt } = this.walk;
    const known = this.taken.length > 0 && next() < 0.3 ? one(this.taken).ways[0] : undefined;
    const number = next() < 0.9 ? one(this.payables).controlNumber : '77000000';
    const amount = one([15_000, 15_000, 10_000, 25_000]);
    const refusalReturnsMoney = next() < 0.5;
    const payment = known ?? paymentOf(number, amount, { receipt: newReceipt(), refusalReturnsMoney });
    const [isOurs, isToldLater] = [next() < 0.5, next() < 0.3];
    const moves = () => {
      const { receipt } = payment;
      const reference = isOurs ? number : null;
      network.move('m-pesa', { amount: amount * 100, receipt, reference, kind: 'payment' });
    };
    return async () => {
      if (known) return this.tell(known);
      if (!refusalReturnsMoney && isToldLater) {
        this.untold.push(payment);
        return moves();
      }
      // Refused, it goes back to its customer.
      if ((await this.tell(payment)) === 'refused') return;
      this.taken.push({ ways: [payment], amount: amount * 100, isReleased: false });
      moves();
    };
  }

  /** Its door has no receipt, or no amount that anybody can read; it may tell the rest later. */
  private payOddly(): () => Promise<unknown> {
    const { next, one, network, newReceipt } = this.walk;
    this.count += 1;
    // Without a receipt its customer and amount say which one it is.
    const shillings = 11_000 + this.count;
    const receipt = newReceipt();
    const isUnreadable = next() < 0.5;
    const able = this.payables.filter(({ isOpen }) => isOpen || isUnreadable);
    const controlNumber = next() < 0.15 ? '77000000' : one(able).controlNumber;
    const whole = paymentOf(controlNumber, shillings, { receipt, refusalReturnsMoney: false });
    const odd = isUnreadable
      ? { ...whole, amount: null, amountAsSent: '1e5' }
      : { ...whole, receipt: `try-${receipt}`, hasReceipt: false };
    const also = isUnreadable ? whole : { ...whole, hasReceipt: true };
    const ways = next() < 0.5 ? [odd] : [odd, also];
    const isNamed = !isUnreadable || next() < 0.5;
    const [isToldFirst, hasReceipt] = [next() < 0.6, isUnreadable || next() < 0.6];
    return async () => {
      const taken = { ways, amount: shillings * 100, isReleased: false };
      this.taken.push(taken);
      const reference = isNamed ? controlNumber : null;
      const shown = { receipt: hasReceipt ? receipt : null, reference, kind: 'payment' } as const;
      network.move('m-pesa', { amount: taken.amount, ...shown });
      if (isToldFirst) await this.tell(odd);
    };
  }

  private tellAgain(): () => Promise<unknown> {
    if (this.taken.length === 0) return this.pay();
    const { isReleased, ways } = this.walk.one(this.taken);
    const way = this.walk.one(ways);
    return async () => (isReleased && way.hasReceipt === false ? null : this.tell(way));
  }

  private async tell(payment: BillNotification) {
    const { database, next } = this.walk;
    const decision = await withKills(asRole(database, 'api'), next, (db: Database) =>
      receiveBillPayment(db, payment),
    );
    if (decision.outcome === 'accepted') this.paid.add(decision.transactionId);
    return decision.outcome;
  }

  /** Two people learn how much it was; where it is booked already, they say that nothing more came. */
  private nameAmount(): () => Promise<unknown> {
    const odd = this.taken.filter(({ ways }) => ways[0]?.amount === null);
    if (odd.length === 0) return this.payOddly();
    const taken = this.walk.one(odd);
    return () => this.name(taken);
  }
  private async name({ ways, amount }: Taken): Promise<void> {
    const receipt = ways[0]?.receipt;
    const { rows } = await this.walk.database.query(
      'SELECT id FROM suspense_items WHERE receipt = $1 AND amount = 0 AND is_open',
      [receipt],
    );
    for (const { id } of rows) {
      const asked = { item: id, receipt, currency: 'TZS', note: 'a walk' };
      if (!(await this.walk.agree('suspense.name-amount', { ...asked, amount })))
        await this.walk.agree('suspense.name-amount', { ...asked, amount: 0 });
    }
  }

  /** A push that its payer asks for on the page of a bill or number. */
  private push(): () => Promise<unknown> {
    const { database, worker, merchant, one, below } = this.walk;
    const { id: pays } = one(this.payables);
    const request = { ...pushRequest(25_000, `25575400${10_000 + below(90_000)}`.slice(0, 12)), pays };
    const submission = submissionFor(merchant, request);
    const id = submission.transactionId;
    return async () => {
      await accept(worker, submission);
      const begun = await getTransaction(database, id);
      if (!begun) return;
      await recordSend(worker, { transactionId: id, number: 1 });
      this.walk.know(id, { channel: 'm-pesa', sign: 1, reference: begun.reference, isSimple: false });
    };
  }

  /** Its merchant cancels it, or its time is over. */
  private end(): () => Promise<unknown> {
    const { database, worker, one, next } = this.walk;
    const { id } = one(this.payables);
    const isCancelled = next() < 0.5;
    return async () => {
      if (!(await getTransaction(database, id))) return null;
      return isCancelled ? tryToEnd(worker, id, { kind: 'cancel' }) : expireBill(database, id);
    };
  }

  /** People gave an item of this amount away: told without a receipt now, it could only be another payment. */
  release(amount: number): void {
    for (const taken of this.taken) taken.isReleased ||= taken.amount === amount;
  }

  async tellAll(): Promise<void> {
    for (const payment of this.untold) await this.tell(payment);
    for (const { ways, isReleased } of this.taken)
      if (!isReleased || ways[0]?.hasReceipt !== false) for (const way of ways) await this.tell(way);
    for (const taken of this.taken) await this.name(taken);
  }
}

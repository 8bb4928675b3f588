import { MINOR_PER_UNIT, type Minor, minor } from '../../../src/domain/money.ts';
import type { AnswerStyle, Refusal, Step } from './scenario.ts';
import type { Ask } from './wire-log.ts';

/** Times are milliseconds since 1970, money is TZS. */
export type Order = {
  /** the rail's own id */
  id: string;
  rail: string;
  /** the client's id of the request; the rail deduplicates by it and by the reference */
  clientId: string;
  reference: string;
  direction: 'in' | 'out';
  network: string;
  party: string;
  amount: number;
  currency: string;
  callbackUrl: string | null;
  receivedAt: number;
  /** when a prompt expires, or an unanswered payout ends */
  expiresAt: number;
  state: 'pending' | 'succeeded' | 'failed';
  /** null unless it failed */
  refusal: Refusal | null;
  settledAt: number | null;
  /** the amount that moved, and the receipt that it has or will have */
  movedAmount: number | null;
  receipt: string;
  returned: boolean;
  /** absent before it is returned */
  returnedAt?: number;
  failureSeen: boolean;
  /** the current step first; a running `wait` ends at `waitUntil` */
  steps: Step[];
  waitUntil: number | null;
  detail: Record<string, unknown>;
};

export function movedBy(order: Order): Minor {
  return minor(Math.round((order.movedAmount ?? order.amount) * MINOR_PER_UNIT));
}

/** A request as a rail reads it. Defaults: a new `id` and `receipt`, TZS, no notification. */
export type NewOrder = Pick<
  Order,
  'rail' | 'clientId' | 'reference' | 'direction' | 'network' | 'party' | 'amount'
> &
  Partial<Pick<Order, 'id' | 'currency' | 'callbackUrl' | 'receipt' | 'detail'>>;

/** How a rail notifies its client. Resolves when it was delivered or has failed; never rejects. */
export type Notify = (order: Order, call: NotifyCall) => Promise<void>;
export type NotifyCall = { signal: AbortSignal; ask: Ask };

export type Reception =
  /** recorded; `done` resolves when all its steps are done */
  | { kind: 'recorded'; order: Order; answer: AnswerStyle; done: Promise<void> }
  /** the client id or the reference was seen before */
  | { kind: 'duplicate'; order: Order }
  /** ending 169: nothing is recorded, and the caller destroys the connection */
  | { kind: 'dropped' };

import type { Failed, Succeeded } from './channel.ts';
import type { DeliveryOutcome } from './event.ts';
import type { FailureCode } from './failure-code.ts';
import type { Transaction } from './transaction.ts';

/** Stored notifications and decisions are read for every cause. Any explicit success wins. */
export type Cause =
  /** the channel's explicit answer to a send or an enquiry */
  | { kind: 'answer'; result: Succeeded | Failed }
  /** Postgres has news: notifications, or a decision */
  | { kind: 'notifications' }
  /** the merchant or an operator cancels, only before the hand-over */
  | { kind: 'cancel' }
  /** Postgres lost the cancellation; `recover` restores it by its MAC, which Temporal has */
  | { kind: 'cancelled_before' }
  /** provably never sent, and too late to send */
  | { kind: 'unsent' }
  /** the channel said `not found` for long enough after the last send, or after a decision */
  | { kind: 'never_arrived'; afterDecision?: true }
  | { kind: 'expired' }
  /** a decision ended it, and its channel did not answer in the time for enquiries */
  | { kind: 'unanswered' };

/** `needs`: why a person must look, as a reason that Postgres stores, or in words. */
export type Ended<Need = string> = {
  status: Transaction['status'];
  /** events to deliver, oldest first, with undelivered earlier ones */
  events: string[];
  /** outcome of the oldest event's first attempt, if one was made */
  first?: DeliveryOutcome;
  /** operators decided the end; the channel has neither confirmed nor contradicted it */
  unconfirmed?: boolean;
  failureCode?: FailureCode;
  /** id of the bill or number that a push from a page pays; never in a Temporal history */
  pays?: string;
  /** proves that our worker read a cancellation in Postgres; `recover` believes only this proof */
  proof?: string;
  needs?: Need[];
  /** amounts for people */
  paidInPart?: { paid: string; missing: string };
};

/** `refused`: nothing was accepted. */
export type FlowResult = {
  status: Ended['status'] | 'refused';
  failure_code: FailureCode | null;
  proof?: string;
};

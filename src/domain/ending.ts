import type { Failed, Succeeded } from './channel.ts';
import type { DeliveryOutcome } from './event.ts';
import type { FailureCode } from './failure-code.ts';
import type { Transaction } from './transaction.ts';

/** Stored notifications and decisions are always read. Any explicit success wins. */
export type Cause =
  /** the channel's explicit answer to a send or an enquiry */
  | { kind: 'answer'; result: Succeeded | Failed }
  /** Postgres has news: notifications, or a decision */
  | { kind: 'notifications' }
  /** the merchant (or an operator) cancels: only before the hand-over */
  | { kind: 'cancel' }
  /** Postgres lost the cancellation, and Temporal has its MAC: `recover` restores it */
  | { kind: 'cancelled_before' }
  /** provably never sent, and too late to send */
  | { kind: 'unsent' }
  /** `not found` held long enough after the last send, or after a decision: it never arrived */
  | { kind: 'never_arrived'; afterDecision?: true }
  /** a bill or QR code expired */
  | { kind: 'expired' }
  /** a decision ended it, and its channel did not answer in the time for enquiries */
  | { kind: 'unanswered' };

/** `needs`: why a person must look: Postgres's reason, or words. */
export type Ended<Need = string> = {
  status: Transaction['status'];
  /** callback events to deliver, oldest first, with undelivered earlier ones */
  events: string[];
  /** outcome of the oldest event's first attempt, if made */
  first?: DeliveryOutcome;
  /** operators decided it; its channel has neither confirmed nor contradicted */
  unconfirmed?: boolean;
  failureCode?: FailureCode;
  /** what a push from a page pays; in no history */
  pays?: string;
  /** proves that our worker read a cancellation in Postgres; `recover` believes no other */
  proof?: string;
  needs?: Need[];
  /** a partly paid bill or QR code, for people */
  paidInPart?: { paid: string; missing: string };
};

/** `refused`: nothing was accepted. */
export type FlowResult = {
  status: Ended['status'] | 'refused';
  failure_code: FailureCode | null;
  proof?: string;
};

import type { Failed, Succeeded } from './channel.ts';
import type { DeliveryOutcome } from './event.ts';
import type { FailureCode } from './failure-code.ts';
import type { Transaction } from './transaction.ts';

/** Stored notifications and decisions are read in any case. An explicit success wins, whatever its source. */
export type Cause =
  /** an explicit answer of the channel to a send or an enquiry */
  | { kind: 'answer'; result: Succeeded | Failed }
  /** Postgres has something to read: notifications that came in, or a decision */
  | { kind: 'notifications' }
  /** the merchant (or an operator) cancels: only before the hand-over */
  | { kind: 'cancel' }
  /** Postgres has lost that it was cancelled, and Temporal has the proof: it is made so again (recover) */
  | { kind: 'cancelled_before' }
  /** nothing was ever sent, provably, and it is too late to send */
  | { kind: 'unsent' }
  /** `not found` held long enough after the last send: it never arrived */
  | { kind: 'never_arrived' }
  /** the time of a bill or QR code is over */
  | { kind: 'expired' }
  /** a decision ended it, and its channel gave no answer until the time for asking was over */
  | { kind: 'unanswered' };

/** `needs` say why a person has to look: a reason as Postgres has it, or words for people. */
export type Ended<Need = string> = {
  status: Transaction['status'];
  /** callback events to deliver, oldest first: of this settlement or of an earlier one that was not delivered */
  events: string[];
  /** tells how the first attempt to deliver the oldest event ended, if it was made already */
  first?: DeliveryOutcome;
  /** people decided it, and its channel has not said yet whether they were right */
  unconfirmed?: boolean;
  /** why it failed; absent where it did not */
  failureCode?: FailureCode;
  /** a push of a pay page pays this; no history has it */
  pays?: string;
  /** proves that a worker of ours read a cancellation in Postgres; `recover` believes no other */
  proof?: string;
  /** absent where nobody has to look */
  needs?: Need[];
  /** people read this of a bill or QR code that is paid in part */
  paidInPart?: { paid: string; missing: string };
};

/** `refused` means that nothing was accepted. */
export type FlowResult = {
  status: Ended['status'] | 'refused';
  failure_code: FailureCode | null;
  proof?: string;
};

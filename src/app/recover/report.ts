import type { Restored } from '../../transactions/rescue/restoring.ts';

export type RecoverReport = Record<Restored, number> & {
  /** why Postgres is not what Temporal knows; null: nothing to recover */
  reason: string | null;
  /** transactions that Temporal still remembers */
  workflows: number;
  /** cancelled before, pending in the copy */
  cancelled: number;
  numbers: number;
  /** batches that came back: paused, with their holds; or cancelled, where they waited for their time */
  batches: number;
  /** the numbers, each by its control number: open, whatever it was */
  reopened: string[];
  /** payments of bills and numbers that were credited again */
  billPayments: number;
  /** payments of bills whose bill was paid by somebody else since: they are in suspense */
  suspended: number;
  /** their merchants have no answer: each flow accepts it by itself once the fence is lifted */
  unanswered: number;
  /** pending at their channels: each is asked about before anything is decided */
  pending: number;
  /** each names a transaction that could not be brought back, and the reason */
  problems: string[];
  /** money that is in suspense here, and may have left it after the copy: nothing is missing, and each has to be looked at */
  suspense: string[];
  isLifted: boolean;
};

export function emptyReport(reason: string | null): RecoverReport {
  const counts = { restored: 0, there: 0, uncovered: 0, account_unknown: 0, unanswered: 0 };
  const booked = {
    workflows: 0,
    cancelled: 0,
    numbers: 0,
    batches: 0,
    billPayments: 0,
    suspended: 0,
    pending: 0,
  };
  return { ...counts, ...booked, reason, problems: [], reopened: [], suspense: [], isLifted: false };
}

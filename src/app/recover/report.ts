import type { Restored } from '../../transactions/rescue/restoring.ts';

export type RecoverReport = Record<Restored, number> & {
  /** how Postgres differs from what Temporal remembers; null: nothing to recover */
  reason: string | null;
  workflows: number;
  cancelled: number;
  numbers: number;
  batches: number;
  reopened: string[];
  billPayments: number;
  /** payments in suspense, because another customer has paid their bill since */
  suspended: number;
  /** submissions without an answer: each flow accepts its own after the fence is lifted */
  unanswered: number;
  /** transactions pending at their channels, which are asked before anything is decided */
  pending: number;
  problems: string[];
  /** suspense items that may have left after the copy: people must check each */
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

import type { Restored } from '../../transactions/rescue/restoring.ts';

export type RecoverReport = Record<Restored, number> & {
  /** why Postgres is not what Temporal knows; null: nothing to recover */
  reason: string | null;
  workflows: number;
  cancelled: number;
  numbers: number;
  batches: number;
  reopened: string[];
  billPayments: number;
  /** payments in suspense, because somebody else has paid their bill since */
  suspended: number;
  /** submissions without an answer: each flow accepts its own once the fence is lifted */
  unanswered: number;
  /** pending at their channels, which are asked before anything is decided */
  pending: number;
  problems: string[];
  /** may have left suspense after the copy: people must check each */
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

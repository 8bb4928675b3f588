/** Counts of one run of the sweep. */
export type SweepReport = {
  signalled: number;
  resumed: number;
  /** resends of callbacks that no workflow was working on */
  resent: number;
  flagged: number;
  refused: number;
  /** lines of statements that waited, and are matched or in their class by now */
  explained: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

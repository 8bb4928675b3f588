/** What one run of the sweep did, as counts. */
export type SweepReport = {
  signalled: number;
  resumed: number;
  /** resends of callbacks that no workflow was working on */
  resent: number;
  flagged: number;
  refused: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

export type SweepReport = {
  signalled: number;
  resumed: number;
  /** resends of callbacks without a workflow */
  resent: number;
  flagged: number;
  refused: number;
  /** waiting lines that are matched or classified now */
  explained: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

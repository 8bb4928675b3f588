/** Counts of one run of the daily settlements. */
export type SettleReport = {
  /** settlements that were begun; what becomes of each is its own flow's to say */
  started: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

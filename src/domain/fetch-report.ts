/** A history keeps it, so it has no lines or names. */
export type FetchReport = {
  accounts: number;
  /** new lines, of all accounts */
  lines: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

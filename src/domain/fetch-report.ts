/** Counts of one fetching of statements. Neither a line nor a name is in it: it is kept in a history. */
export type FetchReport = {
  accounts: number;
  /** counts lines that were not known, of all accounts */
  lines: number;
  /** nothing was done: Postgres is behind what Temporal knows (transactions/care/fence.ts) */
  fenced: boolean;
};

/** Counts of one run of the daily settlements. */
export type SettleReport = {
  /** settlements started; each one's own flow knows its outcome */
  started: number;
};

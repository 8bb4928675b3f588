/** Counts of one run of the daily settlements. */
export type SettleReport = {
  /** settlements that were begun; what becomes of each is its own flow's to say */
  started: number;
};

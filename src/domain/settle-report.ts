/** Counts of one run of the daily settlements. */
export type SettleReport = {
  /** started ones; each flow knows its outcome */
  started: number;
};

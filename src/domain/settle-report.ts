export type SettleReport = {
  /** started ones; each flow knows its outcome */
  started: number;
};

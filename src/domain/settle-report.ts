export type SettleReport = {
  /** settlements started; each flow knows its own outcome */
  started: number;
};

export type SettleReport = {
  started: number;
};

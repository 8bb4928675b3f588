export type SweepReport = {
  signalled: number;
  resumed: number;
  /** resends of callbacks without a workflow */
  resent: number;
  flagged: number;
  refused: number;
  /** waiting lines that are matched or classified now */
  explained: number;
  /** the fence is closed: nothing was done */
  fenced: boolean;
};

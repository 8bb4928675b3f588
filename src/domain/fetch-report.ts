/** Workflow histories keep this report, so it has no lines or names. */
export type FetchReport = {
  accounts: number;
  /** new lines, of all accounts */
  lines: number;
  /** the fence is closed: nothing was done */
  fenced: boolean;
};

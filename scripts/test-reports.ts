/** What stands before the line in which a mocha process tells of a file that ended. */
export const REPORT_MARK = '\u0001file ';

/** `file` is null where a shard broke off. */
export type Failure = { file: string | null; what: string };

/** `processorSeconds` includes what the file started; 0 where the system does not tell. */
export type FileReport = {
  file: string;
  passed: number;
  skipped: string[];
  failures: Failure[];
  /** tests that took so long that a busier machine may end them */
  nearLimit: string[];
  seconds: number;
  processorSeconds: number;
};

/** The sums, as `N passed, N failed` prints them, and everything that failed. */
export function totalsOf(reports: readonly Pick<FileReport, 'passed' | 'skipped' | 'failures'>[]) {
  return {
    passed: reports.reduce((total, { passed }) => total + passed, 0),
    skipped: reports.flatMap(({ skipped }) => skipped),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

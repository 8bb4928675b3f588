import type { Mark } from '../domain/mark.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import { noteSwept, passFence } from '../transactions/care/fence.ts';
import { type Duty, duties, type Needs } from './duties.ts';
import { createTally, outcomeOf } from './sweep-tally.ts';

type Always = 'database' | 'client' | 'submissionKeys';
/** A missing part is skipped: no alarms, no accounts, no links. */
type SweepDeps = Pick<Needs, Always> & {
  unattendedAfterMs: number;
  /** Temporal remembers how far Postgres has come (schedule.ts) */
  keepMark: (mark: Mark) => Promise<void>;
  observeFailure?: (duty: string) => void;
} & Partial<Omit<Needs, Always | 'lateMs' | 'newsMs'>>;

/** Repairs what was lost: repeats signals, restarts workflows, answers abandoned keys. */
export function createSweep(deps: SweepDeps) {
  const { database, unattendedAfterMs, keepMark, observeFailure = () => {} } = deps;
  const needs: Needs = {
    volumeAlarms: [],
    certificates: [],
    statementAccounts: [],
    controlNumberPrefix: undefined,
    links: { workflowUrl: () => null },
    ...deps,
    lateMs: unattendedAfterMs,
    newsMs: Math.min(unattendedAfterMs, 10_000),
  };

  return {
    duties: [KEEP_MARK, ...duties.map(({ name }) => name)],
    /** Closes the fence and does no more if Postgres is behind Temporal: missing rows must decide nothing. */
    async sweep(known: Mark | null = null): Promise<SweepReport> {
      const tally = createTally();
      const mark = await passFence(database, known);
      if (mark === null) return { ...tally.report, fenced: true };
      const failed: unknown[] = [];
      const first: Duty = { name: KEEP_MARK, perform: () => keepMark(mark) };
      for (const { name, perform } of [first, ...duties]) {
        try {
          await perform(needs, tally);
        } catch (error) {
          observeFailure(name);
          failed.push(new Error(`the sweep could not ${name}`, { cause: error }));
        }
      }
      if (failed.length === 0) await noteSwept(database);
      return outcomeOf(tally, failed);
    },
  };
}

const KEEP_MARK = 'keep the mark';

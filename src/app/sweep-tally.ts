import { workAtOnce } from '../base/at-once.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import { SWEEP_BATCH } from '../transactions/rescue/orphans.ts';

/** batches of rows per duty and sweep; the next sweep continues */
const BATCHES_MAX = 20;
/** No duty starts another batch after this time, so later duties get their turn. */
const DUTY_MS_MAX = 20_000;

/** A failing duty or transaction must not delay the others, but people must see it. */
export function outcomeOf(tally: Tally, failed: readonly unknown[]): SweepReport {
  const errors = [...failed, ...tally.errors];
  if (errors.length === 0) return tally.report;
  // Temporal keeps an error's cause but no list, so people see the first error there.
  throw new AggregateError(errors, `${errors.length} tasks of the sweep failed`, { cause: errors[0] });
}

export type Tally = ReturnType<typeof createTally>;
export type Count = Exclude<keyof SweepReport, 'fenced'>;
export type Done = 'signalled' | 'resumed' | 'resent' | null;

export function createTally() {
  const report: SweepReport = {
    signalled: 0,
    resumed: 0,
    resent: 0,
    flagged: 0,
    refused: 0,
    explained: 0,
    fenced: false,
  };
  const errors: unknown[] = [];

  async function each<T>(items: readonly T[], work: (item: T) => Promise<Done>): Promise<void> {
    await workAtOnce(items, async (item) => {
      try {
        const done = await work(item);
        if (done !== null) report[done] += 1;
      } catch (error) {
        errors.push(error);
      }
    });
  }

  return {
    report,
    errors,
    each,
    async batches<T>(take: () => Promise<T[]>, work: (item: T) => Promise<Done>): Promise<void> {
      const begun = performance.now();
      for (let batch = 0; batch < BATCHES_MAX && performance.now() - begun < DUTY_MS_MAX; batch += 1) {
        const items = await take();
        await each(items, work);
        if (items.length < SWEEP_BATCH) return;
      }
    },
    add(count: Count, number: number): void {
      report[count] += number;
    },
  };
}

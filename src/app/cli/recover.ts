import { CommandError } from '../../operators/cli/command-error.ts';
import type { To } from '../../operators/cli/context.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { AccountDay } from '../../reconciliation/closed-days.ts';
import type { Agreed } from '../recover/recover.ts';
import type { RecoverReport } from '../recover/report.ts';

/** Opens both stores itself, after a restore or a failover that lost commits (restored.md). */
export function addCommands({ program, onStores }: To): void {
  program
    .command('recover')
    .description('bring back from Temporal what a restored Postgres has lost, then let payments go on')
    .option('--dry-run', 'only show what it would do')
    .option('--lift-anyway <proposal>', 'also if records are missing, as two operators agreed (fence lift)')
    .action(({ dryRun: isDry = false, liftAnyway: proposal }: Options) =>
      onStores(async ({ config, ownerDatabase, temporal, actor, print }) => {
        const { missingIn, recover } = await import('../recover/recover.ts');
        const { whenFenced } = await import('../../transactions/care/fence.ts');
        const database = ownerDatabase();
        await requireOwner(database);
        const agreed = proposal === undefined ? null : await readAgreed(database, proposal);
        const submissionKeys = config.SUBMISSION_KEY;
        const { client } = temporal();
        const report = await recover({ database, client, submissionKeys, actor, isDry, agreed });
        if (report.reason === null)
          return print('Postgres has everything that Temporal knows: there is nothing to recover');
        for (const line of tableOf(report)) print(line);
        const { closedDays } = await import('../../reconciliation/closed-days.ts');
        for (const line of statementsAgain(await closedDays(database))) print(line);
        if (isDry) return print('Nothing was changed');
        const missing = missingIn(report);
        if (!report.isLifted) throw new CommandError(whatToDo(await whenFenced(database), missing));
        print(
          missing > 0
            ? 'The fence is lifted although records are missing: payments go on'
            : 'The fence is lifted: payments go on',
        );
      }),
    );
}

type Options = { dryRun?: boolean; liftAnyway?: string };

async function readAgreed(database: Database, proposal: string): Promise<Agreed> {
  const { agreedToMiss } = await import('../../transactions/care/fence.ts');
  const missing = await agreedToMiss(database, proposal);
  if (missing !== null) return { proposal, missing };
  throw new CommandError(`${proposal} is not an approved proposal to lift the fence as it is closed now.`);
}

const whatToDo = (closedAt: string | null, missing: number) =>
  'Records are missing, so the fence stays closed. ' +
  'Make the lost top-ups again, then run recover again. ' +
  'To go on without the rest, two operators must agree: ' +
  `fence lift --closed-at ${closedAt} --missing ${missing} --reason …, ` +
  'then recover --lift-anyway <proposal> (docs/operations/restored.md).';

function tableOf(report: RecoverReport): string[] {
  const lines: [string, number][] = [
    ['transactions that Temporal remembers', report.workflows],
    ['brought back', report.restored],
    ['cancelled again', report.cancelled],
    ['standing numbers brought back', report.numbers],
    ['batches brought back, paused (or cancelled before their time)', report.batches],
    ['payments of bills and numbers posted again', report.billPayments],
    ['payments of bills in suspense, because somebody else has paid since', report.suspended],
    ['not answered yet: each goes on when the fence is lifted', report.unanswered],
    ['not covered by the balance', report.uncovered],
    ['of an account that does not exist', report.account_unknown],
    ['pending: each channel is asked before anything is decided', report.pending],
    ['could not be brought back', report.problems.length],
  ];
  const open: [string, number] = [
    'in suspense here, but may have been released after the copy: check each one before you release it',
    report.suspense.length,
  ];
  const reopened: [string, number] = [
    'of these numbers are open, because no record says if one was closed: ' +
      'ask their merchants, and close those numbers again',
    report.reopened.length,
  ];
  const line = ([what, count]: [string, number]) => `${String(count).padStart(8)}  ${what}`;
  return [
    `Postgres does not remember what it did: ${report.reason}`,
    ...lines.map(line),
    ...report.problems.map((problem) => `          ${problem}`),
    ...(report.reopened.length > 0 ? [line(reopened)] : []),
    ...report.reopened.map((number) => `          ${number}`),
    line(open),
    ...report.suspense.map((item) => `          ${item}`),
  ];
}

/** The copy lacks later reports of networks and banks, and operators' decisions on them. */
export function statementsAgain(closed: readonly AccountDay[]): string[] {
  return [
    'Import the statements since the copy again, and decide again about their lines',
    ...closed.map(
      ({ account, day }) => `          ${day} of ${account} is closed: reopen it if lines are missing`,
    ),
  ];
}

/** Append-only tables are rewritten, which only their owner may do, not a process's role. */
export async function requireOwner(database: Database): Promise<void> {
  const { rows } = await database.query(
    "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'fence'::regclass",
  );
  if (!rows[0]?.is_owner)
    throw new CommandError('Set MIGRATION_DATABASE_URL: only the owner of the tables can do this.');
}

import type { Command } from 'commander';
import type { Database } from '../db/pool.ts';
import { isMissing, type RecoverReport, recover } from '../temporal/recover.ts';
import { CommandError } from './command-error.ts';
import type { RunOnStores } from './context.ts';

/** After a restore or a failover that lost commits (docs/operations/restored.md). Opens both stores itself. */
export function addRecoverCommand(program: Command, run: RunOnStores): void {
  program
    .command('recover')
    .description('bring back from Temporal what a restored Postgres has lost, then let payments go on')
    .option('--dry-run', 'only say what it would do')
    .option('--lift-anyway', 'let payments go on although something could not be brought back')
    .action(({ dryRun: isDry = false, liftAnyway: liftsAnyway = false }: Options) =>
      run(async ({ config, ownerDatabase, temporal, actor, print }) => {
        const database = ownerDatabase();
        await requireOwner(database);
        const submissionKeys = config.SUBMISSION_KEY;
        const { client } = temporal();
        const report = await recover({ database, client, submissionKeys, actor, isDry, liftsAnyway });
        if (report.reason === null)
          return print('Postgres is what Temporal knows: there is nothing to recover');
        for (const line of tableOf(report)) print(line);
        if (isDry) return print('Nothing was changed');
        if (!report.isLifted) throw new CommandError(WHAT_TO_DO);
        print(
          isMissing(report)
            ? 'The fence is lifted although something is missing: payments go on'
            : 'The fence is lifted: payments go on',
        );
      }),
    );
}

type Options = { dryRun?: boolean; liftAnyway?: boolean };

const WHAT_TO_DO =
  'Something is missing, so the fence stays closed. Make the top-ups that are lost again, then run recover again. ' +
  'What nobody can bring back stays away: lift the fence with --lift-anyway (docs/operations/restored.md).';

function tableOf(report: RecoverReport): string[] {
  const lines: [string, number][] = [
    ['transactions that Temporal remembers', report.workflows],
    ['brought back', report.restored],
    ['cancelled again', report.cancelled],
    ['payments of bills posted again', report.billPayments],
    ['not answered yet: each goes on by itself once the fence is lifted', report.unanswered],
    ['not covered by the balance', report.uncovered],
    ['of an account that is not there', report.account_unknown],
    ['pending: each channel is asked before anything is decided', report.pending],
    ['could not be brought back', report.problems.length],
  ];
  return [
    `Postgres does not remember what it did: ${report.reason}`,
    ...lines.map(([what, count]) => `${String(count).padStart(8)}  ${what}`),
    ...report.problems.map((problem) => `          ${problem}`),
  ];
}

/** What is append-only for every process has to be written anew here, so no role of theirs is enough. */
async function requireOwner(database: Database): Promise<void> {
  const { rows } = await database.query(
    "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'fence'::regclass",
  );
  if (!rows[0].is_owner)
    throw new CommandError('Set MIGRATION_DATABASE_URL: only the owner of the tables can recover.');
}

import type { Command } from 'commander';
import type { Database } from '../db/pool.ts';
import { recover } from '../temporal/recover.ts';
import { CommandError } from './command-error.ts';
import type { RunOnStores } from './context.ts';

/** After a restore or a failover that lost commits (docs/operations/restored.md). Opens both stores itself. */
export function addRecoverCommand(program: Command, run: RunOnStores): void {
  program
    .command('recover')
    .description('bring back from Temporal what a restored Postgres has lost, then let payments go on')
    .option('--dry-run', 'only say what it would do')
    .action(({ dryRun: isDry = false }: { dryRun?: boolean }) =>
      run(async ({ config, ownerDatabase, temporal, actor, print }) => {
        const database = ownerDatabase();
        await requireOwner(database);
        const submissionKeys = config.SUBMISSION_KEY;
        const report = await recover({ database, client: temporal().client, submissionKeys, actor, isDry });
        if (report.reason === null)
          return print('Postgres is what Temporal knows: there is nothing to recover');
        print(`Postgres does not remember what it did: ${report.reason}`);
        const lines: [string, number][] = [
          ['transactions that Temporal remembers', report.workflows],
          ['brought back', report.restored],
          ['cancelled again', report.cancelled],
          ['payments of bills posted again', report.billPayments],
          ['not covered by the balance', report.uncovered],
          ['of an account that is not there', report.account_unknown],
          ['pending: each channel is asked before anything is decided', report.pending],
          ['could not be brought back', report.problems.length],
        ];
        for (const [what, count] of lines) print(`${String(count).padStart(8)}  ${what}`);
        for (const problem of report.problems) print(`          ${problem}`);
        print(isDry ? 'Nothing was changed' : 'The fence is lifted: payments go on');
      }),
    );
}

/** What is append-only for every process has to be written anew here, so no role of theirs is enough. */
async function requireOwner(database: Database): Promise<void> {
  const { rows } = await database.query(
    "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'fence'::regclass",
  );
  if (!rows[0].is_owner)
    throw new CommandError('Set MIGRATION_DATABASE_URL: only the owner of the tables can recover.');
}

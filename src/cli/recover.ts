import type { Command } from 'commander';
import type { Database } from '../db/pool.ts';
import { type Agreed, missingIn, type RecoverReport, recover } from '../temporal/recover.ts';
import { agreedToMiss, LIFT_ACTION, whenFenced } from '../transactions/care/fence.ts';
import { CommandError } from './command-error.ts';
import type { Run, RunOnStores } from './context.ts';
import { propose } from './proposals.ts';

/** After a restore or a failover that lost commits (docs/operations/restored.md). Opens both stores itself. */
export function addRecoverCommand(program: Command, run: Run, onStores: RunOnStores): void {
  addFenceCommand(program, run);
  program
    .command('recover')
    .description('bring back from Temporal what a restored Postgres has lost, then let payments go on')
    .option('--dry-run', 'only say what it would do')
    .option(
      '--lift-anyway <proposal>',
      'although something is missing: what two operators agreed on (fence lift)',
    )
    .action(({ dryRun: isDry = false, liftAnyway: proposal }: Options) =>
      onStores(async ({ config, ownerDatabase, temporal, actor, print }) => {
        const database = ownerDatabase();
        await requireOwner(database);
        const agreed = proposal === undefined ? null : await readAgreed(database, proposal);
        const submissionKeys = config.SUBMISSION_KEY;
        const { client } = temporal();
        const report = await recover({ database, client, submissionKeys, actor, isDry, agreed });
        if (report.reason === null)
          return print('Postgres is what Temporal knows: there is nothing to recover');
        for (const line of tableOf(report)) print(line);
        if (isDry) return print('Nothing was changed');
        const missing = missingIn(report);
        if (!report.isLifted) throw new CommandError(whatToDo(await whenFenced(database), missing));
        print(
          missing > 0
            ? 'The fence is lifted although something is missing: payments go on'
            : 'The fence is lifted: payments go on',
        );
      }),
    );
}

type Options = { dryRun?: boolean; liftAnyway?: string };

function addFenceCommand(program: Command, run: Run): void {
  program
    .command('fence')
    .description('what keeps a restored Postgres from deciding')
    .command('lift')
    .description('propose that recover may let payments go on although something is missing')
    .requiredOption('--closed <time>', 'which closing of the fence; recover prints it')
    .requiredOption('--missing <number>', 'how much recover has named as missing')
    .requiredOption('--reason <text>', 'why nobody can bring it back')
    .action(({ closed, missing, reason }: { closed: string; missing: string; reason: string }) =>
      run((context) =>
        propose(context, {
          action: LIFT_ACTION,
          payload: { closed_at: closed, missing: Number(missing) },
          reason,
        }),
      ),
    );
}

async function readAgreed(database: Database, proposal: string): Promise<Agreed> {
  const missing = await agreedToMiss(database, proposal);
  if (missing !== null) return { proposal, missing };
  throw new CommandError(`${proposal} is no approved proposal to lift the fence as it is closed now.`);
}

const whatToDo = (closedAt: string | null, missing: number) =>
  'Something is missing, so the fence stays closed. Make the top-ups that are lost again, then run recover again. ' +
  'What nobody can bring back stays away when two operators agree: ' +
  `fence lift --closed ${closedAt} --missing ${missing} --reason …, then recover --lift-anyway <proposal> (docs/operations/restored.md).`;

function tableOf(report: RecoverReport): string[] {
  const lines: [string, number][] = [
    ['transactions that Temporal remembers', report.workflows],
    ['brought back', report.restored],
    ['cancelled again', report.cancelled],
    ['payments of bills posted again', report.billPayments],
    ['payments of bills in suspense, because somebody else has paid since', report.suspended],
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

/** Append-only tables have to be written anew here, so no role of a process is enough. */
async function requireOwner(database: Database): Promise<void> {
  const { rows } = await database.query(
    "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'fence'::regclass",
  );
  if (!rows[0].is_owner)
    throw new CommandError('Set MIGRATION_DATABASE_URL: only the owner of the tables can recover.');
}

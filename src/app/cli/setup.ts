import type { Command } from 'commander';
import { serviceSecrets } from '../../base/service-secrets.ts';
import { CURRENCY } from '../../domain/money.ts';
import { CommandError } from '../../operators/cli/command-error.ts';
import type { RunOnStores, To } from '../../operators/cli/context.ts';

const TEMPORAL_DEADLINE_MS = 20_000;
/** Before these commands no secret of the service is in use. */
const NO_SECRETS = { without: serviceSecrets };

/** Commands to run before the first start and with every new version. Idempotent. */
export function addCommands({ program, onStores: run }: To): void {
  program
    .command('migrate')
    .description(
      'bring the database up to date: tables, roles of the processes, ledger accounts of the service',
    )
    .action(() =>
      run(async ({ ownerDatabase, config, print, answer }) => {
        const { migrate } = await import('../../platform/db/migrate.ts');
        const { setRolePasswords } = await import('../../platform/db/grants.ts');
        const { channelIds } = await import('../../domain/network.ts');
        const { ensureServiceAccounts } = await import('../../ledger/accounts.ts');
        const { resolveSubject, SCHEMA } = await import('../../transactions/care/attention.ts');
        const database = ownerDatabase();
        const applied = await migrate(database);
        await setRolePasswords(database, {
          api: config.DATABASE_PASSWORD_API,
          worker: config.DATABASE_PASSWORD_WORKER,
          reader: config.DATABASE_PASSWORD_READER,
        });
        await ensureServiceAccounts(database, channelIds, CURRENCY);
        await resolveSubject(database, SCHEMA);
        answer({ applied });
        print(applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`);
      }, NO_SECRETS),
    );
  const group = program.command('temporal').description('check and prepare the Temporal namespace');
  addTemporalCheck(group, run);
  group
    .command('prepare')
    .description('register the search attributes, lengthen the retention and schedule the sweep')
    .action(() =>
      run(async ({ temporal, config, print }) => {
        const { neededDays } = await import('../retention.ts');
        const { prepareTemporal } = await import('../schedule.ts');
        await prepareTemporal(temporal(), {
          timing: config.GATEWAY_TIMING,
          deadlineMs: TEMPORAL_DEADLINE_MS,
          retentionDays: neededDays(config.BACKUP_MAX_AGE_DAYS),
        });
        print(`Temporal at ${config.TEMPORAL_ADDRESS} is prepared`);
      }, NO_SECRETS),
    );
}

function addTemporalCheck(group: Command, run: RunOnStores): void {
  group
    .command('check')
    .description('show how long Temporal keeps closed workflows, and if recover could use your oldest backup')
    .action(() =>
      run(async ({ temporal, config, print, answer }) => {
        const { neededDays, retentionDays } = await import('../retention.ts');
        const days = await retentionDays(temporal());
        const needed = neededDays(config.BACKUP_MAX_AGE_DAYS);
        answer({ retention_days: days, needed_days: needed });
        print(
          `Temporal keeps closed workflows for ${days} days; ` +
            `backups of ${config.BACKUP_MAX_AGE_DAYS} days need ${needed}`,
        );
        if (days < needed)
          throw new CommandError(
            'The retention is too short. Run temporal prepare to lengthen it; ' +
              'on Temporal Cloud set it in the console.',
          );
      }, NO_SECRETS),
    );
}

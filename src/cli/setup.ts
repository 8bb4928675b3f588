import type { Command } from 'commander';
import { serviceSecrets } from '../base/service-secrets.ts';
import { setRolePasswords } from '../db/grants.ts';
import { migrate } from '../db/migrate.ts';
import { CURRENCY } from '../domain/money.ts';
import { channelIds } from '../domain/network.ts';
import { ensureServiceAccounts } from '../ledger/accounts.ts';
import { neededDays, retentionDays } from '../temporal/retention.ts';
import { prepareTemporal } from '../temporal/schedule.ts';
import { resolveSubject, SCHEMA } from '../transactions/care/attention.ts';
import { CommandError } from './command-error.ts';
import type { RunOnStores } from './context.ts';

const TEMPORAL_DEADLINE_MS = 20_000;
/** They run before there is anything that a secret of the service would open. */
const NO_SECRETS = { without: serviceSecrets };

/** Before the first start and with every new version: both may be run again at any time. */
export function addSetupCommands(program: Command, run: RunOnStores): void {
  program
    .command('migrate')
    .description(
      "bring the database up to date, with the roles of the processes and the service's own ledger accounts",
    )
    .action(() =>
      run(async ({ ownerDatabase, config, print }) => {
        const database = ownerDatabase();
        const applied = await migrate(database);
        await setRolePasswords(database, {
          api: config.DATABASE_PASSWORD_API,
          worker: config.DATABASE_PASSWORD_WORKER,
          reader: config.DATABASE_PASSWORD_READER,
        });
        await ensureServiceAccounts(database, channelIds, CURRENCY);
        await resolveSubject(database, SCHEMA);
        print(applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`);
      }, NO_SECRETS),
    );
  const group = program.command('temporal').description('Temporal');
  addTemporalCheck(group, run);
  group
    .command('prepare')
    .description('register the search attributes, lengthen the retention and schedule the sweep')
    .action(() =>
      run(async ({ temporal, config, print }) => {
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
    .description('say for how long Temporal remembers, and whether recover could use your oldest backup')
    .action(() =>
      run(async ({ temporal, config, print }) => {
        const days = await retentionDays(temporal());
        const needed = neededDays(config.BACKUP_MAX_AGE_DAYS);
        print(
          `Temporal remembers closed workflows for ${days} days; backups of ${config.BACKUP_MAX_AGE_DAYS} days need ${needed}`,
        );
        if (days < needed)
          throw new CommandError(
            'Temporal forgets too soon. temporal prepare lengthens the retention; on Temporal Cloud set it in its console.',
          );
      }, NO_SECRETS),
    );
}

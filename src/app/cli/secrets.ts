import { readFile } from 'node:fs/promises';
import { rowOf, withoutGuard } from '../../base/csv.ts';
import { keyNamed } from '../../base/key-ring.ts';
import { type ServiceSecret, serviceSecrets } from '../../base/service-secrets.ts';
import type { Config } from '../../config/config.ts';
import { CommandError } from '../../operators/cli/command-error.ts';
import type { StoreContext, To } from '../../operators/cli/context.ts';
import type { Database } from '../../platform/db/pool.ts';
import { requireOwner } from './recover.ts';

/** Shows no values (docs/operations/secrets.md). */
export function addCommands({ program, onStores: run }: To): void {
  const secrets = program
    .command('secrets')
    .description('the secrets of the service and of its channels, by name');
  secrets
    .command('status')
    .description('show the configured secrets: which one is used for new data, and what needs an older one')
    .action(() => run(showStatus));
  secrets
    .command('reseal')
    .description(
      'encrypt stored passphrases and statements again with the first ENCRYPTION_KEY, to remove an older one',
    )
    .action(() =>
      run(async ({ config, database, print }) => {
        const { resealPassphrases } = await import('../../callbacks/reseal.ts');
        const { resealStatements } = await import('../../reconciliation/sealing.ts');
        const count = await resealPassphrases(database(), config.ENCRYPTION_KEY);
        print(`${count} passphrases were encrypted again`);
        const statements = await resealStatements(database(), config.ENCRYPTION_KEY);
        print(`${statements} statements were encrypted again`);
      }),
    );
  secrets
    .command('mistrust <name>')
    .description(
      'after the theft of this SUBMISSION_KEY: list the rows that it signed, then sign accepted rows again',
    )
    .requiredOption('--since <time>', 'when it may have been stolen, like 2026-11-28T14:00+03:00')
    .option('--take <file>', 'sign the rows of this list, from which people removed other rows')
    .action((name: string, options: { since: string; take?: string }) =>
      run((context) => mistrust(context, { name, ...options })),
    );
}

async function mistrust(
  { config, ownerDatabase, print, actor }: StoreContext,
  { name, since: said, take }: { name: string; since: string; take?: string },
): Promise<void> {
  const keys = config.SUBMISSION_KEY;
  const stolen = keyNamed(keys, name);
  if (!stolen || stolen === keys[0])
    throw new CommandError(
      `Set SUBMISSION_KEY=<new>,${name}:<old>: the first one signs, ${name} is mistrusted.`,
    );
  if (!WITH_ZONE.test(said) || Number.isNaN(Date.parse(said)))
    throw new CommandError('--since is a time with its zone: 2026-11-28T14:00+03:00');
  const asked = { database: ownerDatabase(), stolen, since: new Date(said).toISOString() };
  await requireOwner(asked.database);
  const { doubtfulRows, signAnew } = await import('../mistrust.ts');
  if (take === undefined) {
    print('table,id,about,at,by');
    for (const { table, id, about, at, by } of await doubtfulRows(asked))
      print(rowOf([table, id, about.replace(/\s+/g, ' '), at, by]).trimEnd());
    return;
  }
  const taken = await readTaken(take);
  const isTaken = ({ table, id }: { table: string; id: string }) => taken.has(`${table} ${id}`);
  for (const { table, signed, left } of await signAnew({ ...asked, keys, isTaken, actor }))
    print(`${table}: ${signed} signed again, ${left} not signed`);
  print(`Now remove ${name} from SUBMISSION_KEY everywhere: then rows that were not signed prove nothing`);
}

const WITH_ZONE = /:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const ROWS_MAX = 1_000_000;

async function readTaken(file: string): Promise<Set<string>> {
  const { readCsv } = await import('../../platform/tables/csv.ts');
  const text = await readFile(file, 'utf8');
  const known = (cells: readonly string[]) => Number(cells[0] === 'table') + Number(cells[1] === 'id');
  const { rows } = readCsv(text, { rowsMax: ROWS_MAX, known, unpackedMax: 0 });
  return new Set(rows.map(({ cells: [table = '', id = ''] }) => `${table} ${withoutGuard(id)}`));
}

async function showStatus({ config, database, environment, print }: StoreContext): Promise<void> {
  const { readPlan } = await import('../../channels/load.ts');
  const { secretsIn } = await import('../../channels/kit/fingerprints.ts');
  await showKeys(config, { database: database(), print });
  const [{ key }] = config.NOTIFICATION_SECRET;
  for (const { connection, member, fingerprints } of secretsIn(readPlan(config, await environment()), key))
    for (const [i, fingerprint] of fingerprints.entries())
      print(`${connection} ${member} ${fingerprint}: ${i === 0 ? 'in use' : 'still accepted'}`);
}

async function showKeys(
  config: Config,
  { database, print }: { database: Database; print: (line: string) => void },
): Promise<void> {
  const { countHashed } = await import('../../accounts/keys.ts');
  const { countSealed } = await import('../../callbacks/reseal.ts');
  const { countSealedStatements } = await import('../../reconciliation/sealing.ts');
  const sealed = await countSealed(database);
  for (const [id, count] of await countSealedStatements(database))
    sealed.set(id, (sealed.get(id) ?? 0) + count);
  const counted: Partial<Record<ServiceSecret, { what: string; uses: Map<string, number> }>> = {
    KEY_HASH_SECRET: { what: 'keys and tokens', uses: await countHashed(database) },
    ENCRYPTION_KEY: { what: 'stored passphrases and statements', uses: sealed },
  };
  for (const name of serviceSecrets) {
    const { what, uses = new Map<string, number>() } = counted[name] ?? {};
    for (const [i, { id }] of (config[name] ?? []).entries()) {
      const state = i === 0 ? 'used for new data' : 'still accepted for old data';
      const count = what === undefined ? '' : `; ${uses.get(id) ?? 0} ${what}`;
      print(`${name} ${id}: ${state}${count}`);
    }
    for (const [id, count] of uses)
      if (!keyNamed(config[name] ?? [], id)) print(`${name} ${id}: MISSING; ${count} ${what} need it`);
  }
}

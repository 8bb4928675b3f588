import type { Command } from 'commander';
import { keyNamed } from '../../base/key-ring.ts';
import { type ServiceSecret, serviceSecrets } from '../../base/service-secrets.ts';
import type { Config } from '../../config/config.ts';
import type { RunOnStores, StoreContext } from '../../operators/cli/context.ts';
import type { Database } from '../../platform/db/pool.ts';

/** Shows names of secrets and what still needs them, never their values (docs/operations/secrets.md). */
export function addSecretCommands(program: Command, run: RunOnStores): void {
  const secrets = program
    .command('secrets')
    .description('the secrets of the service and of its channels, by name');
  secrets
    .command('status')
    .description('which are configured, which one makes what is new, and what still needs an older one')
    .action(() => run(showStatus));
  secrets
    .command('reseal')
    .description(
      'seal every stored passphrase and statement with the first ENCRYPTION_KEY, so that an older one may go',
    )
    .action(() =>
      run(async ({ config, database, print }) => {
        const { resealPassphrases } = await import('../../callbacks/reseal.ts');
        const { resealStatements } = await import('../../reconciliation/sealing.ts');
        const count = await resealPassphrases(database(), config.ENCRYPTION_KEY);
        print(`${count} passphrases were sealed anew`);
        const statements = await resealStatements(database(), config.ENCRYPTION_KEY);
        print(`${statements} statements were sealed anew`);
      }),
    );
}

async function showStatus({ config, database, environment, print }: StoreContext): Promise<void> {
  const { readPlan } = await import('../../channels/load.ts');
  const { secretsIn } = await import('../../channels/kit/fingerprints.ts');
  await showKeys(config, { database: database(), print });
  const [{ key }] = config.NOTIFICATION_SECRET;
  for (const { connection, member, fingerprints } of secretsIn(readPlan(config, await environment()), key))
    for (const [i, fingerprint] of fingerprints.entries())
      print(`${connection} ${member} ${fingerprint}: ${i === 0 ? 'used and believed' : 'still believed'}`);
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
      const state = i === 0 ? 'makes what is new' : 'still good for what is old';
      const count = what === undefined ? '' : `; ${uses.get(id) ?? 0} ${what}`;
      print(`${name} ${id}: ${state}${count}`);
    }
    for (const [id, count] of uses)
      if (!keyNamed(config[name] ?? [], id)) print(`${name} ${id}: MISSING; ${count} ${what} need it`);
  }
}

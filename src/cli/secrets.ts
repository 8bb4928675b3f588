import type { Command } from 'commander';
import { countHashed } from '../accounts/keys.ts';
import { countSealed, resealPassphrases } from '../callbacks/reseal.ts';
import { secretsIn } from '../channels/fingerprints.ts';
import { readPlan } from '../channels/load.ts';
import { keyNamed, type NamedKey } from '../domain/key-ring.ts';
import type { RunOnStores, StoreContext } from './context.ts';

/** Secrets: their names and what still needs them, never their values (docs/operations/secrets.md). */
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
    .description('seal every stored passphrase with the first ENCRYPTION_KEY, so that an older one may go')
    .action(() =>
      run(async ({ config, database, print }) => {
        const count = await resealPassphrases(database(), config.ENCRYPTION_KEY);
        print(`${count} passphrases were sealed anew`);
      }),
    );
}

async function showStatus({ config, database, environment, print }: StoreContext): Promise<void> {
  const counted = {
    KEY_HASH_SECRET: { what: 'keys and tokens', uses: await countHashed(database()) },
    ENCRYPTION_KEY: { what: 'stored passphrases', uses: await countSealed(database()) },
  };
  for (const name of ['KEY_HASH_SECRET', 'ENCRYPTION_KEY'] as const) {
    const { what, uses } = counted[name];
    for (const { id, state } of statesOf(config[name]))
      print(`${name} ${id}: ${state}; ${uses.get(id) ?? 0} ${what}`);
    for (const [id, count] of uses)
      if (!keyNamed(config[name], id)) print(`${name} ${id}: MISSING; ${count} ${what} need it`);
  }
  for (const name of ['SUBMISSION_KEY', 'NOTIFICATION_SECRET', 'PAYLOAD_ENCRYPTION_KEYS'] as const)
    for (const { id, state } of statesOf(config[name] ?? [])) print(`${name} ${id}: ${state}`);
  const [{ key }] = config.KEY_HASH_SECRET;
  for (const { connection, member, fingerprints } of secretsIn(readPlan(config, await environment()), key))
    for (const [i, fingerprint] of fingerprints.entries())
      print(`${connection} ${member} ${fingerprint}: ${i === 0 ? 'used and believed' : 'still believed'}`);
}

function statesOf(keys: readonly NamedKey[]) {
  return keys.map(({ id }, i) => ({
    id,
    state: i === 0 ? 'makes what is new' : 'still good for what is old',
  }));
}

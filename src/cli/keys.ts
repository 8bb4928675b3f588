import type { Command } from 'commander';
import { createKeys, type KeySummary, type Keys, type NewKey, type Scope } from '../accounts/keys.ts';
import { requireAccount } from './accounts.ts';
import { CommandError, type Context, type Run } from './context.ts';

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** API keys. A key's text is shown once, when it is made or rotated. */
export function addKeyCommands(program: Command, run: Run): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create <account>')
    .description('make a key; its text is shown only now')
    .option('--label <text>', 'what it is for')
    .option('--scopes <list>', 'comma-separated; all when left out', list)
    .option('--expires <time>', 'ISO 8601; never when left out')
    .option('--ips <list>', 'addresses or networks it may be used from', list)
    .action((account: string, options: KeyOptions) => run((context) => create(context, account, options)));
  keys
    .command('list [account]')
    .description('all keys, or those of one account')
    .action((account?: string) =>
      run(async (context) => {
        if (account !== undefined) await requireAccount(context.database(), account);
        for (const key of await keysOf(context).listKeys(account)) context.print(describe(key));
      }),
    );
  keys
    .command('rotate <key-id>')
    .description('add a secret; the one before stays valid for a week')
    .action((keyId: string) =>
      run(async (context) => {
        context.print((await keysOf(context).rotateKey({ keyId, actor: context.actor })).apiKey);
      }),
    );
  keys
    .command('revoke <key-id>')
    .description('end a key with all its secrets, at once')
    .action((keyId: string) =>
      run(async (context) => {
        if (!(await keysOf(context).revokeKey({ keyId, actor: context.actor })))
          throw new CommandError(`There is no live key ${keyId}.`);
        context.print(`${keyId} is revoked`);
      }),
    );
}

type KeyOptions = { label?: string; scopes?: string[]; expires?: string; ips?: string[] };

async function create(context: Context, accountId: string, options: KeyOptions): Promise<void> {
  await requireAccount(context.database(), accountId);
  const { label, scopes, expires, ips } = options;
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw new CommandError(`${expires} is no time: give ISO 8601, like 2027-01-31T00:00:00Z.`);
  if (expires !== undefined && Date.parse(expires) <= Date.now())
    throw new CommandError(`${expires} lies in the past: the key could never be used.`);
  const key: NewKey = {
    accountId,
    actor: context.actor,
    label,
    // createKey refuses a scope that does not exist.
    scopes: scopes as Scope[] | undefined,
    expiresAt: expires && new Date(expires).toISOString(),
    allowedIps: ips,
  };
  context.print((await keysOf(context).createKey(key)).apiKey);
}

function keysOf(context: Context): Keys {
  return createKeys({
    database: context.database(),
    hashSecrets: context.config.KEY_HASH_SECRET,
    environment: context.config.MALIPO_ENV === 'production' ? 'live' : 'test',
  });
}

function describe(key: KeySummary): string {
  const life = key.revokedAt
    ? `revoked ${key.revokedAt}`
    : `${key.liveSecrets} live, ${key.expiresAt ? `expires ${key.expiresAt}` : 'no expiry'}`;
  return `${key.id}  ${key.accountId}  ${life}  ${key.scopes.join(',')}  ${key.label}`;
}

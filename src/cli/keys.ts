import type { Command } from 'commander';
import type { z } from 'zod';
import type { key, newKeyAnswer } from '../operator-api/schemas.ts';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';

type Key = z.output<typeof key>;
type NewKey = z.output<typeof newKeyAnswer>;

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

type KeyOptions = { label?: string; scopes?: string[]; expires?: string; ips?: string[] };

/** API keys. A key's text is shown once, when it is made or rotated. */
export function addKeyCommands(program: Command, run: Run): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create <account>')
    .description('make a key; its text is shown only now')
    .option('--scopes <list>', 'what it may do, comma-separated: it may do nothing else', list)
    .option('--label <text>', 'what it is for')
    .option('--expires <time>', 'ISO 8601; never when left out')
    .option('--ips <list>', 'addresses or networks it may be used from', list)
    .action((account: string, { label, scopes, expires, ips }: KeyOptions) =>
      run(async ({ api, print }) => {
        const asked = { scopes, label, expires_at: expires, allowed_ips: ips };
        print((await api.post<NewKey>(`accounts/${segment(account)}/keys`, asked)).api_key);
      }),
    );
  keys
    .command('list [account]')
    .description('all keys, or those of one account')
    .action((account?: string) =>
      run(async ({ api, print }) => {
        for await (const one of api.all<Key>('keys', { account })) print(describe(one));
      }),
    );
  keys
    .command('rotate <key-id>')
    .description('add a secret; the one before stays valid for a week')
    .action((keyId: string) =>
      run(async ({ api, print }) => {
        print((await api.post<NewKey>(`keys/${segment(keyId)}/rotate`)).api_key);
      }),
    );
  keys
    .command('revoke <key-id>')
    .description('end a key with all its secrets, at once')
    .action((keyId: string) =>
      run(async ({ api, print }) => {
        await api.post(`keys/${segment(keyId)}/revoke`);
        print(`${keyId} is revoked`);
      }),
    );
}

function describe(one: Key): string {
  const life = one.revoked_at
    ? `revoked ${one.revoked_at}`
    : `${one.live_secrets} live, ${one.expires_at ? `expires ${one.expires_at}` : 'no expiry'}`;
  const frozen = one.frozen_at === null ? '' : `, frozen since ${one.frozen_at}`;
  const used = one.last_used_at ? `used ${one.last_used_at}` : 'never used';
  return `${one.id}  ${one.account_id}  ${life}${frozen}, ${used}  ${one.scopes.join(',')}  ${one.label}`;
}

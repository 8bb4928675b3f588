import type { Command } from 'commander';
import { bareKeyId, makeKey, readKeyId } from '../../accounts/key-format.ts';
import { CommandError } from './command-error.ts';
import type { To } from './context.ts';

export const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export function addCommands({ program }: To): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('new')
    .description('make a key on this machine; nothing is sent')
    .option('--for <key-id>', 'make a new secret for this key, for keys rotate')
    .option('--test', 'make a test key, for an installation that is not in production')
    .action((_options: object, command: Command) => makeNew(command.optsWithGlobals()));
}

function makeNew({ for: keyId, test, json }: { for?: string; test?: boolean; json?: boolean }): void {
  const prefix = `sk_${test ? 'test' : 'live'}` as const;
  const { text, id, fingerprint } = makeKey(prefix, keyId && bareKeyId(keyId));
  if (readKeyId(prefix, text) === null)
    throw new CommandError('--for takes the id of a key, as keys list shows it.');
  if (json) {
    process.stdout.write(`${JSON.stringify({ key: text, id: `${prefix}_${id}`, fingerprint })}\n`);
    return;
  }
  process.stdout.write(`${text}\n`);
  // Stdout gets only the key, so it can go to a file.
  process.stderr.write(
    'Keep the key secret. It gives no access until two operators activate it. Give them this: ' +
      `${prefix}_${id}:${fingerprint}\n`,
  );
}

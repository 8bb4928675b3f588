#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { makeKey } from './keys.ts';

const USAGE = 'malipo-client keys new [--test] [--for <key-id>]';

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { test: { type: 'boolean', default: false }, for: { type: 'string' } },
  });
  if (positionals.join(' ') !== 'keys new') throw new TypeError(USAGE);
  const environment = values.test ? 'test' : 'live';
  const id = values.for?.replace(`sk_${environment}_`, '');
  const made = makeKey({ environment, ...(id === undefined ? {} : { id }) });
  process.stdout.write(`${made.key}\n`);
  // Beside it, so that the key alone can go into a file.
  process.stderr.write(
    `Keep the key to yourself. It opens nothing until two people who run the service let it in; give them this: ${made.id}:${made.fingerprint}\n`,
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

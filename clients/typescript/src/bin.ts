#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createForwarder } from './forward.ts';
import { makeKey } from './keys.ts';

const USAGE = `malipo-client keys new [--test] [--for <key-id>]
    Makes an API key on this machine and sends nothing. --test: for a sandbox. --for: another secret of a key that you have.

malipo-client callbacks forward --to <url> [--event <event-id>]
    Brings the events of your key to a receiver on this machine, until you end it. --event: hands over this one, and ends.
    The service and your key are read from MALIPO_API_URL and MALIPO_API_KEY.`;
type Asked = { help: boolean; test: boolean; for?: string; to?: string; event?: string };

function newKey(values: Asked): void {
  const environment = values.test ? 'test' : 'live';
  const id = values.for?.replace(`sk_${environment}_`, '');
  const made = makeKey({ environment, ...(id === undefined ? {} : { id }) });
  process.stdout.write(`${made.key}\n`);
  // Beside it, so that the key alone can go into a file.
  process.stderr.write(
    `Keep the key to yourself. It opens nothing until two people who run the service let it in; give them this: ${made.id}:${made.fingerprint}\n`,
  );
}

/** Hands the events of an API key to a receiver on this machine, until it is ended. */
async function forward({ to = '', event }: Asked): Promise<void> {
  if (!/^https?:\/\//.test(to) || !URL.canParse(to)) throw new TypeError(`This is no address: ${to}`);
  const { MALIPO_API_URL: url, MALIPO_API_KEY: apiKey } = process.env;
  if (!url || !apiKey) throw new TypeError('Set MALIPO_API_URL and MALIPO_API_KEY.');
  if (apiKey.startsWith('sk_live_'))
    throw new TypeError('This is a live key, whose callbacks belong in your shop. Take one of the sandbox.');
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const forwarder = createForwarder({ access: { url, apiKey }, to, print });
  if (event === undefined) return forwarder.follow();
  if (!(await forwarder.handOver(event))) throw new Error('It was not taken.');
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      test: { type: 'boolean', default: false },
      for: { type: 'string' },
      to: { type: 'string' },
      event: { type: 'string' },
    },
  });
  const command = positionals.join(' ');
  if (values.help) console.log(USAGE);
  else if (command === 'keys new') newKey(values);
  else if (command === 'callbacks forward') await forward(values);
  else throw new TypeError(USAGE);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

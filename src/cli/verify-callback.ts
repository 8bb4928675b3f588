import type { Command } from 'commander';
import { CommandError } from './command-error.ts';
import { explainSignature } from './explain-signature.ts';
import { inputOf, secretIn } from './input.ts';

type Options = {
  body: string;
  header: string[];
  passphrase?: string;
  passphraseFile?: string;
  otherPassphrase: string[];
  computed?: string;
  at?: string;
};

const collect = (value: string, all: string[]) => [...all, value];

/** `callbacks verify`: needs neither database nor settings, so a merchant's engineer can run it on a bare checkout. */
export function addVerifyCommand(program: Command): void {
  const callbacks =
    program.commands.find((command) => command.name() === 'callbacks') ??
    program.command('callbacks').description('callbacks to merchants');
  const verify = callbacks
    .command('verify')
    .description('say why the signature of a callback does not match');
  verify
    .requiredOption('--body <file>', 'the body exactly as it arrived; - reads standard input')
    .requiredOption('--header <line>', 'a header as it arrived, "Name: value"; once for each', collect, [])
    .option('--passphrase-file <file>', 'file with the passphrase; a line break at its end does not count')
    .option('--passphrase <text>', 'the passphrase itself (other users of this machine may see it)')
    .option('--other-passphrase <text>', 'an earlier one, or one that it might be', collect, [])
    .option('--computed <value>', 'what your own code computed')
    .option('--at <time>', 'when it arrived, ISO 8601; now unless given')
    .action(async (options: Options) => {
      const { ok, lines } = explainSignature({
        body: await inputOf(options.body),
        headers: headersOf(options.header),
        passphrase: await passphraseOf(options),
        otherPassphrases: options.otherPassphrase,
        computed: options.computed,
        nowMs: timeOf(options.at),
      });
      const { writeOut } = verify.configureOutput();
      for (const line of lines) writeOut?.(`${line}\n`);
      if (!ok) throw new CommandError('This callback would be refused.');
    });
}

async function passphraseOf({ passphrase, passphraseFile }: Options): Promise<string> {
  if ((passphrase === undefined) === (passphraseFile === undefined))
    throw new CommandError('Give either --passphrase-file or --passphrase.');
  return passphrase ?? secretIn(passphraseFile ?? '');
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/s.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandError(`This is no header, "Name: value": ${line}`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function timeOf(at: string | undefined): number {
  const ms = at === undefined ? Date.now() : Date.parse(at);
  if (Number.isNaN(ms)) throw new CommandError(`This is no time: ${at}`);
  return ms;
}

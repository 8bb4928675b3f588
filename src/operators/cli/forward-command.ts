import type { Command } from 'commander';
import { CommandError } from './command-error.ts';
import { createForwarder, type MerchantAccess } from './forward-callbacks.ts';

/** Undefined: nothing says whose key to take. */
export type FindMerchant = () => Promise<MerchantAccess | undefined>;

type Options = { to: string; event?: string };

/** `callbacks forward`: a merchant's own tool. It needs an API key, and neither a database nor an operator. */
export function addForwardCommand(program: Command, findMerchant: FindMerchant): void {
  const callbacks =
    program.commands.find((command) => command.name() === 'callbacks') ??
    program.command('callbacks').description('callbacks to merchants');
  const command = callbacks
    .command('forward')
    .description(
      'hand the events of an API key to a receiver on this machine (MALIPO_API_URL and MALIPO_API_KEY, or a running npm start)',
    )
    .requiredOption('--to <url>', 'your receiver, such as http://localhost:8080/callbacks')
    .option('--event <event-id>', 'only this one, at once')
    .action(async ({ to, event }: Options) => {
      if (!/^https?:\/\//.test(to) || !URL.canParse(to)) throw new CommandError(`This is no address: ${to}`);
      const access = await findMerchant();
      if (!access)
        throw new CommandError(
          'Set MALIPO_API_KEY and MALIPO_API_URL, or run npm start in this folder first.',
        );
      if (access.apiKey.startsWith('sk_live_'))
        throw new CommandError(
          'This is a live key, whose callbacks belong in your shop. Take one of the sandbox.',
        );
      const { writeOut } = command.configureOutput();
      const { json } = command.optsWithGlobals();
      const print = (line: string) => writeOut?.(`${json ? JSON.stringify({ line }) : line}\n`);
      const forwarder = createForwarder({ access, to, print });
      if (event === undefined) return forwarder.follow();
      if (!(await forwarder.handOver(event))) throw new CommandError('It was not taken.');
    });
}

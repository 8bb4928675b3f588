import { CommandError } from '../../operators/cli/command-error.ts';
import type { To } from '../../operators/cli/context.ts';
import { showLiveSend } from '../../operators/cli/live-send.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export function addCommands({ program, run, onStores: runOnStores }: To): void {
  const channels = program
    .command('channels')
    .alias('channel')
    .description('the connections of the channels file: test, close and open them');
  channels
    .command('check')
    .description('test every connection without moving money: does it answer, and accept our credentials?')
    .option(
      '--live-result <proposal>',
      'continue an approved live test instead: refund it, and show what to compare',
    )
    .action(({ liveResult }: { liveResult?: string }) => {
      if (liveResult !== undefined) return showLiveSend(run, liveResult);
      return runOnStores(async ({ config, environment, print, answer }) => {
        const { checkConnections, numberedApart } = await import('../../channels/kit/check.ts');
        const { loadChannels } = await import('../../channels/load.ts');
        const { provenBy } = await import('../../channels/kit/statement-accounts.ts');
        const channels = loadChannels(config, await environment(), quiet);
        if (channels.connections.size === 0)
          throw new CommandError('No connection is configured (CHANNELS_FILE)');
        const checked = await checkConnections(channels);
        answer({ data: checked });
        const width = (name: 'connection' | 'protocol' | 'outcome') =>
          Math.max(...checked.map((one) => one[name].length));
        const widths = [width('connection'), width('protocol'), width('outcome'), 0];
        for (const { connection, protocol, outcome, detail } of checked) {
          const cells = [connection, protocol, outcome, detail].map((cell, at) =>
            cell.padEnd(widths[at] ?? 0),
          );
          print(cells.join('  ').trimEnd());
        }
        for (const [id, { insecureHttp }] of channels.connections)
          if (insecureHttp !== undefined) print(`${id} may use plain HTTP: ${insecureHttp}`);
        for (const { connection, about, endsAt } of channels.certificates)
          print(`${connection}: ${about} ends on ${endsAt.toISOString().slice(0, 10)}`);
        for (const warning of numberedApart(channels)) print(warning);
        for (const account of channels.statementAccounts.values())
          print(`statements of ${account.id} (${account.theirs}) prove ${provenBy(account)}`);
        const failed = checked.filter(({ outcome }) => outcome === 'failed');
        if (failed.length > 0) throw new CommandError(`${failed.length} of ${checked.length} do not work`);
      });
    });
}

import type { Command } from 'commander';
import { loadChannels } from '../channels/load.ts';
import { causesOf } from '../domain/causes.ts';
import { addTrafficCommands } from './channel-traffic.ts';
import { CommandError } from './command-error.ts';
import type { Run, RunOnStores } from './context.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** The connections of the channels file, asked whether they work. */
export function addChannelCommands(program: Command, run: Run, runOnStores: RunOnStores): void {
  const channels = program
    .command('channels')
    .alias('channel')
    .description('the connections of the channels file, and what may go over them');
  addTrafficCommands(channels, run);
  channels
    .command('check')
    .description('calls what changes nothing at every connection: does its address answer, are we let in?')
    .action(() =>
      runOnStores(async ({ config, environment, print }) => {
        const { connections } = loadChannels(config, await environment(), quiet);
        if (connections.size === 0) throw new CommandError('No connection is configured (CHANNELS_FILE)');
        const checked = await Promise.all([...connections].map(checkOne));
        const width = (column: 0 | 1 | 2) => Math.max(...checked.map((row) => row[column].length));
        const widths = [width(0), width(1), width(2)] as const;
        for (const [id, protocol, outcome, detail] of checked)
          print(
            `${id.padEnd(widths[0])}  ${protocol.padEnd(widths[1])}  ${outcome.padEnd(widths[2])}  ${detail}`.trimEnd(),
          );
        const failed = checked.filter(([, , outcome]) => outcome === 'failed');
        if (failed.length > 0) throw new CommandError(`${failed.length} of ${checked.length} do not work`);
      }),
    );
}

type Row = [id: string, protocol: string, outcome: 'works' | 'failed' | 'not asked', detail: string];

async function checkOne([id, { protocol, check }]: [
  string,
  { protocol: string; check?: () => Promise<string> },
]): Promise<Row> {
  if (!check) return [id, protocol, 'not asked', 'there is nothing harmless to ask'];
  try {
    return [id, protocol, 'works', await check()];
  } catch (error) {
    return [id, protocol, 'failed', causesOf(error)];
  }
}

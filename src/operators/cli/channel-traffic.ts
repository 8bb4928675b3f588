import type { Command } from 'commander';
import type { z } from 'zod';
import type { channelList } from '../api/schemas.ts';
import type { Context, Run } from './context.ts';

type Channels = z.output<typeof channelList>;

/** docs/operations/channel-down.md explains these commands. */
export function addTrafficCommands(channels: Command, run: Run): void {
  channels
    .command('list')
    .description('every channel: whether its payments and payouts work, and what is closed')
    .action(() => run(async ({ api, print }) => printChannels(print, await api.get<Channels>('channels'))));
}

function printChannels(print: Context['print'], { data }: Channels): void {
  for (const { channel, service, state, closed } of data) {
    const why = closed ? `closed by ${closed.by} ${closed.at}: ${closed.reason}` : '';
    print(`${channel.padEnd(14)} ${service.padEnd(9)} ${state.padEnd(9)} ${why}`.trimEnd());
  }
}

import type { Command } from 'commander';
import type { z } from 'zod';
import { services } from '../../domain/channel-health.ts';
import type { channelList } from '../api/schemas.ts';
import type { Run } from './context.ts';
import { list } from './keys.ts';
import { linesAs } from './lists.ts';
import { segment } from './operator-client.ts';

type Channels = z.output<typeof channelList>;

/** docs/operations/channel-down.md explains these commands. */
export function addTrafficCommands(channels: Command, run: Run): void {
  channels
    .command('close <channel>')
    .description('at once; all: every channel. Pushes are refused, payouts wait for at most a day')
    .option('--services <list>', `of ${services.join()}`, list, [...services])
    .requiredOption('--reason <text>', 'why')
    .action((channel: string, body: { services: string[]; reason: string }) =>
      run(async ({ api, print }) => {
        const { data } = await api.post<Channels>(`channels/${segment(channel)}/close`, body);
        for (const line of linesAs('channels list', data)) print(line);
      }),
    );
}

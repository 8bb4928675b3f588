import type { Command } from 'commander';
import type { z } from 'zod';
import { type Service, services } from '../../domain/channel-health.ts';
import type { channelList } from '../api/schemas.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

type Channels = z.output<typeof channelList>;
type Named = { payments?: boolean; payouts?: boolean; reason: string };

/** docs/operations/channel-down.md explains these commands. */
export function addTrafficCommands(channels: Command, run: Run): void {
  channels
    .command('list')
    .description('every channel: whether its payments and payouts work, and what is closed')
    .action(() => run(async ({ api, print }) => printChannels(print, await api.get<Channels>('channels'))));
  withServices(
    channels
      .command('close <channel>')
      .description('at once; all: every channel. Pushes are refused, payouts wait for at most a day')
      .requiredOption('--reason <text>', 'why'),
  ).action((channel: string, options: Named) =>
    run(async ({ api, print }) => {
      const body = { services: servicesOf(options), reason: options.reason };
      printChannels(print, await api.post<Channels>(`channels/${segment(channel)}/close`, body));
    }),
  );
  withServices(
    channels
      .command('open <channel>')
      .description('propose to open again what was closed')
      .requiredOption('--reason <text>', 'why, for whoever approves it'),
  ).action((channel: string, options: Named) =>
    run((context) =>
      propose(context, {
        action: 'channels.open',
        payload: { channel, services: servicesOf(options) },
        reason: options.reason,
      }),
    ),
  );
}

function withServices(command: Command): Command {
  return command
    .option('--payments', 'USSD pushes; without either, both')
    .option('--payouts', 'payouts and refunds; without either, both');
}

function servicesOf({ payments, payouts }: Named): readonly Service[] {
  if (!payments && !payouts) return services;
  return services.filter((service) => (service === 'payments' ? payments : payouts));
}

function printChannels(print: Context['print'], { data }: Channels): void {
  for (const { channel, service, state, closed } of data) {
    const why = closed ? `closed by ${closed.by} ${closed.at}: ${closed.reason}` : '';
    print(`${channel.padEnd(14)} ${service.padEnd(9)} ${state.padEnd(9)} ${why}`.trimEnd());
  }
}

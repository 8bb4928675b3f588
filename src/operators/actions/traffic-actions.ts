import { z } from 'zod';
import { type Closure, close, listClosures, open } from '../../channels/traffic/closures.ts';
import { type Service, services } from '../../domain/channel-health.ts';
import { conflict } from '../../domain/errors.ts';
import { channelIds, networkNameOf } from '../../domain/network.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { declare, documented, seen, sentenceField } from './actions.ts';
import { fact } from './facts.ts';

const ALL_CHANNELS = 'all';

const channelField = z
  .enum([ALL_CHANNELS, ...channelIds], `must be ${ALL_CHANNELS}, ${channelIds.join(', ')}`)
  .meta(documented('A network, `bank`, or `all` of them'));
const servicesField = z
  .array(z.enum(services, `must be some of ${services.join(', ')}`), `must be some of ${services.join(', ')}`)
  .min(1, `must name ${services.join(' or ')}`)
  .max(services.length)
  .transform((given) => [...new Set(given)].sort())
  .meta(documented('Payments, payouts or both'));

const channelOrAll = (channel: string) => (channel === ALL_CHANNELS ? null : channel);

const moment = sentenceField(40).optional();

/** One person can close a channel; two must agree to open it. */
export const closeChannelAction = declare({
  title: 'Close payments or payouts, at once',
  command: 'channels close <channel>',
  note: 'Pushes are refused, and payouts wait, at most a day. To open again needs two operators.',
  example: ['they pay twice, ticket 4711', { channel: 'm-pesa', services: ['payouts'] }],
  role: 'admin',
  alone: ['support', 'finance', 'admin'],
  payload: z.strictObject({ channel: channelField, services: servicesField.default([...services]) }),
  async execute(db, { channel, services }, { actor, reason }) {
    await close(db, { channel: channelOrAll(channel), services, reason, actor });
    return { outcome: `${channel} is closed for ${services.join(' and ')}` };
  },
});

export const openChannelAction = declare({
  title: 'Open closed payments or payouts again',
  command: 'channels open <channel>',
  example: ['the network says that it is back', { channel: 'm-pesa', services: ['payouts'] }],
  role: 'admin',
  payload: z.strictObject({
    channel: channelField,
    services: servicesField,
    closed_at: z
      .strictObject({
        payments: moment.meta({ description: 'When its payments were closed' }),
        payouts: moment.meta({ description: 'When its payouts were closed' }),
      })
      .meta(seen('The times of the closures, by service. Default: the current ones'))
      .optional(),
  }),
  async describe(opening, { db }) {
    const { channel, services, closed_at = {} } = opening;
    const closures = await closuresOf(db, opening);
    const reasonOf = (service: Service) =>
      closures.find((one) => one.service === service && one.closedAt === closed_at[service])?.reason;
    const closed = services.filter((service) => closed_at[service] !== undefined);
    const name = channel === ALL_CHANNELS ? 'every channel' : networkNameOf(channel);
    const before = (service: Service) => `closed ${closed_at[service]}: ${reasonOf(service) ?? 'not now'}`;
    return {
      summary: `Open ${name} again for ${services
        .map((service) => (closed_at[service] ? `${service} (closed ${closed_at[service]})` : service))
        .join(' and ')}`,
      facts: closed.map((service) => fact(service, 'open', before(service))),
    };
  },
  /** A later closure has its own reason, so compare the times. */
  async seen(db, opening) {
    const closures = await closuresOf(db, opening);
    if (closures.length === 0) throw conflict(`None of these services is closed: ${opening.channel}`);
    const now = Object.fromEntries(closures.map(({ service, closedAt }) => [service, closedAt]));
    // Services missing from `now` were opened since: keep the times that were seen.
    return { closed_at: { ...opening.closed_at, ...now } };
  },
  async execute(db, { channel, services }, { actor, proposalId }) {
    const opened = await open(db, { channel: channelOrAll(channel), services, actor, proposalId });
    return { outcome: `${channel} is open again for ${opened.map(({ service }) => service).join(' and ')}` };
  },
});

type Closed = { channel: string; services: Service[] };

async function closuresOf(db: Queryable, { channel, services }: Closed): Promise<Closure[]> {
  return (await listClosures(db)).filter(
    (one) => one.channel === channelOrAll(channel) && services.includes(one.service),
  );
}

import { z } from 'zod';
import { type Closure, listClosures, open } from '../../channels/traffic/closures.ts';
import { type Service, services } from '../../domain/channel-health.ts';
import { conflict } from '../../domain/errors.ts';
import { channelIds, networkNameOf } from '../../domain/network.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { declare, seen, sentenceField } from './actions.ts';
import { fact } from './facts.ts';

const ALL_CHANNELS = 'all';

export const channelField = z.enum(
  [ALL_CHANNELS, ...channelIds],
  `must be ${ALL_CHANNELS}, ${channelIds.join(', ')}`,
);
export const servicesField = z
  .array(z.enum(services, `must be some of ${services.join(', ')}`), `must be some of ${services.join(', ')}`)
  .min(1, `must name ${services.join(' or ')}`)
  .max(services.length)
  .transform((given) => [...new Set(given)].sort());

/** Returns null for every channel at once. */
export const channelOrAll = (channel: string) => (channel === ALL_CHANNELS ? null : channel);

const moment = sentenceField(40).optional();

type Opening = {
  channel: string;
  services: Service[];
  closed_at?: { [service in Service]?: string | undefined } | undefined;
};

/** Takes what operators closed into use again. Closing needs one operator. */
export const openChannelAction = declare<Opening>({
  title: 'Open again what was closed',
  command: 'channels open <channel>',
  example: ['the network says that it is back', { channel: 'm-pesa', services: ['payouts'] }],
  role: 'admin',
  payload: z.strictObject({
    channel: channelField,
    services: servicesField,
    /** which closures are meant, by service; left out: those that are there */
    closed_at: z.strictObject({ payments: moment, payouts: moment }).meta(seen).optional(),
  }),
  async describe(opening, { db }) {
    const { channel, services, closed_at = {} } = opening;
    const closures = await closuresOf(db, opening);
    const reasonOf = (service: Service) =>
      closures.find((one) => one.service === service && one.closedAt === closed_at[service])?.reason;
    const closed = services.filter((service) => closed_at[service] !== undefined);
    const name = channel === ALL_CHANNELS ? 'every channel' : networkNameOf(channel);
    const before = (service: Service) => `closed ${closed_at[service]}: ${reasonOf(service) ?? 'no more'}`;
    return {
      summary: `Open ${name} again for ${services
        .map((service) => (closed_at[service] ? `${service} (closed ${closed_at[service]})` : service))
        .join(' and ')}`,
      facts: closed.map((service) => fact(service, 'open', before(service))),
    };
  },
  async bind(db, opening) {
    const closures = await closuresOf(db, opening);
    const closed_at = Object.fromEntries(closures.map(({ service, closedAt }) => [service, closedAt]));
    return { closed_at, ...opening };
  },
  async check(db, opening) {
    requireSeen(opening, await closuresOf(db, opening));
  },
  async execute(db, opening, { actor, proposalId }) {
    const { channel, services } = opening;
    requireSeen(opening, await closuresOf(db, opening));
    const opened = await open(db, { channel: channelOrAll(channel), services, actor, proposalId });
    return { outcome: `${channel} is open again for ${opened.map(({ service }) => service).join(' and ')}` };
  },
});

async function closuresOf(db: Queryable, { channel, services }: Opening): Promise<Closure[]> {
  return (await listClosures(db)).filter(
    (one) => one.channel === channelOrAll(channel) && services.includes(one.service),
  );
}

/** Throws unless something is closed, and nothing for a reason that came after the proposal. */
function requireSeen(
  { channel, closed_at = {} }: Opening,
  closures: readonly Pick<Closure, 'service' | 'closedAt'>[],
): void {
  if (closures.length === 0) throw conflict(`Nothing of this is closed: ${channel}`);
  const other = closures.find(({ service, closedAt }) => closed_at[service] !== closedAt);
  if (other)
    throw conflict(
      `${other.service} of ${channel} were closed again at ${other.closedAt}: look at it again, and propose it again`,
    );
}

import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { type Service, services } from '../domain/channel-health.ts';
import { GatewayError } from '../domain/errors.ts';
import { channelIds } from '../domain/network.ts';
import { listClosures, open } from '../traffic/closures.ts';
import { action } from './actions.ts';

/** How operators name every channel at once. */
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

/** The id of a channel; null for every channel at once. */
export const channelOrAll = (channel: string) => (channel === ALL_CHANNELS ? null : channel);

type Opening = { channel: string; services: Service[] };

/** Takes what operators closed into use again. Closing needs one operator. */
export const openChannelAction = action<Opening>({
  role: 'admin',
  payload: z.strictObject({ channel: channelField, services: servicesField }),
  describe: ({ channel, services }) =>
    `Open ${channel === ALL_CHANNELS ? 'every channel' : channel} again for ${services.join(' and ')}`,
  check: requireClosed,
  async execute(db, opening, { actor, proposalId }) {
    await requireClosed(db, opening);
    const { channel, services } = opening;
    const opened = await open(db, { channel: channelOrAll(channel), services, actor, proposalId });
    return { outcome: `${channel} is open again for ${opened.join(' and ')}` };
  },
});

async function requireClosed(db: Queryable, { channel, services }: Opening): Promise<void> {
  const closures = await listClosures(db);
  const isClosed = closures.some(
    (one) => one.channel === channelOrAll(channel) && services.includes(one.service),
  );
  if (!isClosed) throw new GatewayError('conflict', `Nothing of this is closed: ${channel}`);
}

import { listClosures } from '../../channels/traffic/closures.ts';
import { channelStates, services } from '../../domain/channel-health.ts';
import { channelIds } from '../../domain/network.ts';
import { type Call, type Context, call } from './call.ts';
import { only } from './fields.ts';
import { presentChannel } from './present.ts';
import { channelList, checkedConnections } from './schemas.ts';

export const channelCalls = {
  listChannels: call(
    {
      method: 'GET',
      paths: ['channels'],
      summary: 'Every channel: if its payments and payouts work, and what operators have closed',
      roles: ['viewer', 'support', 'finance', 'admin'],
      query: { state: only(channelStates) },
      answer: channelList,
    },
    async ({ state }, context) => {
      const { data } = await showChannels(context);
      return { data: data.filter((one) => state === undefined || one.state === state) };
    },
  ),
  checkChannels: call(
    {
      method: 'POST',
      paths: ['channels/check'],
      summary: 'Test every connection without moving money: does it answer, and accept our credentials?',
      roles: ['support', 'finance', 'admin'],
      answer: checkedConnections,
    },
    async (_input, { deps }) => ({ data: await deps.checkConnections() }),
  ),
} satisfies Record<string, Call>;

async function showChannels({ deps }: Context) {
  const closures = await listClosures(deps.database);
  const states = await deps.channelStates();
  const data = channelIds.flatMap((channel) =>
    services.map((service) => {
      const closure = closures.find(
        (one) => (one.channel === channel || one.channel === null) && one.service === service,
      );
      return presentChannel({ channel, service, closure, state: states.of(channel, service) });
    }),
  );
  return { data };
}

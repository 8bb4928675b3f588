import type { Channels } from '../channels/kit/registry.ts';
import type { ChannelStates } from '../channels/traffic/gate.ts';
import type { JsonOf } from '../contract/json-of.ts';
import { networkList } from '../contract/network-schemas.ts';
import { serviceOf } from '../domain/channel-health.ts';
import type { Direction } from '../domain/kinds.ts';
import { say } from '../domain/messages.ts';
import { MINOR_PER_UNIT } from '../domain/money.ts';
import { type Network, networks } from '../domain/network.ts';
import { callerOf, done } from './kit/call.ts';
import { call } from './kit/gateway-call.ts';

export const getNetworks = call(
  {
    method: 'GET',
    paths: ['networks'],
    summary: 'The networks, their limits, and whether they work at the moment',
    purpose:
      'Ask this before you offer a network to a customer, and once a minute at most while you do: ' +
      'what a network really answered lately says whether it works. While one is `down` a push over it ' +
      'is refused at once, and a payout waits for it, 24 hours at most.',
    scopes: ['payments:read', 'payouts:read', 'payments:write', 'payouts:write'],
    answer: networkList,
  },
  async (request, { routeOf, gate }) => {
    const { accountId } = callerOf(request);
    const states = await gate.states();
    return {
      ...done(say('networks_found')),
      networks: networks.map((network) =>
        show(network, { routeOf: (id, direction) => routeOf(id, direction, accountId), states }),
      ),
    };
  },
);

type Shown = JsonOf<typeof networkList>['networks'][number];

function show(
  network: Network,
  { routeOf, states }: { routeOf: Channels['routeOf']; states: ChannelStates },
): Shown {
  const { id, name, surePrefixes, pushLimits, payoutLimits } = network;
  const serviceFor = (direction: Direction): Shown['payments'] => {
    const route = routeOf(id, direction);
    const { minimum, maximum } = route?.limits ?? (direction === 'payout' ? payoutLimits : pushLimits);
    return {
      status: route ? states.of(id, serviceOf[direction]) : 'unavailable',
      min: minimum / MINOR_PER_UNIT,
      max: maximum / MINOR_PER_UNIT,
    };
  };
  return {
    id,
    name,
    prefixes: [...surePrefixes],
    payments: serviceFor('collection'),
    payouts: serviceFor('payout'),
  };
}

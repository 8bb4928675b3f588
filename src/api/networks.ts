import type { Channels } from '../channels/registry.ts';
import type { JsonOf } from '../contract/json-of.ts';
import { networkList } from '../contract/network-schemas.ts';
import { serviceOf } from '../domain/channel-health.ts';
import type { Direction } from '../domain/kinds.ts';
import { MINOR_PER_UNIT } from '../domain/money.ts';
import { type Network, networks } from '../domain/network.ts';
import type { ChannelStates, Gate } from '../traffic/gate.ts';
import type { Endpoint, Handler } from './http/endpoint.ts';
import { networkAnswers } from './reference/examples/network.ts';

export const getNetworks = {
  method: 'GET',
  paths: ['networks'],
  summary: 'The networks, their limits, and whether they work at the moment',
  scopes: ['payments:read', 'payouts:read', 'payments:write', 'payouts:write'],
  answer: networkList,
  examples: { answer: networkAnswers },
} as const satisfies Endpoint;

type NetworkDeps = { routeOf: Channels['routeOf']; gate: Pick<Gate, 'states'> };
type Shown = JsonOf<typeof networkList>['networks'][number];

export function createNetworks({ routeOf, gate }: NetworkDeps): Handler {
  return async () => {
    const states = await gate.states();
    const body: JsonOf<typeof networkList> = {
      success: true,
      message: 'Networks retrieved successfully',
      networks: networks.map((network) => show(network, { routeOf, states })),
    };
    return { body };
  };
}

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

import type { Route } from '../../channels/registry.ts';
import { CURRENCY, formatMoney, type Minor, minor } from '../../domain/money.ts';
import { type Limits, type Network, networkOfNumber, networks } from '../../domain/network.ts';
import type { Problem } from '../http/fields.ts';

/** Rules of requests that move money which no field can decide alone. Each gives what is wrong. */

/** The route of a network's (or `bank`'s) payments or payouts; undefined where nothing carries them. */
export type RouteOf = (channelId: string) => Route | undefined;

/** While the network is not known yet, the widest limits of any apply. */
export function widestOf(limitsOf: (network: Network) => Limits): Limits {
  return {
    minimum: minor(Math.min(...networks.map((network) => limitsOf(network).minimum))),
    maximum: minor(Math.max(...networks.map((network) => limitsOf(network).maximum))),
  };
}

/** The network that a request names, else the one of its number; undefined where that is none, or none of ours. */
export function chooseNetwork(
  values: { transaction_channel?: Network | undefined; phone_number?: string | undefined },
  request: { known: Record<string, unknown>; routeOf: RouteOf },
): { network: Network | undefined; route: Route | undefined; problems: Problem[] } {
  const { transaction_channel: named, phone_number: msisdn } = values;
  const network = named ?? (msisdn === undefined ? undefined : networkOfNumber(msisdn));
  // An unknown network and a malformed number are reported by their fields.
  const isNamed = request.known.transaction_channel !== undefined;
  const route = network && request.routeOf(network.id);
  const isRefused = network ? !route : msisdn !== undefined && !isNamed;
  return { network, route, problems: isRefused ? [unsupportedNetwork(isNamed)] : [] };
}

function unsupportedNetwork(isNamed: boolean): Problem {
  return {
    field: isNamed ? 'transaction_channel' : 'phone_number',
    message: 'belongs to no network that is offered here',
    code: 'unsupported_network',
    sentence:
      'This number belongs to no network that is offered here; if it was ported, name its network in transaction_channel',
  };
}

/** `amount_out_of_range`, limits inclusive; nothing while there is no amount. */
export function amountProblems(amount: Minor | undefined, limits: Limits, subject: string): Problem[] {
  if (amount === undefined) return [];
  if (amount < limits.minimum) return [outOfRange(`at least ${wholeUnits(limits.minimum)}`, subject)];
  if (amount > limits.maximum) return [outOfRange(`at most ${wholeUnits(limits.maximum)}`, subject)];
  return [];
}

function outOfRange(bound: string, subject: string): Problem {
  const sentence = `${subject} is ${bound} ${CURRENCY}`;
  return { field: 'amount', message: `must be ${bound}`, code: 'amount_out_of_range', sentence };
}

function wholeUnits(limit: Minor): string {
  return formatMoney(limit).replace(/\.00$/, '');
}

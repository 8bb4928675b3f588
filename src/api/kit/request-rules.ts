import type { Route } from '../../channels/kit/registry.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY, formatMoney, type Minor, minor } from '../../domain/money.ts';
import { type Limits, type Network, networkOfNumber, networks } from '../../domain/network.ts';
import type { Problem } from '../../platform/http/fields.ts';

/** These rules are about several fields of requests that move money. Each returns the problems. */

/** Returns undefined if no connection carries this network's (or `bank`'s) payments or payouts. */
export type RouteOf = (channelId: string) => Route | undefined;

export function widestOf(limitsOf: (network: Network) => Limits): Limits {
  return {
    minimum: minor(Math.min(...networks.map((network) => limitsOf(network).minimum))),
    maximum: minor(Math.max(...networks.map((network) => limitsOf(network).maximum))),
  };
}

/** Returns the network that a request names, else its number's; undefined for an unknown one. */
export function chooseNetwork(
  values: { transaction_channel?: Network | undefined; phone_number?: string | undefined },
  request: { known: Record<string, unknown>; routeOf: RouteOf },
): { network: Network | undefined; route: Route | undefined; problems: Problem[] } {
  const { transaction_channel: named, phone_number: msisdn } = values;
  const network = named ?? (msisdn === undefined ? undefined : networkOfNumber(msisdn));
  // The fields themselves report an unknown network or a malformed number.
  const isNamed = request.known.transaction_channel !== undefined;
  const route = network && request.routeOf(network.id);
  const isRefused = network ? !route : msisdn !== undefined && !isNamed;
  return { network, route, problems: isRefused ? [unsupportedNetwork(isNamed)] : [] };
}

function unsupportedNetwork(isNamed: boolean): Problem {
  return {
    field: isNamed ? 'transaction_channel' : 'phone_number',
    message: say('not_of_networks_here'),
    code: 'unsupported_network',
    sentence: say('number_not_of_networks_here'),
  };
}

/** Limits are inclusive. A missing amount is no problem here. */
export function amountProblems(amount: Minor | undefined, limits: Limits, subject: Message): Problem[] {
  if (amount === undefined) return [];
  if (amount < limits.minimum) return [tooSmall(wholeUnits(limits.minimum), subject)];
  if (amount <= limits.maximum) return [];
  const most = wholeUnits(limits.maximum);
  const sentence = say('amount_too_large', { subject, amount: most, currency: CURRENCY });
  return [{ ...OUT_OF_RANGE, message: say('must_be_at_most', { amount: most }), sentence }];
}

const OUT_OF_RANGE = { field: 'amount', code: 'amount_out_of_range' } as const;

export function tooSmall(amount: string, subject: Message): Problem {
  const sentence = say('amount_too_small', { subject, amount, currency: CURRENCY });
  return { ...OUT_OF_RANGE, message: say('must_be_at_least', { amount }), sentence };
}

/** Omits `.00`, because limits are whole shillings. */
export function wholeUnits(limit: Minor): string {
  return formatMoney(limit).replace(/\.00$/, '');
}

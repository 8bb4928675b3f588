import { createAddressList } from './address-list.ts';
import { type ChannelsPlan, type Connection, wrong } from './connections.ts';
import type { BillDoors, DoorCall } from './door.ts';
import type { OpenConnection } from './protocol.ts';
import { connectionsOf } from './statement-accounts.ts';

export type Opened = { connection: Connection; open: OpenConnection };

export type BillConnection = {
  id: string;
  bills: BillDoors;
  /** an aggregator's messages call a network by `operator` */
  networks: readonly { id: string; operator: string | null }[];
  offers(accountId: string): boolean;
  allows(address: string): boolean;
};

export function carriersIn(plan: ChannelsPlan, channelId: string): string[] {
  return [...new Set(connectionsOf(plan.networks.get(channelId)))];
}

/** Throws if a message could belong to two connections, or its network could not be known. */
export function billConnectionsOf(opened: Map<string, Opened>, plan: ChannelsPlan): BillConnection[] {
  const rowsOfBank = [plan.networks, ...plan.routes.values()].flatMap((rows) => rows.get('bank') ?? []);
  if (rowsOfBank.some(({ bills = [] }) => bills.length > 0))
    throw wrong(['networks.bank.bills: bills are paid over networks, and no bank has a door for them']);
  const connections = [...opened.values()].flatMap(({ connection, open: { bills } }) => {
    const { id, path, addresses } = connection;
    const own = [...plan.routes.values()];
    const isOver = (bills: readonly string[] | undefined) => bills?.includes(id) ?? false;
    const ids = [...plan.networks].filter(
      ([network, service]) => isOver(service.bills) || own.some((rows) => isOver(rows.get(network)?.bills)),
    );
    if (!bills) {
      requireNone(plan, connection);
      return [];
    }
    if (ids.length === 0) return [];
    const networks = networksOf(
      ids.map(([network]) => network),
      bills,
    );
    const offers = (accountId: string) =>
      ids.some(([network, service]) =>
        isOver(plan.routes.get(accountId)?.get(network)?.bills ?? service.bills),
      );
    return [{ id, bills: belowPath(bills, path), networks, offers, allows: createAddressList(addresses) }];
  });
  requireDistinct(connections);
  return connections;
}

/** A connection with its own path has its doors below this prefix of PUBLIC_URL. */
export function prefixOf(path: string | undefined): string {
  return path === undefined ? '' : `/channels/at/${path}`;
}

function belowPath(bills: BillDoors, path: string | undefined): BillDoors {
  const prefix = prefixOf(path);
  const within = (call: DoorCall) => ({ ...call, path: call.path.slice(prefix.length) });
  return {
    ...bills,
    doors: bills.doors.map((door) => ({
      ...door,
      path: `${prefix}${door.path}`,
      answer: (call, service) => door.answer(within(call), service),
    })),
    prove: (call) => bills.prove(within(call)),
  };
}

/** Refuses accounts' own routes, which this protocol cannot keep apart. */
function requireNone({ routes }: ChannelsPlan, { id, protocol }: Connection): void {
  for (const [account, rows] of routes)
    for (const [network, { bills }] of rows)
      if (bills?.includes(id))
        throw wrong([`routes.${account}.${network}.bills: ${protocol.name} (${id}) cannot carry them`]);
}

function networksOf(ids: string[], { operators }: BillDoors): BillConnection['networks'] {
  const known = new Map<string | null, string>();
  return ids.map((id) => {
    const operator = operators?.[id]?.toUpperCase() ?? null;
    if (operators && operator === null) throw wrong([`networks.${id}.bills: operators names none of it`]);
    if (known.has(operator)) throw wrong([`networks.${id}.bills: has the proof of ${known.get(operator)}`]);
    known.set(operator, id);
    return { id, operator };
  });
}

function requireDistinct(connections: readonly BillConnection[]): void {
  const owners = new Map<string, { id: string; shortCode: string | undefined }[]>();
  for (const { id, bills } of connections)
    for (const { method, path } of bills.doors)
      for (const secret of new Set(bills.secrets)) {
        const key = JSON.stringify([method, path, secret]);
        const there = owners.get(key) ?? [];
        const { shortCode } = bills;
        // A connection without a short code takes messages for every short code.
        const same = there.find(
          (one) => [one.shortCode, shortCode].includes(undefined) || one.shortCode === shortCode,
        );
        if (same)
          throw wrong([
            `connections.${id}.settings: ${same.id} has the same proof at ${path}: nobody could say ` +
              'over which of the two a message came. Give each its own shortCode, or one of them a path',
          ]);
        owners.set(key, [...there, { id, shortCode }]);
      }
}

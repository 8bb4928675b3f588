import { createAddressList } from './address-list.ts';
import { type ChannelsPlan, type Connection, wrong } from './connections.ts';
import type { BillDoors } from './door.ts';
import type { OpenConnection } from './protocol.ts';

export type Opened = { connection: Connection; open: OpenConnection };

/** One connection over which bills come in. */
export type BillConnection = {
  id: string;
  bills: BillDoors;
  /** whose customers pay over it; `operator`: what an aggregator's messages call the network */
  networks: readonly { id: string; operator: string | null }[];
  /** whether the provider may call from this address */
  allows(address: string): boolean;
};

/** Throws where nobody could say of a message over which connection it came, or of which network it is. */
export function billConnectionsOf(opened: Map<string, Opened>, plan: ChannelsPlan): BillConnection[] {
  const connections = [...opened.values()].flatMap(({ connection, open: { bills } }) => {
    const ids = [...plan.networks].filter(([_, service]) => service.bills.includes(connection.id));
    if (!bills || ids.length === 0) return [];
    const networks = networksOf(
      ids.map(([id]) => id),
      bills,
    );
    return [{ id: connection.id, bills, networks, allows: createAddressList(connection.addresses) }];
  });
  requireDistinct(connections);
  return connections;
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
  const owners = new Map<string, string>();
  for (const { id, bills } of connections)
    for (const { method, path } of bills.doors)
      for (const secret of new Set(bills.secrets)) {
        const key = JSON.stringify([method, path, secret]);
        const owner = owners.get(key);
        if (owner !== undefined)
          throw wrong([
            `connections.${id}.settings: ${owner} has the same proof at ${path}: nobody could say over which of the two a message came`,
          ]);
        owners.set(key, id);
      }
}

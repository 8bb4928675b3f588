import { causesOf } from '../../domain/causes.ts';
import type { CheckedConnection } from '../../domain/channel-health.ts';
import type { Shown } from './harmless.ts';
import type { Channels } from './registry.ts';

/** Makes a harmless call over every connection: does it answer, and accept our credentials? */
export function checkConnections({
  connections,
}: Pick<Channels, 'connections'>): Promise<CheckedConnection[]> {
  return Promise.all([...connections].map(([connection, one]) => checkOne(connection, one)));
}

/**
 * Lists networks whose pushes and bills have separate receipt spaces. If they have one short code, receipts
 * would count twice.
 */
export function numberedApart({
  billConnections,
  receiptSpaces,
  routeOf,
}: Pick<Channels, 'billConnections' | 'receiptSpaces' | 'routeOf'>): string[] {
  return billConnections.flatMap(({ id, networks }) =>
    networks.flatMap(({ id: network }) => {
      const over = routeOf(network, 'collection')?.connection;
      if (over === undefined || receiptSpaces.get(over) === receiptSpaces.get(id)) return [];
      return (
        `${network}: pushes over ${over} and bills over ${id} have separate receipts; ` +
        'if they share a short code, name one in "receipts" of the other'
      );
    }),
  );
}

async function checkOne(
  connection: string,
  { protocol, check, asks }: Pick<Shown, 'protocol' | 'check' | 'asks'>,
): Promise<CheckedConnection> {
  if (!check) return { connection, protocol, outcome: 'not asked', detail: 'it calls us; we never call it' };
  try {
    return { connection, protocol, detail: await check(), outcome: asks ? 'works' : 'not asked' };
  } catch (error) {
    return { connection, protocol, outcome: 'failed', detail: causesOf(error) };
  }
}

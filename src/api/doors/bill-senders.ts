import type { DoorCall } from '../../channels/kit/door.ts';
import type { BillConnection } from '../../channels/kit/registry.ts';
import { GatewayError } from '../../domain/errors.ts';

/** Finds the connection whose proof a message has, before reading it. Throws `unauthorized`. */
export async function findSender<Connection extends BillConnection>(
  connections: readonly Connection[],
  { call, address }: { call: DoorCall; address: string },
  countWrong: () => Promise<void>,
): Promise<Connection> {
  const asked = await Promise.all(
    connections.map(async (connection) => ({ connection, proof: await connection.bills.prove(call) })),
  );
  for (const { connection, proof } of asked)
    if (proof === 'proven' && connection.allows(address)) return connection;
  const refusals = asked.map(({ proof }) => (proof === 'proven' ? ELSEWHERE : proof));
  // A message without any proof is refused but not counted.
  if (refusals.some(({ isWrong }) => isWrong)) await countWrong();
  throw new GatewayError('unauthorized', refusals[0]?.why ?? ELSEWHERE.why);
}

const ELSEWHERE = { why: 'The sender is not accepted from this address', isWrong: true };

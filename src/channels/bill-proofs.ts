import { createAddressList } from './address-list.ts';
import { type ChannelsPlan, type Connection, wrong } from './connections.ts';
import type { BillProof, OpenConnection, SignedMessage } from './protocol.ts';

export type Opened = { connection: Connection; open: OpenConnection };

type Proof =
  | {
      token: string;
      /** the network's name in messages of an aggregator */
      operator?: string;
      isSigned?(message: SignedMessage): boolean;
    }
  | { username: string; password: string };

/** A network's proof at the bill doors: over which connection, and from where it counts. */
export type NetworkProof = Proof & { network: string; connection: string; allows(address: string): boolean };

/** With what each network proves itself at the bill doors. Throws where two networks share a proof. */
export function billProofsOf(opened: Map<string, Opened>, plan: ChannelsPlan): NetworkProof[] {
  const owners = new Map<string, string>();
  const proofsOver = (network: string, connectionId: string): NetworkProof[] => {
    const { connection, open } = opened.get(connectionId) ?? {};
    const allows = createAddressList(connection?.addresses ?? []);
    return (open?.billProofs ?? []).map((offered) => {
      const proof = proofOf(offered, network);
      const key = JSON.stringify(proof);
      const other = owners.get(key) ?? network;
      // A proof says which network speaks: two that share one could not be distinguished.
      if (other !== network) throw wrong([`networks.${network}.bills: has the proof of ${other}`]);
      owners.set(key, network);
      return { ...proof, network, connection: connectionId, allows };
    });
  };
  return [...plan.networks].flatMap(([network, { bills }]) => bills.flatMap((id) => proofsOver(network, id)));
}

/** An aggregator's token speaks for a network where its message names the network's operator. */
function proofOf(proof: BillProof, network: string): Proof {
  if (!('token' in proof)) return proof;
  const { operators, ...rest } = proof;
  if (operators === undefined) return rest;
  const operator = operators[network];
  if (operator === undefined) throw wrong([`networks.${network}.bills: operators names none of it`]);
  return { ...rest, operator: operator.toUpperCase() };
}

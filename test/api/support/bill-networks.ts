import { createAirtelPaybillDoors } from '../../../src/channels/airtel-paybill/bill-door.ts';
import { createBillJsonDoors } from '../../../src/channels/bill-json/door.ts';
import { createGsmaBillDoors } from '../../../src/channels/gsma/bill-door.ts';
import { createHalopesaBillDoors } from '../../../src/channels/halopesa/bill-door.ts';
import type { BillDoors } from '../../../src/channels/kit/door.ts';
import type { BillConnection } from '../../../src/channels/kit/registry.ts';
import { createMixxBillDoors } from '../../../src/channels/mixx/bill-door.ts';
import { networks } from '../../../src/domain/network.ts';

/** Every network's, by its id. */
export const billTokenOf = (network: string) => `${network}-${'t'.repeat(24)}`;
/** Every network's, where its protocol has no bearer token. */
export const billCredentialsOf = (network: string) => ({
  username: `${network}-user`,
  password: `${network}-${'p'.repeat(24)}`,
});
export type OfNetwork = { network: string; username: string; password: string };
export const billCredentials: OfNetwork[] = networks.map(({ id }) => ({
  network: id,
  ...billCredentialsOf(id),
}));

/** From anywhere, over a connection that is called as its network. */
export function billConnectionOf(network: string, bills: BillDoors, id = `${network}-bills`): BillConnection {
  return { id, bills, networks: [{ id: network, operator: null }], offers: () => true, allows: () => true };
}

/** The key of every HaloPesa's check sum. */
export const HALOPESA_KEY = 'a key of the check sum';

/** Every network over every protocol that needs no more than a token, or a user name and a password. */
export function billConnectionsWith(credentials: readonly OfNetwork[]): BillConnection[] {
  const byToken = networks.flatMap(({ id }) =>
    [createBillJsonDoors({ tokens: [billTokenOf(id)] }), createGsmaBillDoors([billTokenOf(id)])].map(
      (bills) => billConnectionOf(id, bills),
    ),
  );
  const byCredentials = credentials.flatMap(({ network, ...account }) =>
    [
      createAirtelPaybillDoors({ ...account, receiptIn: 'REFERENCE1' }),
      createMixxBillDoors(account),
      createHalopesaBillDoors({ ...account, secret: HALOPESA_KEY }),
    ].map((bills) => billConnectionOf(network, bills)),
  );
  return [...byToken, ...byCredentials];
}

import { type BillTokens, billsOnly, billTokens, type Protocol } from '../protocol.ts';
import { billJsonDoors } from './door.ts';

export const billJsonProtocol: Protocol<BillTokens> = {
  name: 'bill-json',
  settings: billTokens,
  secrets: ['tokens'],
  open: ({ tokens }) => ({
    capabilities: billsOnly,
    billDoors: billJsonDoors,
    billProofs: tokens.map((token) => ({ token })),
  }),
};

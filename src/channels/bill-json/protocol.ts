import { z } from 'zod';
import { billsOnly, billTokens, type Protocol } from '../protocol.ts';
import { billJsonDoors } from './door.ts';

const settings = billTokens.extend({
  /** An aggregator speaks for several networks with one token: its `operator` of each, by our network. */
  operators: z.record(z.string(), z.string().min(1).max(256)).optional(),
});

export const billJsonProtocol: Protocol<z.infer<typeof settings>> = {
  name: 'bill-json',
  settings,
  secrets: ['tokens'],
  open: ({ tokens, operators }) => ({
    capabilities: billsOnly,
    billDoors: billJsonDoors,
    billProofs: tokens.map((token) => ({ token, operators })),
  }),
};

import { z } from 'zod';
import { nothingSent } from '../kit/about.ts';
import { billsOnly, billTokens, type Protocol } from '../kit/protocol.ts';
import { createBillJsonDoors } from './door.ts';

const settings = billTokens.extend({
  /** each network's value of `operator`, if an aggregator has one token for all its networks */
  operators: z.record(z.string(), z.string().min(1).max(256)).optional(),
  /** if any is set, one must sign every message; a replacement needs two (docs/channels/bills.md) */
  signingKeys: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w.-]{1,40}$/, 'must be 1 to 40 letters, digits, _, . or -'),
        secret: z.string().min(32),
      }),
    )
    .default([]),
});

export const billJsonProtocol: Protocol<z.infer<typeof settings>> = {
  name: 'bill-json',
  settings,
  secrets: ['tokens', 'signingKeys.secret'],
  answersAbout: nothingSent,
  open({ tokens, operators, signingKeys }, { publicUrl }) {
    const prefix = new URL(publicUrl).pathname.replace(/\/+$/, '');
    return {
      capabilities: billsOnly,
      bills: createBillJsonDoors({ tokens, operators, signingKeys, prefix }),
    };
  },
};

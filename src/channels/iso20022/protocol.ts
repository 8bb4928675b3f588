import { z } from 'zod';
import { neverSent } from '../kit/about.ts';
import { askAboutNothing, type PlainDoor, type Protocol } from '../kit/protocol.ts';
import { createIso20022Channel, NOTIFICATION_PATH } from './index.ts';
import { table } from './translate.ts';

const settings = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  /** both sides sign with the first and accept any; two during a replacement */
  secrets: z.array(z.string().min(24, 'must be at least 24 characters')).min(1).max(2),
  debtor: z.strictObject({
    name: z.string().min(1).max(140),
    account: z.string().min(1).max(34),
    bic: z.string().regex(/^[A-Z0-9]{8}([A-Z0-9]{3})?$/),
  }),
});

const notificationDoors: readonly PlainDoor[] = [
  { name: 'channels/iso20022', method: 'POST', path: NOTIFICATION_PATH },
];

/** Bank payouts use ISO 20022 messages (docs/channels/iso20022.md). */
export const iso20022Protocol: Protocol<z.infer<typeof settings>> = {
  name: 'iso20022',
  settings,
  secrets: ['secrets'],
  codes: table,
  answersAbout: { push: neverSent, payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['x-signature'],
  open(bank, { publicUrl, http }) {
    const notificationPath = new URL(`${publicUrl}${NOTIFICATION_PATH}`).pathname;
    const channel = createIso20022Channel({ ...bank, notificationPath, http });
    return {
      capabilities: {
        push: false,
        payouts: ['bank'],
        enquiry: true,
        deduplicates: { collection: false, payout: true },
      },
      channel: () => channel,
      notificationDoors,
      // The bank answers, and signs, only for clients that it knows.
      check: () => askAboutNothing(channel),
    };
  },
};

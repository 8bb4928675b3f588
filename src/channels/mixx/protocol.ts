import { z } from 'zod';
import { nothingSent } from '../kit/about.ts';
import { askAboutNothing, billsOnly, type Protocol } from '../kit/protocol.ts';
import { createMixxBillDoors } from './bill-door.ts';
import { createMixxClient } from './client.ts';
import { capabilities, createMixxChannel } from './index.ts';
import { mixxDoors } from './notification.ts';
import { type MixxSettings, mixxSettings } from './settings.ts';
import { table } from './translate.ts';

/** Mixx by Yas, formerly Tigo Pesa (docs/channels/mixx.md). */
export const mixxProtocol: Protocol<MixxSettings> = {
  name: 'mixx',
  settings: mixxSettings,
  secrets: ['push.username', 'push.password', 'payout.pin', 'status.pin', 'callback.token'],
  codes: table,
  answersAbout: { push: 'named', payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['ResponseCode', 'ReferenceID', 'COMMAND'],
  open(settings, { http }) {
    const channel = createMixxChannel({ settings, http });
    const client = createMixxClient(settings, http);
    return {
      capabilities: { ...capabilities, payouts: settings.payout ? capabilities.payouts : [] },
      channel: () => channel,
      notificationDoors: mixxDoors(settings.callback),
      async check() {
        await client.requireToken();
        const said = await askAboutNothing(channel).catch((error: Error) => error.message);
        if (!/RESULTCODE|knows nothing/.test(said)) throw new Error(said);
        return `gives a token, and of an enquiry: ${said}`;
      },
    };
  },
};

const w2aSettings = z.strictObject({
  /** user of HTTP Basic; for a secret in the address it is `address` */
  username: z.string().min(1),
  password: z.string().min(16),
  errorTag: z.enum(['ERRORDESC', 'ERRORDESCRIPTION']).default('ERRORDESC'),
});

/** Customers pay bills from Mixx's menu: wallet to account (docs/channels/mixx.md). */
export const mixxW2aProtocol: Protocol<z.infer<typeof w2aSettings>> = {
  name: 'mixx-w2a',
  settings: w2aSettings,
  secrets: ['password'],
  answersAbout: nothingSent,
  open: (account) => ({ capabilities: billsOnly, bills: createMixxBillDoors(account) }),
};

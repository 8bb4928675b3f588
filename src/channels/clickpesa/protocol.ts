import type { Protocol } from '../kit/protocol.ts';
import { createClickpesaClient } from './client.ts';
import { createClickpesaChannel } from './index.ts';
import { type ClickpesaSettings, clickpesaSettings } from './settings.ts';
import { table } from './translate.ts';
import { balancesSchema, PATHS } from './wire.ts';

/** Every wallet and bank through ClickPesa (docs/channels/clickpesa.md). */
export const clickpesaProtocol: Protocol<ClickpesaSettings> = {
  name: 'clickpesa',
  settings: clickpesaSettings,
  secrets: ['apiKey', 'checksumKey'],
  codes: table,
  answersAbout: { push: 'named', payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['message', 'orderReference'],
  open(settings, { http }) {
    const client = createClickpesaClient(settings, http);
    const channel = createClickpesaChannel(client, settings);
    return {
      capabilities: {
        push: true,
        // Only a proven notification reports that a successful payout came back.
        payouts: settings.checksumKey === undefined ? [] : ['wallet', 'bank'],
        enquiry: true,
        // The documents promise this for pushes only, although one integration saw it for payouts.
        deduplicates: { collection: true, payout: false },
      },
      channel: () => channel,
      notificationDoors: [{ name: 'channels/clickpesa', method: 'POST', path: '/channels/clickpesa' }],
      async check() {
        const answer = await client(PATHS.balance, { timeoutMs: 5_000 });
        if (answer.kind === 'json' && balancesSchema.safeParse(answer.json).success)
          return 'tells the balance of the account';
        const why = answer.kind === 'json' ? `HTTP ${answer.status}` : answer.detail;
        throw new Error(`does not tell the balance: ${why}`);
      },
    };
  },
};

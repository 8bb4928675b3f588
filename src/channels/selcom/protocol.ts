import type { Protocol } from '../kit/protocol.ts';
import { createSelcomClient, floatBalance, type SelcomClient } from './client.ts';
import { capabilities, createSelcomChannel, notificationDoors } from './index.ts';
import { type SelcomSettings, selcomSettings } from './settings.ts';
import { table } from './translate.ts';

/** Selcom's API gateway reaches every wallet and bank (docs/channels/selcom.md). */
export const selcomProtocol: Protocol<SelcomSettings> = {
  name: 'selcom',
  settings: selcomSettings,
  secrets: ['apiKey', 'apiSecret', 'floatPin', 'c2bToken'],
  codes: table,
  answersAbout: { push: 'named', payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['resultcode', 'result', 'reference', 'transid'],
  open(settings, { publicUrl, http }) {
    const client = createSelcomClient(settings, http);
    return {
      capabilities: { ...capabilities, payouts: settings.floatPin === undefined ? [] : capabilities.payouts },
      channel: (network) => createSelcomChannel({ client, settings, network, publicUrl }),
      // Selcom asks for no earlier enquiry.
      timing: { promptEnquiriesMs: [180_000, 240_000], firstEnquiryAfterMs: 180_000 },
      notificationDoors,
      addresses: [settings.url],
      ...(settings.floatPin === undefined ? {} : { check: () => checkFloat(client, settings) }),
    };
  },
};

async function checkFloat(client: SelcomClient, settings: SelcomSettings): Promise<string> {
  await floatBalance(client, settings, { timeoutMs: 5_000 });
  return 'tells the balance of the float';
}

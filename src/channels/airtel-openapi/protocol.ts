import type { Protocol } from '../kit/protocol.ts';
import { createAirtelClient } from './client.ts';
import { capabilities, createAirtelOpenapiChannel, notificationDoors } from './index.ts';
import { type AirtelOpenapiSettings, airtelOpenapiSettings } from './settings.ts';
import { createAirtelStatements } from './statements.ts';
import { table } from './translate.ts';

const CHECK_TIMEOUT_MS = 5_000;

/** Airtel Money over the Airtel Africa Open API (docs/channels/airtel-openapi.md). */
export const airtelOpenapiProtocol: Protocol<AirtelOpenapiSettings> = {
  name: 'airtel-openapi',
  settings: airtelOpenapiSettings,
  secrets: ['clientSecret', 'pin', 'callbackKey'],
  codes: table,
  answersAbout: { push: 'named', payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['status', 'status_code', 'error', 'data'],
  open(settings, { http }) {
    const client = createAirtelClient(settings, http);
    const channel = createAirtelOpenapiChannel({ settings, client });
    return {
      capabilities: { ...capabilities, payouts: settings.pin === undefined ? [] : capabilities.payouts },
      channel: () => channel,
      statements: () => createAirtelStatements(client, settings),
      timing: {
        promptTtlMs: settings.promptTtlSeconds * 1000,
        promptEnquiriesMs: [settings.firstEnquiryAfterSeconds * 1000],
        firstEnquiryAfterMs: settings.firstEnquiryAfterSeconds * 1000,
        settleTimeMs: settings.settleTimeSeconds * 1000,
      },
      notificationDoors,
      async check() {
        await client.balance('DISB', { timeoutMs: CHECK_TIMEOUT_MS });
        return 'tells the balance';
      },
    };
  },
};

import { askAboutNothing, type Protocol } from '../kit/protocol.ts';
import { capabilities, createVodacomOpenapiChannel } from './index.ts';
import { notificationDoors } from './notification.ts';
import { type VodacomOpenapiSettings, vodacomOpenapiSettings } from './settings.ts';
import { table } from './translate.ts';

/** M-Pesa over Vodacom's own OpenAPI (docs/channels/vodacom-openapi.md). */
export const vodacomOpenapiProtocol: Protocol<VodacomOpenapiSettings> = {
  name: 'vodacom-openapi',
  settings: vodacomOpenapiSettings,
  secrets: ['apiKey', 'callback.token'],
  codes: table,
  answersAbout: { push: 'named', payout: 'named', enquiry: 'named', notification: 'looked up' },
  marks: ['output_ResponseCode', 'output_error'],
  open(settings, { http }) {
    const channel = createVodacomOpenapiChannel({ settings, http });
    return {
      capabilities,
      channel: () => channel,
      // A synchronous application answers only after the customer has typed the PIN.
      ...(settings.mode === 'synchronous' ? { timing: { sendTimeoutMs: settings.sendTimeoutMs } } : {}),
      notificationDoors,
      // No default code says "not found", but INS-23 shows that our credentials are accepted.
      check: () =>
        askAboutNothing(channel).catch((error: Error) => {
          if (!error.message.endsWith('enquiry: INS-23')) throw error;
          return 'answers an enquiry about a made-up payment with INS-23';
        }),
    };
  },
};

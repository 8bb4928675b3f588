import { billsOnly, type Protocol } from '../protocol.ts';
import { allSecrets } from '../secret.ts';
import { createMpesaBrokerDoors } from './bill-door.ts';
import { type MpesaBrokerSettings, mpesaBrokerSettings } from './settings.ts';

/** Bills paid from M-Pesa's menu through Vodacom's broker (docs/channels/mpesa-broker.md). */
export const mpesaBrokerProtocol: Protocol<MpesaBrokerSettings> = {
  name: 'mpesa-broker',
  settings: mpesaBrokerSettings,
  secrets: ['password', 'initiatorPassword'],
  open: (settings, { log, http }) => ({
    capabilities: billsOnly,
    billDoors: createMpesaBrokerDoors({ settings, log, http }),
    billProofs: allSecrets(settings.password).map((password) => ({ username: settings.spId, password })),
  }),
};

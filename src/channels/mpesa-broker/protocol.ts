import { nothingSent } from '../kit/about.ts';
import { billsOnly, type Protocol } from '../kit/protocol.ts';
import { createMpesaBrokerDoors } from './bill-door.ts';
import { type MpesaBrokerSettings, mpesaBrokerSettings } from './settings.ts';

/** Customers pay bills from M-Pesa's menu through Vodacom's broker (docs/channels/mpesa-broker.md). */
export const mpesaBrokerProtocol: Protocol<MpesaBrokerSettings> = {
  name: 'mpesa-broker',
  settings: mpesaBrokerSettings,
  secrets: ['password', 'initiatorPassword'],
  answersAbout: nothingSent,
  open: (settings, { log, http }) => ({
    capabilities: billsOnly,
    addresses: [settings.resultUrl],
    bills: createMpesaBrokerDoors({ settings, log, http }),
  }),
};

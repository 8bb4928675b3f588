import { randomBytes } from 'node:crypto';
import type { Channel, Party } from '../../domain/channel.ts';
import { toUnits } from '../../domain/money.ts';
import { refusedHere } from '../kit/refused.ts';
import type { ClickpesaClient } from './client.ts';
import { hintOf, isProven, translateNotification } from './notification.ts';
import type { ClickpesaSettings } from './settings.ts';
import { enquiryResultOf, nameOf, sendResultOf } from './translate.ts';
import { PATHS } from './wire.ts';

/** A payout preview returns the name. It moves no money but requires an amount. */
const PREVIEW_TZS = 1_000;

/** ClickPesa finds a number's network or bank itself (docs/channels/clickpesa.md). */
export function createClickpesaChannel(client: ClickpesaClient, settings: ClickpesaSettings): Channel {
  const { currency, checksumKey } = settings;

  function payoutOf(party: Party) {
    if (party.kind === 'wallet')
      return { preview: PATHS.walletPreview, create: PATHS.walletPayout, to: { phoneNumber: party.msisdn } };
    const { accountNumber, bic } = party;
    const to = { accountNumber, bic, transferType: 'ACH', accountCurrency: currency };
    return { preview: PATHS.bankPreview, create: PATHS.bankPayout, to };
  }

  return {
    async requestPush({ reference, party, ...order }, call) {
      const refused = refusedHere(order, currency);
      if (refused) return refused;
      const amount = String(toUnits(order.amount));
      const payload = { amount, currency, orderReference: reference, phoneNumber: party.msisdn };
      const answer = await client(PATHS.push, call, payload);
      return sendResultOf(answer, { reference, direction: 'collection', currency });
    },
    async requestPayout({ reference, party, ...order }, call) {
      const refused = refusedHere(order, currency);
      if (refused) return refused;
      const { create, to } = payoutOf(party);
      const name = party.kind === 'bank' ? { accountName: party.fullName } : {};
      const payload = {
        amount: toUnits(order.amount),
        currency,
        orderReference: reference,
        ...to,
        ...name,
      };
      return sendResultOf(await client(create, call, payload), { reference, direction: 'payout', currency });
    },
    async enquire({ reference, direction }, call) {
      const path = direction === 'collection' ? PATHS.payments : PATHS.payouts;
      return enquiryResultOf(await client(`${path}/${reference}`, call), { reference, direction, currency });
    },
    async lookupName(party, call) {
      const { preview, to } = payoutOf(party);
      const orderReference = `Q${randomBytes(8).toString('hex').toUpperCase()}`;
      return nameOf(await client(preview, call, { amount: PREVIEW_TZS, currency, orderReference, ...to }));
    },
    verifyNotification: (raw) => isProven(raw, settings),
    translateNotification: (raw) => translateNotification(raw, currency),
    ...(checksumKey === undefined ? { hintOf } : {}),
  };
}

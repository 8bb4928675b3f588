import type {
  CallOptions,
  Channel,
  NameResult,
  Party,
  PayoutOrder,
  PushOrder,
  RawNotification,
  SendResult,
} from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { MINOR_PER_UNIT } from '../../domain/money.ts';
import { createHttpClient } from '../kit/http.ts';
import type { Capabilities, NotificationDoor } from '../kit/protocol.ts';
import { refusedHere } from '../kit/refused.ts';
import { type AirtelClient, createAirtelClient } from './client.ts';
import { encryptPin } from './crypto.ts';
import { hintOf, isProven, readCallback } from './notification.ts';
import type { AirtelOpenapiSettings } from './settings.ts';
import { enquiryResultOf, nameResultOf, notificationOf, refusesOurKey, sendResultOf } from './translate.ts';
import { AIRTEL_PATHS } from './wire.ts';

export type AirtelOpenapiChannelOptions = {
  settings: AirtelOpenapiSettings;
  client?: AirtelClient;
};

/** Customers read this `reference`, so it has only characters that an SMS can show. */
const REFERENCE_CHARACTERS_MAX = 64;
const COUNTRY_CODE = /^255/;

export const capabilities: Capabilities = {
  push: true,
  payouts: ['wallet'],
  enquiry: true,
  deduplicates: { collection: true, payout: true },
};

/** The status is always 200: after any other Airtel sends again, and an enquiry follows every callback. */
export const notificationDoors: readonly NotificationDoor[] = [
  {
    name: 'channels/airtel-openapi',
    method: 'POST',
    path: '/channels/airtel-openapi',
    answer: () => ({ status: 200, body: '' }),
  },
];

export function createAirtelOpenapiChannel(options: AirtelOpenapiChannelOptions): Channel {
  const { settings } = options;
  const client = options.client ?? createAirtelClient(settings, createHttpClient());

  async function requestPush(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const { country, currency, collectVersion } = settings;
    const refused = refusedHere(order, settings.currency);
    if (refused) return refused;
    // The number has no country code, and the amount is a JSON number without decimals.
    const body = {
      reference: textFor(order.description, order.reference),
      subscriber: { country, currency, msisdn: order.party.msisdn.replace(COUNTRY_CODE, '') },
      transaction: { amount: order.amount / MINOR_PER_UNIT, country, currency, id: order.reference },
    };
    const answer = await client.send(
      {
        method: 'POST',
        path: collectVersion === 'v2' ? AIRTEL_PATHS.collectV2 : AIRTEL_PATHS.collectV1,
        body: () => JSON.stringify(body),
        signed: collectVersion === 'v2',
      },
      call,
    );
    if (refusesOurKey(answer)) client.forgetPublicKey();
    return sendResultOf(answer, { ...order, direction: 'collection' }, settings);
  }

  async function requestPayout(order: PayoutOrder, call: CallOptions): Promise<SendResult> {
    const { currency, payoutVersion, pin, pinEncryption, walletType } = settings;
    const { party } = order;
    if (party.kind !== 'wallet') return { kind: 'not_sent', detail: 'not a wallet' };
    if (pin === undefined) return { kind: 'not_sent', detail: 'no PIN is configured' };
    const refused = refusedHere(order, settings.currency);
    if (refused) return refused;
    const payee = { msisdn: party.msisdn.replace(COUNTRY_CODE, ''), currency };
    const wallet = payoutVersion === 'v3' && walletType !== undefined ? { wallet_type: walletType } : {};
    const paths = { v1: AIRTEL_PATHS.payoutV1, v2: AIRTEL_PATHS.payoutV2, v3: AIRTEL_PATHS.payoutV3 };
    const answer = await client.send(
      {
        method: 'POST',
        path: paths[payoutVersion],
        encrypts: true,
        signed: settings.signPayouts,
        body: (publicKey) => {
          if (!publicKey) throw new Error('a PIN is never sent in clear');
          const body = {
            payee: { ...payee, ...wallet },
            reference: textFor(order.description, order.reference),
            pin: encryptPin(publicKey, pin, pinEncryption),
            transaction: { amount: order.amount / MINOR_PER_UNIT, id: order.reference, type: 'B2C' },
          };
          return JSON.stringify(body);
        },
      },
      call,
    );
    if (refusesOurKey(answer)) client.forgetPublicKey();
    return sendResultOf(answer, { ...order, direction: 'payout' }, settings);
  }

  async function lookupName(party: Party, call: CallOptions): Promise<NameResult> {
    if (party.kind !== 'wallet') return { kind: 'unknown' };
    const path = `${AIRTEL_PATHS.users}${encodeURIComponent(party.msisdn.replace(COUNTRY_CODE, ''))}`;
    return nameResultOf(await client.send({ method: 'GET', path }, call));
  }

  function translateNotification(raw: RawNotification) {
    const callback = readCallback(raw.body);
    return callback ? notificationOf(callback, settings) : null;
  }

  return {
    requestPush,
    requestPayout,
    async enquire(order, call) {
      const path = `${pathOfEnquiry[order.direction]}${encodeURIComponent(order.reference)}`;
      return enquiryResultOf(await client.send({ method: 'GET', path }, call), order, settings);
    },
    lookupName,
    verifyNotification: (raw) => isProven(raw, settings.callbackKey),
    translateNotification,
    ...(settings.callbackKey === undefined ? { hintOf } : {}),
  };
}

const pathOfEnquiry: Record<Direction, string> = {
  collection: AIRTEL_PATHS.enquireCollection,
  payout: AIRTEL_PATHS.enquirePayout,
};

function textFor(description: string, reference: string): string {
  const text = description
    .replace(/[^a-zA-Z0-9 ]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return text.slice(0, REFERENCE_CHARACTERS_MAX).trim() || reference;
}

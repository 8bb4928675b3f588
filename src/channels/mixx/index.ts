import { randomBytes } from 'node:crypto';
import type {
  CallOptions,
  Channel,
  Enquiry,
  EnquiryResult,
  NameResult,
  Party,
  PayoutOrder,
  PushOrder,
  RawNotification,
  SendResult,
} from '../../domain/channel.ts';
import { toDecimal, toUnits } from '../../domain/money.ts';
import type { HttpClient } from '../kit/http.ts';
import type { Capabilities } from '../kit/protocol.ts';
import { isOurAddress } from '../kit/secret.ts';
import { createMixxClient, type MixxClient } from './client.ts';
import { hintOf, translateCallback } from './notification.ts';
import type { MixxSettings } from './settings.ts';
import { payoutCodeOf, payoutResultOf, pushResultOf, statusOf } from './translate.ts';
import { pushReferenceOf, readCommand, referenceOfPush, writeCommand } from './wire.ts';

export type MixxChannelOptions = { settings: MixxSettings; http: HttpClient; now?: () => number };

/**
 * No source says that Mixx refuses a repeated payout, and only one public mock refuses a repeated
 * ReferenceID. So we send only once.
 */
export const capabilities: Capabilities = {
  push: true,
  payouts: ['wallet'],
  enquiry: true,
  deduplicates: { collection: false, payout: false },
};

const REMARKS_MAX = 100;

/** Mixx by Yas (Tigo Pesa) has pushes and callbacks in JSON, payouts and enquiries in XML. */
export function createMixxChannel({ settings, http, now }: MixxChannelOptions): Channel {
  const client = createMixxClient(settings, http, now);
  const { payout, names } = settings;
  const { billerCode } = settings.push;
  const ourReference = (wire: string) => referenceOfPush(wire, billerCode);
  return {
    requestPush: (order, call) => push(order, call),
    ...(payout ? { requestPayout: (order, call) => payOut(client, payout, order, call) } : {}),
    enquire: (order, call) => enquire(order, call),
    ...(payout && names
      ? { lookupName: (party, call) => lookUpName(client, { payout, names }, party, call) }
      : {}),
    verifyNotification: (raw) => isOurAddress(raw, settings.callback.token),
    translateNotification: (raw) => translateCallback(raw, ourReference),
    ...(settings.callback.token === undefined
      ? { hintOf: (raw: RawNotification) => hintOf(raw, ourReference) }
      : {}),
  };

  async function push(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const reference = pushReferenceOf(order.reference, billerCode);
    const message = {
      CustomerMSISDN: order.party.msisdn,
      BillerMSISDN: settings.push.billerMsisdn,
      Amount: toUnits(order.amount),
      Remarks: order.description.slice(0, REMARKS_MAX),
      ReferenceID: reference,
    };
    return pushResultOf(await client.push(message, call), reference);
  }

  async function enquire(order: Enquiry, call: CallOptions): Promise<EnquiryResult> {
    const { url, msisdn, pin, notFoundCodes } = settings.status;
    const isPush = order.direction === 'collection';
    const about = isPush ? pushReferenceOf(order.reference, billerCode) : order.reference;
    const xml = writeCommand('MTPGGetSODetails', [
      ['REFERENCEID', newReference()],
      ['MSISDN', msisdn],
      ['PIN', pin],
      ['EXTERNALREFID', about],
    ]);
    const answer = await client.command(url, xml, call);
    return statusOf(answer, { reference: about, direction: order.direction, notFoundCodes });
  }
}

type Payout = NonNullable<MixxSettings['payout']>;

async function payOut(
  client: MixxClient,
  account: Payout,
  order: PayoutOrder,
  call: CallOptions,
): Promise<SendResult> {
  if (order.party.kind !== 'wallet') return { kind: 'not_sent', detail: 'not a wallet' };
  const { type, msisdn, pin, senderName } = account;
  const ends = { LANGUAGE1: account.language, BRAND_ID: account.brandId };
  // The network requires this order of elements.
  const xml = writeCommand(type, [
    ['REFERENCEID', order.reference],
    ['MSISDN', msisdn],
    ['PIN', pin],
    ['MSISDN1', order.party.msisdn],
    ['AMOUNT', toDecimal(order.amount)],
    ['SENDERNAME', senderName],
    ...(account.order.split(' ') as (keyof typeof ends)[]).map((name) => [name, ends[name]] as const),
  ]);
  return payoutResultOf(await client.payOut(account, xml, call), order.reference);
}

/** The answer for an unknown number is not documented, so an answer without a name is `unknown`. */
async function lookUpName(
  client: MixxClient,
  { payout, names }: { payout: Payout; names: NonNullable<MixxSettings['names']> },
  party: Party,
  call: CallOptions,
): Promise<NameResult> {
  if (party.kind !== 'wallet') return { kind: 'unknown' };
  const { msisdn, pin, language, brandId } = payout;
  const query = writeCommand('QuerySubscriberReq', [
    ['REFERENCEID', newReference()],
    ['MSISDN', msisdn],
    ['PIN', pin],
    ['MSISDN1', party.msisdn],
    ['AMOUNT', '0'],
    ['LANGUAGE1', language],
    ['BRAND_ID', brandId],
  ]);
  const answer = await client.command(names.url, query, call);
  const read = answer.kind === 'answer' && answer.status === 200 ? readCommand(answer.body) : null;
  const succeeded = payoutCodeOf(read?.text('TXNSTATUS') ?? '')?.outcome === 'success';
  const fullName = succeeded ? (read?.text(names.element) ?? null) : null;
  return fullName === null ? { kind: 'unknown' } : { kind: 'found', fullName };
}

/** Every enquiry or lookup needs a new reference, of at most 20 characters. */
const newReference = () => `Q${randomBytes(9).toString('hex')}`;

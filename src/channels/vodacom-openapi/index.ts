import { randomUUID } from 'node:crypto';
import type {
  CallOptions,
  Channel,
  Enquiry,
  EnquiryResult,
  NameResult,
  Party,
  PayoutOrder,
  PushOrder,
  SendResult,
} from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { toDecimal } from '../../domain/money.ts';
import { createHttpClient, type HttpClient } from '../kit/http.ts';
import type { Capabilities } from '../kit/protocol.ts';
import { isOurAddress } from '../kit/secret.ts';
import { createVodacomClient, read, type VodacomClient } from './client.ts';
import { hintOf, translateCallback } from './notification.ts';
import type { VodacomOpenapiSettings } from './settings.ts';
import { conversationIdOf, enquiryResultOf, sendResultOf } from './translate.ts';
import { COUNTRY, nameAnswerSchema, PATHS } from './wire.ts';

export type VodacomOpenapiOptions = {
  settings: VodacomOpenapiSettings;
  http?: HttpClient;
  now?: () => number;
};

export const capabilities: Capabilities = {
  push: true,
  payouts: ['wallet'],
  enquiry: true,
  deduplicates: { collection: true, payout: true },
};

const TEXT_MAX = 256;

export function createVodacomOpenapiChannel(options: VodacomOpenapiOptions): Channel {
  const { settings } = options;
  const client = createVodacomClient(settings, options.http ?? createHttpClient(), options.now);

  async function send(
    order: PushOrder | PayoutOrder,
    direction: Direction,
    call: CallOptions,
  ): Promise<SendResult> {
    if (order.party.kind !== 'wallet') return { kind: 'not_sent', detail: 'M-Pesa serves wallets only' };
    const conversationId = conversationIdOf(order.transactionId);
    const collects = direction === 'collection';
    const fields = {
      input_Amount: toDecimal(order.amount),
      input_Country: COUNTRY,
      input_Currency: order.currency,
      input_CustomerMSISDN: order.party.msisdn,
      input_ServiceProviderCode: settings.serviceProviderCode,
      input_ThirdPartyConversationID: conversationId,
      input_TransactionReference: order.reference,
      [collects ? 'input_PurchasedItemsDesc' : 'input_PaymentItemsDesc']: allowedText(order.description),
    };
    const timeoutMs = Math.min(call.timeoutMs, settings.sendTimeoutMs);
    const path = collects ? PATHS.collect : PATHS.payOut;
    const answer = await client.send({ method: 'POST', path, fields }, { ...call, timeoutMs });
    const { amount, currency } = order;
    return sendResultOf(answer, settings.mode, { direction, conversationId, amount, currency });
  }

  return {
    requestPush: (order, call) => send(order, 'collection', call),
    requestPayout: (order, call) => send(order, 'payout', call),
    enquire: (order, call) => enquire(client, settings, order, call),
    ...(settings.beneficiaryName
      ? { lookupName: (party: Party, call: CallOptions) => lookupName(client, settings, party, call) }
      : {}),
    verifyNotification: (raw) => isOurAddress(raw, settings.callback.token),
    translateNotification: translateCallback,
    ...(settings.callback.token === undefined ? { hintOf } : {}),
  };
}

/** Asks by our own conversation id, which works even if the payment got no answer. */
async function enquire(
  client: VodacomClient,
  settings: VodacomOpenapiSettings,
  order: Enquiry,
  call: CallOptions,
): Promise<EnquiryResult> {
  const queryId = conversationIdOf(randomUUID());
  const fields = {
    input_Country: COUNTRY,
    input_QueryReference: conversationIdOf(order.transactionId),
    input_ServiceProviderCode: settings.serviceProviderCode,
    input_ThirdPartyConversationID: queryId,
  };
  const answer = await client.send({ method: 'GET', path: PATHS.enquire, fields }, call);
  return enquiryResultOf(answer, queryId, { ...order, notFoundCodes: settings.notFoundCodes });
}

async function lookupName(
  client: VodacomClient,
  settings: VodacomOpenapiSettings,
  party: Party,
  call: CallOptions,
): Promise<NameResult> {
  if (party.kind !== 'wallet') return { kind: 'unknown' };
  const fields = {
    input_Country: COUNTRY,
    input_CustomerMSISDN: party.msisdn,
    input_ServiceProviderCode: settings.serviceProviderCode,
    input_ThirdPartyConversationID: conversationIdOf(randomUUID()),
    [settings.kycQueryParameter]: 'Name',
  };
  const answer = await client.send({ method: 'GET', path: PATHS.name, fields }, call);
  const body = answer.kind === 'read' ? read(nameAnswerSchema, answer.json) : null;
  if (body?.output_ResponseCode === 'INS-2051') return { kind: 'not_found' };
  if (body?.output_ResponseCode !== 'INS-0') return { kind: 'unknown' };
  const fullName = [body.output_CustomerFirstName, body.output_CustomerLastName]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(' ');
  return fullName === '' ? { kind: 'unknown' } : { kind: 'found', fullName: fullName.slice(0, TEXT_MAX) };
}

/** Keeps letters, digits, underscores, spaces and plus signs, as the API requires. */
function allowedText(text: string): string {
  return (
    text
      .replace(/[^0-9a-zA-Z_ +]/g, ' ')
      .slice(0, TEXT_MAX)
      .trim() || 'Payment'
  );
}

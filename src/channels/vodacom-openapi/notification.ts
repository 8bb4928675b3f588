import { createHash } from 'node:crypto';
import type { Named, Notification, NotificationContent, RawNotification } from '../../domain/channel.ts';
import { channelCode } from '../../domain/failure.ts';
import type { NotificationDoor } from '../protocol.ts';
import { isSameSecret, type Secrets } from '../secret.ts';
import { read } from './client.ts';
import { PROTOCOL, transactionIdOf } from './translate.ts';
import { CALLBACK_PATHS, callbackSchema, type WireCallback, type WireCallbackAnswer } from './wire.ts';

/** A callback that carries more is none. */
const CALLBACK_BYTES_MAX = 16 * 1024;

/** Nothing in a callback proves who sent it. A secret in the address that only the portal was given does. */
export function isProven(raw: RawNotification, token: Secrets | undefined): boolean {
  return token !== undefined && raw.token !== null && isSameSecret(raw.token, token);
}

/** Unproven, only which transaction it names is of use: it makes us enquire. */
export function translateCallback({ body }: RawNotification): Notification | null {
  const callback = readCallback(body);
  const transactionId = callback ? transactionIdOf(callback.input_ThirdPartyConversationID) : null;
  if (!callback || transactionId === null) return null;
  const { input_OriginalConversationID, input_ResultCode, input_TransactionID } = callback;
  const facts = [transactionId, input_OriginalConversationID, input_ResultCode, input_TransactionID];
  return {
    eventKey: createHash('sha256').update(JSON.stringify(facts)).digest('hex'),
    subject: { transactionId },
    content: { kind: 'ask' },
    contentFor: (named) => contentFor(callback, named),
  };
}

/**
 * A callback is the only message that says why a payment failed, so a proven one with a reason ends it. All else is asked
 * about: a success names no amount, and INS-6 may be a customer who cancelled, which only the enquiry tells. After the
 * end nobody asks any more: then a success is one of what was ordered, and goes to suspense.
 */
function contentFor(
  { input_ResultCode: code, input_TransactionID }: WireCallback,
  { direction, amount, currency, isFinal }: Named,
): NotificationContent {
  const receipt = input_TransactionID?.trim() || null;
  const channelReference = receipt === 'N/A' ? null : receipt;
  const meaning = channelCode(PROTOCOL, code, direction);
  if (isFinal && meaning?.outcome === 'success')
    return { kind: 'succeeded', amount, currency, channelReference, fullName: null };
  if (meaning?.outcome !== 'final' || meaning.failureCode === null) return { kind: 'ask' };
  const saysWhy = meaning.failureCode !== 'network_error';
  return saysWhy || isFinal
    ? { kind: 'failed', code: meaning.failureCode, channelReference }
    : { kind: 'ask' };
}

/** Whoever sent it, a callback that was read is acknowledged. */
export const notificationDoors: readonly NotificationDoor[] = CALLBACK_PATHS.map((path) => ({
  name: path.slice(1),
  method: 'POST',
  path,
  answer: (_outcome, raw) => acknowledge(readCallback(raw.body)),
}));

function readCallback(body: Buffer): WireCallback | null {
  if (body.length > CALLBACK_BYTES_MAX) return null;
  try {
    return read(callbackSchema, JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}

function acknowledge(callback: WireCallback | null) {
  if (!callback) return { status: 400, body: '' };
  const answer: WireCallbackAnswer = {
    output_OriginalConversationID: callback.input_OriginalConversationID,
    output_ResponseCode: '0',
    output_ResponseDesc: 'Received',
    output_ThirdPartyConversationID: callback.input_ThirdPartyConversationID,
  };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(answer) };
}

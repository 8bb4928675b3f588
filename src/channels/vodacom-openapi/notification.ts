import type {
  Named,
  Notification,
  NotificationContent,
  RawNotification,
  Subject,
} from '../../domain/channel.ts';
import { channelCode } from '../kit/codes.ts';
import { readDoorJson } from '../kit/door-json.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import type { NotificationDoor } from '../kit/protocol.ts';
import { scanScalars } from '../kit/scan.ts';
import { receiptOf, table, transactionIdOf } from './translate.ts';
import { CALLBACK_PATHS, callbackSchema, type WireCallback } from './wire.ts';

export function translateCallback({ body }: RawNotification): Notification | null {
  const callback = readDoorJson(callbackSchema, body);
  const transactionId = callback ? transactionIdOf(callback.input_ThirdPartyConversationID) : null;
  if (!callback || transactionId === null) return null;
  const { input_OriginalConversationID, input_ResultCode, input_TransactionID } = callback;
  const facts = [transactionId, input_OriginalConversationID, input_ResultCode, input_TransactionID];
  return {
    eventKey: eventKeyOf(facts),
    subject: { transactionId },
    content: { kind: 'ask' },
    contentFor: (named) => contentFor(callback, named),
  };
}

/**
 * Only a callback says why a payment failed, so a proven one with a reason ends it. After any other callback
 * we enquire: a success has no amount, and INS-6 may be a customer who cancelled. After the end we do not
 * enquire: then a success has the ordered amount and goes to suspense.
 */
function contentFor(
  callback: WireCallback,
  { direction, amount, currency, isFinal }: Named,
): NotificationContent {
  const { input_ResultCode: code } = callback;
  const channelReference = receiptOf(callback.input_TransactionID);
  const meaning = channelCode(table, code, direction);
  if (isFinal && meaning?.outcome === 'success')
    return { kind: 'succeeded', amount, currency, channelReference, fullName: null };
  if (meaning?.outcome !== 'final' || meaning.failureCode === null) return { kind: 'ask' };
  const saysWhy = meaning.failureCode !== 'network_error';
  return saysWhy || isFinal
    ? { kind: 'failed', code: meaning.failureCode, channelReference }
    : { kind: 'ask' };
}

/** Returns only the transaction, for an account without a secret in its address. */
export function hintOf(raw: RawNotification): Subject | null {
  const transactionId = transactionIdOf(scanNames(raw)?.input_ThirdPartyConversationID ?? '');
  return transactionId === null ? null : { transactionId };
}

/** Every callback is acknowledged. Only the two names are read of an unproven one. */
export const notificationDoors: readonly NotificationDoor[] = CALLBACK_PATHS.map((path) => ({
  name: path.slice(1),
  method: 'POST',
  path,
  answer: (_outcome, raw) => acknowledge(scanNames(raw)),
}));

const namesSchema = callbackSchema.pick({
  input_OriginalConversationID: true,
  input_ThirdPartyConversationID: true,
});
type Names = Pick<WireCallback, keyof typeof namesSchema.shape>;

function scanNames({ body }: RawNotification): Names | null {
  const found = scanScalars(body);
  const names = namesSchema.safeParse(found ? Object.fromEntries(found) : null);
  return names.success ? names.data : null;
}

function acknowledge(callback: Names | null) {
  if (!callback) return { status: 400, body: '' };
  const answer = {
    output_OriginalConversationID: callback.input_OriginalConversationID,
    output_ResponseCode: '0',
    output_ResponseDesc: 'Received',
    output_ThirdPartyConversationID: callback.input_ThirdPartyConversationID,
  };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(answer) };
}

import type { Notification, RawNotification, Subject } from '../../domain/channel.ts';
import { CURRENCY, minorSaid } from '../../domain/money.ts';
import { failureOfText } from '../kit/codes.ts';
import { readDoorJson } from '../kit/door-json.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import type { NotificationDoor, NotificationOutcome } from '../kit/protocol.ts';
import { scanScalars } from '../kit/scan.ts';
import type { MixxSettings } from './settings.ts';
import { table } from './translate.ts';
import { callbackSchema, type WireCallback } from './wire.ts';

const CALLBACK_PATHS = ['/channels/mixx', '/channels/mixx/:token'] as const;

const NAME_CHARACTERS_MAX = 64;

/** `referenceOf` turns the network's id of the transaction into our reference. */
export function translateCallback(
  raw: RawNotification,
  referenceOf: (wire: string) => string,
): Notification | null {
  const callback = readDoorJson(callbackSchema, raw.body);
  if (!callback) return null;
  const { Status, ReferenceID, MFSTransactionID, Amount } = callback;
  const meaning = [ReferenceID, Status, MFSTransactionID ?? null, Amount ?? null];
  return {
    eventKey: eventKeyOf(meaning),
    subject: { reference: referenceOf(ReferenceID) },
    content: contentOf(callback),
  };
}

export function hintOf(raw: RawNotification, referenceOf: (wire: string) => string): Subject | null {
  const reference = scanScalars(raw.body)?.get('ReferenceID') ?? '';
  const isName = reference !== '' && reference.length <= NAME_CHARACTERS_MAX;
  return isName ? { reference: referenceOf(reference) } : null;
}

function contentOf(callback: WireCallback): Notification['content'] {
  const channelReference = callback.MFSTransactionID || null;
  if (!callback.Status) {
    const code = failureOfText(table, callback.Description ?? '', 'collection');
    return { kind: 'failed', code, channelReference };
  }
  const amount = minorSaid(callback.Amount ?? '');
  if (amount === null) return { kind: 'ask' };
  return { kind: 'succeeded', amount, currency: CURRENCY, channelReference, fullName: null };
}

/**
 * Acknowledges a callback about a transaction of ours, even an unproven one: we enquire. A refused one is
 * unread.
 */
export function mixxDoors(settings: MixxSettings['callback']): readonly NotificationDoor[] {
  return CALLBACK_PATHS.map((path) => ({
    name: path.slice(1),
    method: 'POST',
    path,
    answer: (outcome, raw) => answerTo(outcome, raw, settings),
  }));
}

const ACCEPTED: readonly NotificationOutcome[] = ['stored', 'duplicate', 'noted'];

function answerTo(outcome: NotificationOutcome, raw: RawNotification, settings: MixxSettings['callback']) {
  const reported = outcome === 'refused' ? null : scanScalars(raw.body);
  const accepted = ACCEPTED.includes(outcome);
  const code = accepted ? settings.acceptedCode : settings.refusedCode;
  const sentence = accepted ? 'Callback successful' : 'Callback failed';
  const reference = reported?.get('ReferenceID') ?? '';
  const classic = {
    ResponseCode: code,
    ResponseStatus: accepted,
    ResponseDescription: sentence,
    ReferenceID: reference,
  };
  const newer = {
    success: accepted,
    responseCode: code,
    transactionStatus: reported?.get('Status') ?? 'false',
    errorDescription: sentence,
    referenceID: reference,
  };
  const body = JSON.stringify(settings.form === 'newer' ? newer : classic);
  return { status: 200, contentType: 'application/json', body };
}

import type {
  Named,
  Notification,
  NotificationContent,
  RawNotification,
  Subject,
} from '../../domain/channel.ts';
import { failureReasonOf } from '../../domain/failure.ts';
import { inEnglish } from '../../domain/messages.ts';
import { parseDoorJson, readDoorJson } from '../kit/door-json.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import { scalarOf, scanMembers, scanScalars } from '../kit/scan.ts';
import { allSecrets, isSameSecret } from '../kit/secret.ts';
import type { ClickpesaSettings } from './settings.ts';
import { type Account, meaningOf, movedBy, numberOf } from './translate.ts';
import { checksumOf, notificationSchema, rowSchema, type WireRow } from './wire.ts';

/** The checksum covers sorted members, so the body is parsed before it is proven, within limits. */
export function isProven({ headers, body }: RawNotification, settings: ClickpesaSettings): boolean {
  const { checksumKey, notificationChecksum: place } = settings;
  const given = (place === 'body' ? scanScalars(body)?.get('checksum') : headers[place]) ?? '';
  if (checksumKey === undefined || !/^[0-9a-f]{64}$/.test(given)) return false;
  const payload = parseDoorJson(body);
  if (typeof payload !== 'object' || payload === null) return false;
  const expected = allSecrets(checksumKey).map((one) => checksumOf(payload, one));
  return isSameSecret(given, expected);
}

/** Only an account without checksums takes hints. */
export function hintOf({ body }: RawNotification): Subject | null {
  const data = scanMembers(body.toString('utf8'))?.find(({ name }) => name === 'data');
  const reference = scalarOf(scanMembers(data?.value ?? '')?.find(({ name }) => name === 'orderReference'));
  return reference !== undefined && reference.length <= 64 ? { reference } : null;
}

export function translateNotification({ body }: RawNotification, currency: string): Notification | null {
  const message = readDoorJson(notificationSchema, body);
  if (!message) return null;
  const event = message.event ?? message.eventType ?? '';
  const row = rowSchema.safeParse(message.data);
  // Deposits and other events have no order of ours.
  if (!row.success)
    return { eventKey: eventKeyOf([event, message.data]), subject: { reference: event }, content: PENDING };
  const { orderReference: reference, status, id, paymentReference } = row.data;
  const account: Account = { direction: event.startsWith('PAYOUT') ? 'payout' : 'collection', currency };
  return {
    eventKey: eventKeyOf([
      event,
      reference,
      status,
      id,
      movedBy(row.data, account)?.amount,
      ...(paymentReference ? [paymentReference] : []),
    ]),
    subject: { reference },
    content: contentOf(row.data, account),
    contentFor: (named) =>
      named.direction === account.direction ? contentOf(row.data, account, named) : { kind: 'ask' },
  };
}

const PENDING = { kind: 'pending' } as const;
const GIVEN_BACK = ['REVERSED', 'REFUNDED'];

/** A return without an amount means the whole amount: the ledger knows if it had moved. */
function contentOf(row: WireRow, account: Account, named?: Named): NotificationContent {
  const meaning = meaningOf(row, account);
  if (meaning.kind === 'accepted') return PENDING;
  if (meaning.kind === 'unknown') return { kind: 'ask' };
  if (meaning.kind !== 'failed' || named === undefined || !GIVEN_BACK.includes(row.status)) return meaning;
  const { amount, currency } = movedBy(row, account) ?? named;
  const reason = inEnglish(failureReasonOf('reversed'));
  const channelReference = numberOf(row);
  return { kind: 'returned', amount, currency, reason, channelReference, orFailed: meaning.code };
}

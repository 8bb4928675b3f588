import type { Notification, RawNotification } from '../../domain/channel.ts';
import { timeSaid } from '../../domain/day.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { readDoorJson } from '../kit/door-json.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import type { DoorText, NotificationDoor, NotificationOutcome } from '../kit/protocol.ts';
import { isFresh } from '../kit/said.ts';
import { scanScalars } from '../kit/scan.ts';
import { isSameSecret, type Secrets } from '../kit/secret.ts';
import type { SelcomSettings } from './settings.ts';
import { namesIn, orderOf } from './translate.ts';
import {
  c2bSchema,
  isSignedBy,
  SELCOM_C2B_PATH,
  SELCOM_C2B_STEPS,
  SELCOM_WEBHOOK_PATH,
  type SelcomC2bStep,
  signedFieldsOf,
  type WireWebhook,
  webhookSchema,
} from './wire.ts';

/** Selcom reports a paid order by its webhook, and a push by the three steps of a bill payment. */
export function createNotifications(
  settings: SelcomSettings,
  now: () => number = Date.now,
): {
  verify(raw: RawNotification): boolean;
  translate(raw: RawNotification): Notification | null;
} {
  return {
    verify: (raw) => (stepOf(raw) ? isOurToken(raw, settings.c2bToken) : isSigned(raw, settings)),
    translate(raw) {
      const step = stepOf(raw);
      return step ? c2bOf(raw, step, settings) : webhookOf(raw, settings, now());
    },
  };
}

/** The address names the step, because all three steps have the same body. */
function stepOf({ token }: RawNotification): SelcomC2bStep | null {
  return SELCOM_C2B_STEPS.find((step) => step === token) ?? null;
}

function isOurToken({ headers }: RawNotification, token: Secrets | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return token !== undefined && isSameSecret(given, token);
}

/** Every value is signed as text. `resultcode` may be spelled as in the sample. */
function isSigned({ headers, body }: RawNotification, settings: SelcomSettings): boolean {
  let scanned: ReadonlyMap<string, string> | undefined;
  return isSignedBy(settings, headers, (name) => {
    scanned ??= scanScalars(body) ?? new Map();
    return scanned.get(name) ?? (name === 'resultcode' ? scanned.get('resulcode') : undefined);
  });
}

const DECISIVE = ['order_id', 'payment_status', 'amount'];

/** A webhook is only a hint if it is old, or if its signature, as in the printed sample, omits the amount. */
function webhookOf(raw: RawNotification, settings: SelcomSettings, now: number): Notification | null {
  const webhook = readDoorJson(webhookSchema, raw.body);
  if (!webhook) return null;
  const signed = signedFieldsOf(raw.headers) ?? [];
  const isRecent = isFresh(timeSaid(raw.headers.timestamp ?? ''), now);
  const proven = isRecent && DECISIVE.every((name) => signed.includes(name));
  const { order_id: reference, payment_status: status } = webhook;
  const content = proven ? contentOf(webhook, settings) : ({ kind: 'ask' } as const);
  const { amount = null } = webhook;
  const numbers = [webhook.reference ?? null, webhook.transid ?? null];
  return {
    eventKey: eventKeyOf([reference, status, content.kind, amount, ...numbers]),
    subject: { reference },
    content,
  };
}

/** Selcom notifies successes only; anything else is left to the enquiry. */
function contentOf(webhook: WireWebhook, settings: SelcomSettings): Notification['content'] {
  const code = webhook.resultcode ?? webhook.resulcode;
  if (code !== '000' || webhook.result?.toUpperCase() !== 'SUCCESS') return { kind: 'ask' };
  const expected = { reference: webhook.order_id, currency: settings.currency };
  const result = orderOf(webhook, expected);
  return result.kind === 'succeeded' ? result : { kind: 'ask' };
}

/** The third step reports a payment; the first two only ask whether we know the push. */
function c2bOf(raw: RawNotification, step: SelcomC2bStep, settings: SelcomSettings): Notification | null {
  const reported = readDoorJson(c2bSchema, raw.body);
  if (!reported) return null;
  const { utilityref: reference, transid = null, reference: receipt = null } = reported;
  const amount: Minor | null = minorSaid(reported.amount ?? '');
  const paid = step === 'notification' && amount !== null;
  const content: Notification['content'] = paid
    ? {
        kind: 'succeeded',
        amount,
        currency: settings.currency,
        ...namesIn(reported, reference),
        fullName: null,
      }
    : { kind: step === 'notification' ? 'ask' : 'pending' };
  const said = [reference, step, transid, receipt, reported.amount ?? null];
  return { eventKey: eventKeyOf(said), subject: { reference }, content };
}

const ANSWERS: Record<NotificationOutcome, { status: number; code: string; message: string }> = {
  stored: { status: 200, code: '000', message: 'Accepted' },
  duplicate: { status: 200, code: '000', message: 'Accepted before' },
  noted: { status: 200, code: '000', message: 'Accepted' },
  unknown: { status: 200, code: '010', message: 'Nothing has this reference' },
  refused: { status: 401, code: '401', message: 'The sender is not proven' },
  unreadable: { status: 400, code: '400', message: 'This is no notification of this protocol' },
};

/** Makes the envelope that Selcom reads from a business: it echoes `reference`. */
function answer(outcome: NotificationOutcome, raw: RawNotification): DoorText {
  const { status, code, message } = ANSWERS[outcome];
  const reported = outcome === 'refused' ? null : scanScalars(raw.body);
  const body = {
    reference: reported?.get('reference') ?? null,
    resultcode: code,
    result: code === '000' ? 'SUCCESS' : 'FAILED',
    message,
  };
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** A paid order that is not ours is acknowledged, or Selcom would repeat it for ever. */
function answerWebhook(outcome: NotificationOutcome, raw: RawNotification): DoorText {
  return answer(outcome === 'unknown' ? 'stored' : outcome, raw);
}

export const notificationDoors: readonly NotificationDoor[] = [
  { name: 'channels/selcom', method: 'POST', path: SELCOM_WEBHOOK_PATH, answer: answerWebhook },
  { name: 'channels/selcom/c2b', method: 'POST', path: `${SELCOM_C2B_PATH}/:token`, answer },
];

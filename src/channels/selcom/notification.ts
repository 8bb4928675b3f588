import type { Notification, RawNotification } from '../../domain/channel.ts';
import { type Minor, minorFromDecimal } from '../../domain/money.ts';
import type { DoorText, NotificationDoor, NotificationOutcome } from '../protocol.ts';
import { readJson } from './client.ts';
import type { SelcomSettings } from './settings.ts';
import { eventKeyOf, orderOf } from './translate.ts';
import {
  c2bSchema,
  isSignedBy,
  SELCOM_C2B_LEGS,
  SELCOM_C2B_PATH,
  SELCOM_WEBHOOK_PATH,
  type SelcomC2bLeg,
  sameText,
  signedFieldsOf,
  type WireWebhook,
  webhookSchema,
} from './wire.ts';

const BYTES_MAX = 32 * 1024;

/** What Selcom tells us: of paid orders, and of pushes over the bill payments' three legs. */
export function createNotifications(settings: SelcomSettings): {
  verify(raw: RawNotification): boolean;
  translate(raw: RawNotification): Notification | null;
} {
  return {
    verify: (raw) => (legOf(raw) ? isOurToken(raw, settings.c2bToken) : isSigned(raw, settings)),
    translate(raw) {
      if (raw.body.length > BYTES_MAX) return null;
      const leg = legOf(raw);
      return leg ? c2bOf(raw, leg, settings) : webhookOf(raw, settings);
    },
  };
}

/** The last part of the second address: the body is the same in all three. */
function legOf({ token }: RawNotification): SelcomC2bLeg | null {
  return SELCOM_C2B_LEGS.find((leg) => leg === token) ?? null;
}

function isOurToken({ headers }: RawNotification, token: string | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return token !== undefined && sameText(given, token);
}

/**
 * Every value is signed as text. Fields come from the body's own members; only `resultcode` is also looked for under the
 * name of Selcom's printed sample.
 */
function isSigned({ headers, body }: RawNotification, settings: SelcomSettings): boolean {
  if (body.length > BYTES_MAX) return false;
  const message = readJson(body);
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
  const members = new Map<string, unknown>(Object.entries(message));
  const textOfField = (name: string) =>
    textOf(members.get(name) ?? (name === 'resultcode' ? members.get('resulcode') : undefined));
  return isSignedBy(settings, headers, textOfField);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

const DECISIVE = ['order_id', 'payment_status', 'amount'];

/**
 * A paid order. Selcom prints a signature without the amount: such a notification proves that the order was paid, not how
 * much, and only makes us enquire.
 */
function webhookOf(raw: RawNotification, settings: SelcomSettings): Notification | null {
  const parsed = webhookSchema.safeParse(readJson(raw.body));
  if (!parsed.success) return null;
  const webhook = parsed.data;
  const signed = signedFieldsOf(raw.headers) ?? [];
  const proven = DECISIVE.every((name) => signed.includes(name));
  const { order_id: reference, payment_status: status } = webhook;
  const content = proven ? contentOf(webhook, settings) : ({ kind: 'ask' } as const);
  const amount = webhook.amount ?? null;
  return {
    eventKey: eventKeyOf([reference, status, content.kind, amount, webhook.reference ?? null]),
    subject: { reference },
    content,
  };
}

/** Only a success is ever notified: whatever else one says is left to the enquiry. */
function contentOf(webhook: WireWebhook, settings: SelcomSettings): Notification['content'] {
  const code = webhook.resultcode ?? webhook.resulcode;
  if (code !== '000' || webhook.result?.toUpperCase() !== 'SUCCESS') return { kind: 'ask' };
  const expected = { reference: webhook.order_id, currency: settings.currency };
  const result = orderOf(webhook, expected);
  return result.kind === 'succeeded' ? result : { kind: 'ask' };
}

/** The notification says that the customer paid; the two questions before it only ask whether we know the push. */
function c2bOf(raw: RawNotification, leg: SelcomC2bLeg, settings: SelcomSettings): Notification | null {
  const parsed = c2bSchema.safeParse(readJson(raw.body));
  if (!parsed.success) return null;
  const { utilityref, transid = null, reference: channelReference = null } = parsed.data;
  const reference = utilityref.trim();
  const amount: Minor | null = minorFromDecimal(parsed.data.amount ?? '');
  const paid = leg === 'notification' && amount !== null;
  const content: Notification['content'] = paid
    ? {
        kind: 'succeeded',
        amount,
        currency: settings.currency,
        channelReference: channelReference || transid,
        fullName: null,
      }
    : { kind: leg === 'notification' ? 'ask' : 'pending' };
  const said = [reference, leg, transid, channelReference, parsed.data.amount ?? null];
  return { eventKey: eventKeyOf(said), subject: { reference }, content };
}

const ANSWERS: Record<NotificationOutcome, { status: number; code: string; message: string }> = {
  stored: { status: 200, code: '000', message: 'Accepted' },
  duplicate: { status: 200, code: '000', message: 'Accepted before' },
  unknown: { status: 200, code: '010', message: 'Nothing has this reference' },
  refused: { status: 401, code: '401', message: 'The sender is not proven' },
  unreadable: { status: 400, code: '400', message: 'This is no notification of this protocol' },
};

/** The envelope that Selcom reads from a business: `reference` is echoed. */
function answer(outcome: NotificationOutcome, raw: RawNotification): DoorText {
  const { status, code, message } = ANSWERS[outcome];
  const given = readJson(raw.body.subarray(0, BYTES_MAX)) as { reference?: unknown } | null | undefined;
  const body = {
    reference: textOf(given?.reference) ?? null,
    resultcode: code,
    result: code === '000' ? 'SUCCESS' : 'FAILED',
    message,
  };
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** A paid order that is none of ours is acknowledged, so that it is not sent for ever. */
function answerWebhook(outcome: NotificationOutcome, raw: RawNotification): DoorText {
  return answer(outcome === 'unknown' ? 'stored' : outcome, raw);
}

export const notificationDoors: readonly NotificationDoor[] = [
  { name: 'channels/selcom', method: 'POST', path: SELCOM_WEBHOOK_PATH, answer: answerWebhook },
  { name: 'channels/selcom/c2b', method: 'POST', path: `${SELCOM_C2B_PATH}/:token`, answer },
];

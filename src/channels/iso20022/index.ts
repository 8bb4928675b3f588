import type {
  CallOptions,
  Channel,
  Enquiry,
  EnquiryResult,
  NameResult,
  Notification,
  Party,
  PayoutOrder,
  RawNotification,
  SendResult,
  Unknown,
} from '../../domain/channel.ts';
import { clockTimeOf } from '../../domain/day.ts';
import type { HttpClient, HttpResult } from '../kit/http.ts';
import { turnedAway, unclear, unknown } from '../kit/unclear.ts';
import { createBankClient } from './client.ts';
import { carriesName, toAllowedText } from './text.ts';
import {
  createConfirmations,
  enquiryResultOf,
  returnNotificationOf,
  sendResultOf,
  statusNotificationsOf,
} from './translate.ts';
import {
  type Account,
  readPaymentReturn,
  readStatusReports,
  readVerificationReport,
  type StatusReport,
  writePaymentInitiation,
  writeVerificationRequest,
} from './wire.ts';

export type BankSettings = {
  /** without a slash at the end */
  url: string;
  secrets: readonly string[];
  debtor: Account;
  /** path of our door as the bank knows it; the signature covers it */
  notificationPath?: string;
  http?: HttpClient;
  now?: () => Date;
};

export const NOTIFICATION_PATH = '/channels/iso20022';

/** The bank refused our credentials or rate before it read the message. */
const REFUSED_AT_THE_DOOR = [401, 403, 429];

export function createIso20022Channel(settings: BankSettings): Channel {
  const { secrets, notificationPath = NOTIFICATION_PATH, now = () => new Date() } = settings;
  const client = createBankClient({ url: settings.url, secrets, now, http: settings.http });
  const confirmations = createConfirmations(() => now().getTime());

  async function requestPayout(order: PayoutOrder, call: CallOptions): Promise<SendResult> {
    if (order.party.kind !== 'bank')
      return { kind: 'not_sent', detail: 'the bank rail pays bank accounts only' };
    if (!carriesName(order.party.fullName))
      return { kind: 'not_sent', detail: 'nothing of the name is in letters that banks pass on' };
    const messageId = `${order.reference}-${order.sendNumber}`;
    const xml = writePaymentInitiation({
      messageId,
      createdAt: now(),
      // The day is Dar es Salaam's, as at the bank.
      executionDate: clockTimeOf(now().getTime()).slice(0, 10),
      reference: order.reference,
      amount: order.amount,
      currency: order.currency,
      debtor: { ...settings.debtor, name: toAllowedText(settings.debtor.name) },
      creditor: {
        name: toAllowedText(order.party.fullName),
        account: order.party.accountNumber,
        bic: order.party.bic,
      },
      remittance: toAllowedText(order.description),
    });
    const result = await client.pay(xml, call);
    if (result.kind === 'not_sent') return result;
    if (result.kind === 'answer' && REFUSED_AT_THE_DOOR.includes(result.status))
      return turnedAway(`HTTP ${result.status}`);
    const { reference, sendNumber } = order;
    const report = reportIn(result, reference);
    return report ? sendResultOf(report, { reference, messageId, sendNumber }) : unclearOf(result);
  }

  async function enquire(enquiry: Enquiry, call: CallOptions): Promise<EnquiryResult> {
    const { reference } = enquiry;
    const result = await client.status(reference, call);
    if (isNeverReceived(result, reference)) return { kind: 'not_found' };
    const report = reportIn(result, reference);
    return report ? enquiryResultOf(report, enquiry, confirmations) : unclearOf(result);
  }

  async function lookupName(party: Party, call: CallOptions): Promise<NameResult> {
    if (party.kind !== 'bank') return { kind: 'unknown' };
    const messageId =
      `V${now().getTime().toString(36)}${Math.random().toString(36).slice(2, 12)}`.toUpperCase();
    const result = await client.verify(
      writeVerificationRequest({
        messageId,
        createdAt: now(),
        assigner: toAllowedText(settings.debtor.name),
        accountNumber: party.accountNumber,
        bic: party.bic,
      }),
      call,
    );
    const report =
      result.kind === 'answer' && result.status === 200 ? readVerificationReport(result.body) : null;
    if (!report || report.originalId !== messageId) return { kind: 'unknown' };
    if (report.verified)
      return report.fullName ? { kind: 'found', fullName: report.fullName } : { kind: 'unknown' };
    // Another reason (another name, a blocked account) does not prove that the account is missing.
    return ['AC01', 'AC03'].includes(report.reason ?? '') ? { kind: 'not_found' } : { kind: 'unknown' };
  }

  const verifyNotification = (raw: RawNotification) => client.isFromBank(raw, notificationPath);

  return { requestPayout, enquire, lookupName, carriesName, verifyNotification, translateNotification };
}

function translateNotification({ body }: RawNotification): Notification | null {
  const reports = readStatusReports(body);
  if (reports) {
    const [first, ...others] = statusNotificationsOf(reports);
    return first ? { ...first, others } : null;
  }
  const returned = readPaymentReturn(body);
  return returned ? returnNotificationOf(returned) : null;
}

/** Only the rail's own 404 repeats the reference. A proxy's 404 must not fail a paid payout. */
function isNeverReceived(result: HttpResult, reference: string): boolean {
  return result.kind === 'answer' && result.status === 404 && result.body.toString('utf8') === reference;
}

/** Returns null if the answer proves nothing, as a 5xx always does. */
function reportIn(result: HttpResult, reference: string): StatusReport | null {
  const reports = result.kind === 'answer' && result.status < 500 ? readStatusReports(result.body) : null;
  return reports?.find((one) => one.reference === reference) ?? reports?.[0] ?? null;
}

function unclearOf(result: HttpResult): Unknown {
  if (result.kind !== 'answer') return unclear(result);
  const detail = `HTTP ${result.status}`;
  return unclear(REFUSED_AT_THE_DOOR.includes(result.status) ? turnedAway(detail) : unknown(detail));
}

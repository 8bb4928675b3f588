import type { Enquiry, EnquiryResult, Failed, Notification, SendResult } from '../../domain/channel.ts';
import type { Outcome } from '../../domain/data/failure-codes.ts';
import { type FailureCode, failureReasonOf } from '../../domain/failure.ts';
import { inEnglish } from '../../domain/messages.ts';
import { aboutAnother } from '../kit/about.ts';
import { channelCode, channelState, readCodes } from '../kit/codes.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import { namesOf } from '../kit/receipt-fields.ts';
import { seen, turnedAway, unknown } from '../kit/unclear.ts';
import json from './codes.json' with { type: 'json' };
import { type PaymentReturn, RECEIPT_FIELD, type StatusReport } from './wire.ts';

/** Only this file reads the bank rail's statuses and reasons, by codes.json. */
export const table = readCodes('iso20022', json);

type Meaning =
  | { kind: 'pending' }
  | { kind: 'success' }
  | { kind: 'refused'; code: FailureCode }
  /** our settings are wrong: refused before any processing */
  | { kind: 'setup'; code: FailureCode }
  /** RJCT, but the money may have left (AB05, AB06, TM01) */
  | { kind: 'unsure_refusal'; reason: string }
  | { kind: 'unclear'; detail: string };

/** Reads TxSts (GrpSts for a whole message) and the reasons. `sends`: how many may have arrived. */
function meaningOf(report: StatusReport, sends: number): Meaning {
  const status = (report.status ?? report.groupStatus ?? '').toUpperCase();
  const state = channelState(table, status, 'payout');
  if (state?.outcome === 'pending') return { kind: 'pending' };
  if (state?.outcome === 'success')
    // A status of the whole message proves nothing about the transfer.
    return report.status ? { kind: 'success' } : { kind: 'pending' };
  if (state?.outcome !== 'final') return { kind: 'unclear', detail: `status ${status}` };
  if (status === 'RJCT') return meaningOfReasons(report.reasons, sends);
  return { kind: 'refused', code: state.failureCode ?? 'network_error' };
}

/**
 * The worst reason counts: first "seen before", then an unsure one. After a second send, only a cause in the
 * payment itself (account, name, amount, funds) is final: any other reason may be about the repetition.
 */
function meaningOfReasons(reasons: readonly string[], sends: number): Meaning {
  const known = reasons.map((reason) => ({ reason, ...channelCode(table, reason, 'payout') }));
  const find = (outcome: Outcome) => known.find((one) => one.outcome === outcome);
  const repeated = find('duplicate');
  if (repeated) return { kind: 'unclear', detail: `RJCT ${repeated.reason}: seen before` };
  const unsure = find('ambiguous');
  if (unsure) return { kind: 'unsure_refusal', reason: unsure.reason };
  const { outcome, failureCode } = find('setup') ?? find('final') ?? {};
  const code = failureCode ?? 'network_error';
  if (outcome === 'setup') return { kind: 'setup', code };
  if (sends > 1 && NO_CAUSE.includes(code))
    return { kind: 'unclear', detail: `RJCT ${reasons.join(' ')} of a later send` };
  return { kind: 'refused', code };
}

/** These failures say nothing about the order itself. */
const NO_CAUSE: readonly FailureCode[] = ['network_error', 'network_unavailable'];

/** Returns null if the report does not prove the amount; then an enquiry must. */
function successOf(report: StatusReport) {
  if (!report.money) return null;
  const { money, reference, bankReference, clearingReference } = report;
  const numbers = { [RECEIPT_FIELD]: bankReference, clearingReference };
  const names = namesOf(RECEIPT_FIELD, numbers, reference ?? '');
  return { kind: 'succeeded' as const, ...money, ...names, fullName: null };
}

const failure = (code: FailureCode, report: StatusReport): Failed => ({
  kind: 'failed',
  code,
  channelReference: report.bankReference,
});

export function sendResultOf(
  report: StatusReport,
  sent: { reference: string; messageId: string; sendNumber: number },
): SendResult {
  if (!isAbout(report, sent)) return unknown('the answer is about another payment');
  const accepted = { kind: 'accepted' as const, channelReference: report.bankReference };
  const meaning = meaningOf(report, sent.sendNumber);
  switch (meaning.kind) {
    case 'pending':
      return accepted;
    case 'success':
      return successOf(report) ?? accepted;
    case 'refused':
      return failure(meaning.code, report);
    case 'setup':
      return turnedAway(`refused before processing: ${report.reasons.join(' ')}`);
    case 'unsure_refusal':
      return seen(`RJCT ${meaning.reason}`);
    case 'unclear':
      return seen(meaning.detail);
  }
}

/** A refusal of some kinds counts only after a later enquiry repeats it. */
export type Confirmations = { isConfirmed(reference: string, reason: string): boolean };

export function enquiryResultOf(
  report: StatusReport,
  { reference, sends = 1 }: Pick<Enquiry, 'reference' | 'sends'>,
  confirmations: Confirmations,
): EnquiryResult {
  if (!isAbout(report, { reference, messageId: null })) return unknown('the answer is about another payment');
  const meaning = meaningOf(report, sends);
  switch (meaning.kind) {
    case 'pending':
      return { kind: 'accepted', channelReference: report.bankReference };
    case 'success':
      return successOf(report) ?? seen('a success that does not say how much moved');
    case 'refused':
      return failure(meaning.code, report);
    case 'setup':
      return sends > 1 ? seen('a later send was refused') : failure(meaning.code, report);
    case 'unsure_refusal':
      if (sends > 1 || !confirmations.isConfirmed(reference, meaning.reason))
        return seen(`RJCT ${meaning.reason}, once`);
      return failure('network_unavailable', report);
    case 'unclear':
      return seen(meaning.detail);
  }
}

/** Returns true if an answer is about our payment. A report on a whole message must name that message. */
function isAbout(report: StatusReport, sent: { reference: string; messageId: string | null }): boolean {
  if (report.reference !== null) return aboutAnother(sent.reference, report.reference) === null;
  return sent.messageId !== null && report.originalMessageId === sent.messageId;
}

export function statusNotificationsOf(reports: readonly StatusReport[]): Notification[] {
  return reports.flatMap((report) => statusNotificationOf(report) ?? []);
}

function statusNotificationOf(report: StatusReport): Notification | null {
  if (report.reference === null) return null;
  const { reference, status, groupStatus, reasons, bankReference, clearingReference, money } = report;
  const sendNumber = sendNumberOf(report, reference);
  // MsgId is left out, because a bank may repeat a report with a new MsgId.
  const said = [
    reference,
    status,
    groupStatus,
    reasons.join(' '),
    bankReference,
    money?.amount,
    money?.currency,
    ...(clearingReference ? [clearingReference] : []),
  ];
  return {
    eventKey: `pain.002:${eventKeyOf(said).slice(0, 40)}`,
    subject: { reference },
    content: notificationContentOf(report, sendNumber),
    ...(sendNumber === undefined ? {} : { sendNumber }),
  };
}

/** A refusal without the id of a send of ours may belong to any send. */
function notificationContentOf(report: StatusReport, sendNumber = 2): Notification['content'] {
  const meaning = meaningOf(report, sendNumber);
  if (meaning.kind === 'success') return successOf(report) ?? { kind: 'pending' };
  if (meaning.kind === 'refused') return failure(meaning.code, report);
  return { kind: 'pending' };
}

/** Reads the number of the send, with which our message ids end (`requestPayout`). */
function sendNumberOf(report: StatusReport, reference: string): number | undefined {
  const [, number] = /^(.+)-(\d{1,4})$/.exec(report.originalMessageId ?? '')?.slice(1) ?? [];
  const isOurs = report.originalMessageId === `${reference}-${number}`;
  return isOurs ? Number(number) : undefined;
}

export function returnNotificationOf(returned: PaymentReturn): Notification {
  const { returnId, reference, amount, currency, reason } = returned;
  return {
    eventKey: `pacs.004:${returnId}`,
    subject: { reference },
    content: {
      kind: 'returned',
      amount,
      currency,
      reason: returnReasonOf(reason),
      channelReference: returnId,
    },
  };
}

/** Says in our own words why a bank returned the money. */
function returnReasonOf(reason: string): string {
  return inEnglish(failureReasonOf(channelCode(table, reason, 'payout')?.failureCode ?? 'network_error'));
}

const TM01_CONFIRM_MS = 24 * 60 * 60 * 1000;
const REMEMBERED_MAX = 10_000;

/**
 * AB05, AB06 and TM01 are final only if a later enquiry says RJCT again (docs/channels/iso20022.md). After
 * TM01 (cut-off) it must be a day later, because the bank may pay on its next day. Only this process
 * remembers the first refusal, so a restart or another worker needs one more enquiry, which is safe.
 */
export function createConfirmations(now: () => number = Date.now): Confirmations {
  const firstSaid = new Map<string, number>();
  return {
    isConfirmed(reference, reason) {
      // Each reason is confirmed alone: yesterday's timeout does not confirm a cut-off.
      const refusal = `${reference} ${reason}`;
      const since = firstSaid.get(refusal);
      if (since !== undefined) return now() - since >= (reason === 'TM01' ? TM01_CONFIRM_MS : 0);
      const oldest = firstSaid.keys().next();
      if (firstSaid.size >= REMEMBERED_MAX && !oldest.done) firstSaid.delete(oldest.value);
      firstSaid.set(refusal, now());
      return false;
    },
  };
}

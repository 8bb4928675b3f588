import type {
  EnquiryResult,
  Failed,
  NameResult,
  SendResult,
  Succeeded,
  Unknown,
} from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { type ChannelCode, channelState, channelText, readCodes } from '../kit/codes.ts';
import { namesOf } from '../kit/receipt-fields.ts';
import { seen, turnedAway, unclear, unknown } from '../kit/unclear.ts';
import type { ClickpesaAnswer } from './client.ts';
import json from './codes.json' with { type: 'json' };
import { errorSchema, previewSchema, rowSchema, rowsSchema, type WireRow } from './wire.ts';

export const table = readCodes('clickpesa', json);

export type Account = { direction: Direction; currency: string };
export type Asked = Account & { reference: string };

/** Returns the amount that moved (for a payout without its fee); null if the row has none. */
export function movedBy(row: WireRow, account: Account): { amount: Minor; currency: string } | null {
  const { order, beneficiary } = row;
  const isPayout = account.direction === 'payout';
  const said = isPayout ? (order?.amount ?? beneficiary?.amount) : row.collectedAmount;
  const currency = isPayout
    ? (row.currency ?? order?.currency ?? account.currency)
    : (row.collectedCurrency ?? '');
  const amount = minorSaid(said ?? '');
  return amount === null || amount <= 0 || currency.length !== 3 ? null : { amount, currency };
}

export function numberOf({ paymentReference, id }: WireRow): string | null {
  return paymentReference || id || null;
}

/** The network may give a payment its id only after the result. */
function namesIn({ paymentReference, id, orderReference }: WireRow, { direction }: Account) {
  const field = direction === 'payout' ? 'id' : 'paymentReference';
  return namesOf(field, { paymentReference, id }, orderReference);
}

type Meaning = Succeeded | Failed | Unknown | { kind: 'accepted'; channelReference: string | null };

export function meaningOf(row: WireRow, account: Account): Meaning {
  const state = channelState(table, row.status, account.direction);
  const channelReference = numberOf(row);
  if (state?.outcome === 'pending') return { kind: 'accepted', channelReference };
  if (state?.outcome === 'final')
    return { kind: 'failed', code: state.failureCode ?? 'network_error', channelReference };
  const moved = state?.outcome === 'success' ? movedBy(row, account) : null;
  if (!moved) return seen('a status that nobody knows, or a success that does not say how much');
  const name = account.direction === 'payout' ? row.beneficiary?.accountName : row.customer?.customerName;
  return { kind: 'succeeded', ...moved, ...namesIn(row, account), fullName: name?.trim() || null };
}

export function sendResultOf(answer: ClickpesaAnswer, asked: Asked): SendResult {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'unclear') return unclear(answer);
  const detail = `HTTP ${answer.status}`;
  if (answer.status < 300) {
    const row = rowSchema.safeParse(answer.json);
    if (!row.success) return unknown(`${detail}, unreadable`);
    return aboutAnother(asked.reference, row.data.orderReference) ?? meaningOf(row.data, asked);
  }
  const refusal = refusalIn(answer.json, asked.direction);
  if (refusal?.outcome === 'final')
    return { kind: 'failed', code: refusal.failureCode ?? 'network_error', channelReference: null };
  if (refusal?.outcome === 'setup') return turnedAway(`refused: ${detail}`);
  return refusal?.outcome === 'duplicate' ? seen(detail) : unknown(detail);
}

const NEVER_SEEN = /invalid or missing (payment|payout)/i;

/** A success in any row counts. A failure counts only if no other row may still move money. */
export function enquiryResultOf(answer: ClickpesaAnswer, asked: Asked): EnquiryResult {
  if (answer.kind !== 'json') return unclear(answer);
  const { status, json } = answer;
  if (status === 404 && NEVER_SEEN.test(errorIn(json))) return { kind: 'not_found' };
  const rows = status < 300 ? rowsSchema.safeParse(json) : null;
  if (!rows?.success) return unknown(`HTTP ${status}, no list of payments`);
  const other = rows.data.map((row) => aboutAnother(asked.reference, row.orderReference)).find(Boolean);
  if (other) return other;
  const meanings = rows.data.map((row) => meaningOf(row, asked));
  const success = meanings.find(({ kind }) => kind === 'succeeded');
  return success ?? meanings.find(({ kind }) => kind !== 'failed') ?? meanings[0] ?? unknown('an empty list');
}

export function nameOf(answer: ClickpesaAnswer): NameResult {
  if (answer.kind !== 'json') return { kind: 'unknown' };
  if (refusalIn(answer.json, 'payout')?.failureCode === 'recipient_not_found') return { kind: 'not_found' };
  const preview = previewSchema.safeParse(answer.json);
  if (!preview.success || answer.status >= 300) return { kind: 'unknown' };
  return { kind: 'found', fullName: preview.data.receiver.accountName };
}

/** ClickPesa refuses in sentences, without codes. */
function refusalIn(json: unknown, direction: Direction): ChannelCode | undefined {
  return channelText(table, errorIn(json), direction);
}

function errorIn(json: unknown): string {
  const error = errorSchema.safeParse(json);
  return error.success ? error.data.message : '';
}

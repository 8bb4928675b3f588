import type { Failed, NotSent, Succeeded, Unknown } from '../../domain/channel.ts';
import { timeSaid } from '../../domain/day.ts';
import type { Direction } from '../../domain/kinds.ts';
import { minorSaid } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { type ChannelCode, channelCode, channelState, readCodes } from '../kit/codes.ts';
import { namesOf } from '../kit/receipt-fields.ts';
import { refusalBy } from '../kit/refused.ts';
import { unknown } from '../kit/unclear.ts';
import json from './codes.json' with { type: 'json' };
import {
  EXPIRY_PARAMETER,
  RECEIPT_FIELD,
  typeOfDirection,
  type WireError,
  type WireKyc,
  type WireRequestState,
  type WireTransaction,
} from './wire.ts';

export const table = readCodes('gsma', json);

export type Expected = { reference: string; direction: Direction };

/** These categories belong in a 5xx: something went wrong, but the request may have been carried out. */
const OF_THE_PROVIDER = ['internal', 'serviceUnavailable'];

/**
 * Reads a 4xx answer's error object, which refuses only if the table says so. A `setup` refusal came before
 * any processing. `duplicate`: the channel has the order. An unknown code, or a fault of the provider,
 * proves nothing.
 */
export function refusalOf(error: WireError, direction: Direction): Failed | NotSent | Unknown {
  if (OF_THE_PROVIDER.includes(error.errorCategory))
    return unknown(`${error.errorCategory}: ${error.errorCode}`);
  const code = channelCode(table, error.errorCode, direction);
  if (code?.outcome === 'final' && code.failureCode) return failed(error, code, { direction });
  return refusalBy(code, error.errorCode);
}

/**
 * Reads the error object of a failed RequestState or failure callback. The provider says that it failed, so
 * an unknown code is `network_error`. A code that is never a failure (duplicate, credentials) proves nothing.
 */
export function failureOf(
  error: WireError | undefined,
  context: { direction: Direction; expiryTime?: string | undefined },
): Failed | Unknown {
  const code = error ? channelCode(table, error.errorCode, context.direction) : undefined;
  if (!error || !code) return { kind: 'failed', code: 'network_error', channelReference: null };
  if (code.outcome === 'duplicate' || code.outcome === 'ambiguous' || code.outcome === 'pending')
    return unknown(`${code.outcome}: ${error.errorCode}`);
  return failed(error, code, context);
}

function failed(
  error: WireError,
  code: ChannelCode,
  context: { direction: Direction; expiryTime?: string | undefined },
): Failed {
  const timedOut = context.direction === 'collection' && isExpiry(error, context.expiryTime);
  const failureCode = timedOut ? 'customer_timeout' : (code.failureCode ?? 'network_error');
  return { kind: 'failed', code: failureCode, channelReference: null };
}

/** A missing authorisation is a timeout if it was noticed at the prompt's end or later. */
function isExpiry(error: WireError, expiryTime: string | undefined): boolean {
  if (error.errorCode !== 'requestingPartyAuthorisationError' || error.errorDateTime === undefined)
    return false;
  const reported = error.errorParameters?.find((item) => item.key === EXPIRY_PARAMETER)?.value;
  return timeSaid(error.errorDateTime) >= timeSaid(expiryTime ?? reported ?? '');
}

export type StateResult =
  | Failed
  | Unknown
  | { kind: 'completed'; channelReference: string | null }
  | { kind: 'pending'; channelReference: string | null };

/** `completed` has no amount, so the resource must be read next. */
export function stateOf(state: WireRequestState, direction: Direction): StateResult {
  if (state.status === 'failed') return failureOf(state.error, { direction, expiryTime: state.expiryTime });
  const channelReference = state.objectReference || null;
  return state.status === 'completed'
    ? { kind: 'completed', channelReference }
    : { kind: 'pending', channelReference };
}

/** `transactionStatus` is a free string: a word outside the table proves nothing. */
export function transactionOf(
  transaction: WireTransaction,
  expected: Expected,
): Succeeded | Failed | Unknown {
  const another = aboutAnother(expected.reference, transaction.requestingOrganisationTransactionReference);
  if (another) return another;
  if (transaction.type !== typeOfDirection[expected.direction]) return unknown(`type ${transaction.type}`);
  const state = channelState(table, transaction.transactionStatus, expected.direction);
  const { transactionReference, transactionReceipt } = transaction;
  const numbers = { transactionReference, transactionReceipt };
  const names = namesOf(RECEIPT_FIELD, numbers, expected.reference);
  const { channelReference } = names;
  if (state?.outcome === 'final')
    return { kind: 'failed', code: state.failureCode ?? 'network_error', channelReference };
  if (state?.outcome !== 'success') return unknown(`status ${transaction.transactionStatus}`);
  const amount = minorSaid(transaction.amount);
  if (amount === null) return unknown(`amount ${transaction.amount}`);
  const kyc = expected.direction === 'collection' ? transaction.senderKyc : transaction.recipientKyc;
  return {
    kind: 'succeeded',
    amount,
    currency: transaction.currency,
    ...names,
    fullName: nameOf(kyc?.subjectName),
  };
}

export function nameOf(name: WireKyc['subjectName']): string | null {
  const parts = [name?.firstName, name?.lastName].filter(Boolean).join(' ');
  return name?.fullName?.trim() || parts.trim() || null;
}

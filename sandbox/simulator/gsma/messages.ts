import {
  EXPIRY_PARAMETER,
  type WireCreate,
  type WireError,
  type WireKyc,
  type WireRequestState,
  type WireTransaction,
} from '../../../src/channels/gsma/wire.ts';
import { toDecimal } from '../../../src/domain/money.ts';
import { movedBy, type Order } from '../core/order.ts';
import { ownerOf, type Refusal } from '../core/scenario.ts';

/** A declined payout means a blocked account. */
const errorCodes: Record<Refusal, { in: ErrorKind; out: ErrorKind }> = {
  limit_reached: same('businessRule', 'dailyValueLimitExceeded'),
  not_registered: same('identification', 'identifierError'),
  declined: { in: ['authorisation', 'requestDeclined'], out: ['businessRule', 'incorrectState'] },
  insufficient_funds: same('businessRule', 'insufficientFunds'),
  expired: same('authorisation', 'requestingPartyAuthorisationError'),
  network_error: same('internal', 'genericError'),
};

export type ErrorCategory =
  | 'businessRule'
  | 'validation'
  | 'authorisation'
  | 'identification'
  | 'internal'
  | 'serviceUnavailable';
type ErrorKind = [ErrorCategory, string];

function same(...kind: ErrorKind): { in: ErrorKind; out: ErrorKind } {
  return { in: kind, out: kind };
}

export function errorObject(category: ErrorCategory, code: string, description: string): WireError {
  return {
    errorCategory: category,
    errorCode: code,
    errordescription: description,
    errorDateTime: new Date().toISOString(),
  };
}

export function failureOf(order: Order): WireError {
  const [category, code] = errorCodes[order.refusal ?? 'network_error'][order.direction];
  const error: WireError = {
    errorCategory: category,
    errorCode: code,
    errordescription: `Simulated: ${order.refusal ?? 'failed'}`,
    errorDateTime: iso(failedAt(order)),
  };
  if (order.refusal !== 'expired') return error;
  return { ...error, errorParameters: [{ key: EXPIRY_PARAMETER, value: iso(expiryOf(order)) }] };
}

export function requestStateOf(order: Order): WireRequestState {
  return {
    serverCorrelationId: order.id,
    status: order.state === 'succeeded' ? 'completed' : order.state,
    notificationMethod: order.callbackUrl === null ? 'polling' : 'callback',
    objectReference: order.state === 'succeeded' ? order.receipt : '',
    expiryTime: iso(expiryOf(order)),
    pollLimit: 100,
    ...(order.state === 'pending' ? { pendingReason: 'Waiting for the customer' } : {}),
    ...(order.state === 'failed' ? { error: failureOf(order) } : {}),
  };
}

/** The customer's phone shows another number than the movement's. */
export const printedReceiptOf = (receipt: string) => `P-${receipt}`;

export function transactionOf(order: Order): WireTransaction {
  const create = order.detail.create as WireCreate;
  const owner = ownerOf(order.party);
  const kyc: WireKyc = owner === null ? {} : { subjectName: { fullName: owner } };
  return {
    transactionReference: order.receipt,
    transactionReceipt: printedReceiptOf(order.receipt),
    transactionStatus: 'completed',
    type: String(order.detail.type),
    amount: toDecimal(movedBy(order)),
    currency: order.currency,
    ...(create.debitParty ? { debitParty: create.debitParty } : {}),
    ...(create.creditParty ? { creditParty: create.creditParty } : {}),
    ...(create.descriptionText === undefined ? {} : { descriptionText: create.descriptionText }),
    requestingOrganisationTransactionReference: order.reference,
    ...(order.direction === 'in' ? { senderKyc: kyc } : { recipientKyc: kyc }),
    creationDate: iso(order.receivedAt),
    modificationDate: iso(order.settledAt ?? order.receivedAt),
  };
}

/** If the order failed early as expired (ending 199), the prompt's expiry is that time. */
function expiryOf(order: Order): number {
  return order.refusal === 'expired' ? Math.min(order.expiresAt, failedAt(order)) : order.expiresAt;
}

const failedAt = (order: Order) => order.settledAt ?? order.receivedAt;

function iso(time: number): string {
  return new Date(time).toISOString();
}

import type { KeyRing } from '../../base/key-ring.ts';
import type { BatchRun } from '../../domain/batch.ts';
import type { MadeNumbers, NumbersRequest } from '../../domain/number.ts';
import type { Accepted, Signed, SignedSubmission, Submission } from '../../domain/operation.ts';
import { isMac, macWith } from '../../platform/db/proofs.ts';

/**
 * Anyone who can write to Temporal can start workflows and send signals, so its contents prove nothing. The
 * API signs (HMAC-SHA256) whole submissions and each bill payment that it signals. A worker signs each
 * cancellation that Postgres decided. Neither Temporal nor Postgres has the key.
 */
type Purpose =
  | 'submission'
  | 'answer'
  | 'bill-payment'
  | 'cancellation'
  | 'numbers'
  | 'batch'
  | 'row'
  | 'settlement-rule';

/** The first key signs. */
export const signSubmission = (keys: KeyRing, submission: Submission): SignedSubmission =>
  signed(keys, 'submission', submission);

/** True if one of the keys signed every member. No check in this file throws. */
export const isSigned = (keys: KeyRing, submission: SignedSubmission): boolean =>
  isWhole(keys, 'submission', submission);

/** Signs the accepted rows, fees and answer: a restore may read them from Temporal. */
export function signAccepted(keys: KeyRing, accepted: Accepted): Accepted {
  return accepted.mine ? { ...accepted, mac: macWith(keys, 'answer', accepted) } : accepted;
}

export function isProvenAccepted(
  keys: KeyRing,
  { transactionId, submissionId }: Submission,
  { mac, ...accepted }: Accepted,
): boolean {
  const { answer } = accepted;
  const isOwn = answer.transactionId === transactionId && answer.submissionId === submissionId;
  return isOwn && isMac(keys, 'answer', accepted, mac);
}

export function signBillPayment<P extends object>(
  keys: KeyRing,
  transactionId: string,
  payment: P,
): Signed<P> {
  return { ...payment, mac: macWith(keys, 'bill-payment', { transactionId, payment }) };
}

/** Returns the payment if one of the keys signed it for this bill; else null. */
export function provenBillPayment<P extends object>(
  keys: KeyRing,
  transactionId: string,
  { mac, ...rest }: Signed<P>,
): P | null {
  const payment = rest as unknown as P;
  return isMac(keys, 'bill-payment', { transactionId, payment }, mac) ? payment : null;
}

export const signCancellation = (keys: KeyRing, transactionId: string): string =>
  macWith(keys, 'cancellation', { transactionId });

export const isProvenCancellation = (keys: KeyRing, transactionId: string, mac: unknown): boolean =>
  isMac(keys, 'cancellation', { transactionId }, mac);

export const signNumbers = <N extends NumbersRequest | MadeNumbers>(keys: KeyRing, numbers: N): Signed<N> =>
  signed(keys, 'numbers', numbers);

export const areSignedNumbers = (keys: KeyRing, numbers: Signed<NumbersRequest | MadeNumbers>): boolean =>
  isWhole(keys, 'numbers', numbers);

export const signBatch = (keys: KeyRing, run: BatchRun): Signed<BatchRun> => signed(keys, 'batch', run);

export const isSignedBatch = (keys: KeyRing, run: Signed<BatchRun>): boolean => isWhole(keys, 'batch', run);

export const signRow = (keys: KeyRing, row: object): string => macWith(keys, 'row', row);

export const isProvenRow = (keys: KeyRing, row: object, mac: unknown): boolean =>
  isMac(keys, 'row', row, mac);

export const signRule = (keys: KeyRing, rule: object): string => macWith(keys, 'settlement-rule', rule);

export const isSignedRule = (keys: KeyRing, rule: object, mac: unknown): boolean =>
  isMac(keys, 'settlement-rule', rule, mac);

function signed<P extends object>(keys: KeyRing, purpose: Purpose, what: P): Signed<P> {
  return { ...what, mac: macWith(keys, purpose, what) };
}

function isWhole(keys: KeyRing, purpose: Purpose, { mac, ...what }: Signed<object>): boolean {
  return isMac(keys, purpose, what, mac);
}

import type { KeyRing } from '../../base/key-ring.ts';
import type { BatchRun } from '../../domain/batch.ts';
import type { MadeNumbers, NumbersRequest } from '../../domain/number.ts';
import type { Accepted, Signed, SignedSubmission, Submission } from '../../domain/operation.ts';
import { isMac, macWith } from '../../platform/db/proofs.ts';

/**
 * Anyone who can write to Temporal can start a workflow and send signals, so what stands there proves
 * nothing. The API puts an HMAC-SHA256 over the whole submission, ids and amounts and times included, and
 * over each payment of a bill that it notes beside a signal; a worker puts one over each cancellation that
 * Postgres decided. API and workers have the key. Temporal and Postgres never have it, so somebody who can
 * only write to Postgres signs no row.
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

/** True if one of the keys signed every member as it is. Neither this nor any check below throws. */
export const isSigned = (keys: KeyRing, submission: SignedSubmission): boolean =>
  isWhole(keys, 'submission', submission);

/** Signs the rows, fees and answer that were accepted: a restore may take them from Temporal again. */
export function signAccepted(keys: KeyRing, accepted: Accepted): Accepted {
  return accepted.mine ? { ...accepted, mac: macWith(keys, 'answer', accepted) } : accepted;
}

/** True if a key signed that this was accepted for the submission. */
export function isProvenAccepted(
  keys: KeyRing,
  { transactionId, submissionId }: Submission,
  { mac, ...accepted }: Accepted,
): boolean {
  const { answer } = accepted;
  const isOwn = answer.transactionId === transactionId && answer.submissionId === submissionId;
  return isOwn && isMac(keys, 'answer', accepted, mac);
}

/** A restore may have to take this payment from Temporal again. */
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

/** A restore may have to take the cancellation from Temporal again. */
export const signCancellation = (keys: KeyRing, transactionId: string): string =>
  macWith(keys, 'cancellation', { transactionId });

export const isProvenCancellation = (keys: KeyRing, transactionId: string, mac: unknown): boolean =>
  isMac(keys, 'cancellation', { transactionId }, mac);

/** The API wants these standing numbers made, or a worker has made them. */
export const signNumbers = <N extends NumbersRequest | MadeNumbers>(keys: KeyRing, numbers: N): Signed<N> =>
  signed(keys, 'numbers', numbers);

export const areSignedNumbers = (keys: KeyRing, numbers: Signed<NumbersRequest | MadeNumbers>): boolean =>
  isWhole(keys, 'numbers', numbers);

/** A batch was started; its flow and a restore have to trust this. */
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

import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { type KeyRing, keyNamed } from '../../base/key-ring.ts';
import { noteSecretUse } from '../../base/secret-uses.ts';
import type { BatchRun } from '../../domain/batch.ts';
import type { MadeNumbers, NumbersRequest } from '../../domain/number.ts';
import type { Accepted, MoneyRequest, Signed, SignedSubmission, Submission } from '../../domain/operation.ts';

/**
 * Anyone who can write to Temporal can start a workflow and send signals, so what stands there proves nothing. The API
 * puts an HMAC-SHA256 over the whole submission, ids and amounts and times included, and over each payment of a bill
 * that it notes beside a signal; a worker puts one over each cancellation that Postgres decided. API and workers have the
 * key; Temporal never has it, and Postgres neither: who can write to Postgres alone signs no row.
 */
const SUBMISSION = 'malipo/submission/v1\n';
const ANSWER = 'malipo/answer/v1\n';
const BILL_PAYMENT = 'malipo/bill-payment/v1\n';
const CANCELLATION = 'malipo/cancellation/v1\n';
const NUMBERS = 'malipo/numbers/v1\n';
const BATCH = 'malipo/batch/v1\n';
const ROW = 'malipo/row/v1\n';
const RULE = 'malipo/settlement-rule/v1\n';

/** `<name of the key>:<HMAC in base64url>`, made with the first key. */
export function signSubmission(keys: KeyRing, submission: Submission): SignedSubmission {
  return { ...submission, mac: macWith(keys, SUBMISSION, submission) };
}

/** Whether one of the keys signed it as it is, to the last member. Never throws. */
export function isSigned(keys: KeyRing, { mac, ...submission }: SignedSubmission): boolean {
  return isMac(keys, SUBMISSION, submission, mac);
}

/**
 * What was accepted, with a proof where the request does not say how much it was of (all of a balance, or of a payment): a
 * worker decided it, and a restore may have to take it from Temporal again.
 */
export function signAmount(keys: KeyRing, { request }: Submission, accepted: Accepted): Accepted {
  if (!accepted.mine || isNamed(request)) return accepted;
  return { ...accepted, mac: macWith(keys, ANSWER, accepted) };
}

/** Whether the request says how much it is, or one of the keys signed what was accepted of this very submission. Never throws. */
export function isProvenAmount(
  keys: KeyRing,
  { request, transactionId, submissionId }: Submission,
  { mac, ...accepted }: Accepted,
): boolean {
  const { answer } = accepted;
  const isOwn = answer.transactionId === transactionId && answer.submissionId === submissionId;
  return isNamed(request) || (isOwn && isMac(keys, ANSWER, accepted, mac));
}

const isNamed = ({ amount }: MoneyRequest) => amount !== null;

/** A payment of this bill, as a restore may have to take it from Temporal again. */
export function signBillPayment<P extends object>(
  keys: KeyRing,
  transactionId: string,
  payment: P,
): Signed<P> {
  return { ...payment, mac: macWith(keys, BILL_PAYMENT, { transactionId, payment }) };
}

/** The payment, where one of the keys signed it for this bill; else null. Never throws. */
export function provenBillPayment<P extends object>(
  keys: KeyRing,
  transactionId: string,
  signed: Signed<P>,
): P | null {
  const { mac, ...rest } = signed;
  const payment = rest as unknown as P;
  return isMac(keys, BILL_PAYMENT, { transactionId, payment }, mac) ? payment : null;
}

/** That this transaction was cancelled, as a restore may have to take it from Temporal again. */
export function signCancellation(keys: KeyRing, transactionId: string): string {
  return macWith(keys, CANCELLATION, { transactionId });
}

/** Whether one of the keys signed that this transaction was cancelled. Never throws. */
export function isProvenCancellation(keys: KeyRing, transactionId: string, mac: unknown): boolean {
  return isMac(keys, CANCELLATION, { transactionId }, mac);
}

/** Standing numbers that the API wants made, or that a worker has made. */
export function signNumbers<N extends NumbersRequest | MadeNumbers>(keys: KeyRing, numbers: N): Signed<N> {
  return { ...numbers, mac: macWith(keys, NUMBERS, numbers) };
}

/** Whether one of the keys signed them as they are. Never throws. */
export function areSignedNumbers(keys: KeyRing, signed: Signed<NumbersRequest | MadeNumbers>): boolean {
  const { mac, ...numbers } = signed;
  return isMac(keys, NUMBERS, numbers, mac);
}

/** A batch that was started, as its flow and a restore have to trust it. */
export function signBatch(keys: KeyRing, run: BatchRun): Signed<BatchRun> {
  return { ...run, mac: macWith(keys, BATCH, run) };
}

/** Whether one of the keys signed it as it is. Never throws. */
export function isSignedBatch(keys: KeyRing, { mac, ...run }: Signed<BatchRun>): boolean {
  return isMac(keys, BATCH, run, mac);
}

/** Of what a row of Postgres says (row-mac.ts). */
export function signRow(keys: KeyRing, row: object): string {
  return macWith(keys, ROW, row);
}

/** Whether one of the keys signed that row as it is. Never throws. */
export function isProvenRow(keys: KeyRing, row: object, mac: unknown): boolean {
  return isMac(keys, ROW, row, mac);
}

/** Of a settlement rule, as its row says it. */
export function signRule(keys: KeyRing, rule: object): string {
  return macWith(keys, RULE, rule);
}

/** Whether one of the keys signed that rule as it is. Never throws. */
export function isSignedRule(keys: KeyRing, rule: object, mac: unknown): boolean {
  return isMac(keys, RULE, rule, mac);
}

function macWith([{ id, key }]: KeyRing, purpose: string, what: object): string {
  return `${id}:${macOf(key, purpose, what).toString('base64url')}`;
}

function isMac(keys: KeyRing, purpose: string, what: object, mac: unknown): boolean {
  const [id = '', text = ''] = typeof mac === 'string' ? mac.split(':') : [];
  const named = keyNamed(keys, id);
  if (!named) return false;
  const [given, expected] = [Buffer.from(text, 'base64url'), macOf(named.key, purpose, what)];
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  if (isRight) noteSecretUse(named.key);
  return isRight;
}

function macOf(key: Uint8Array, purpose: string, what: object): Buffer {
  return createHmac('sha256', key).update(purpose).update(canonicalJson(what)).digest();
}

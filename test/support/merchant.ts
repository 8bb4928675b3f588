import { randomUUID } from 'node:crypto';
import type { BillMode } from '../../src/domain/bill.ts';
import { minor } from '../../src/domain/money.ts';
import { channelIds, networkById } from '../../src/domain/network.ts';
import type {
  BankPayoutRequest,
  BillRequest,
  MobilePayoutRequest,
  MoneyRequest,
  PushRequest,
  QrPayee,
  QrRequest,
  RefundRequest,
  Submission,
} from '../../src/domain/operation.ts';
import { billTiming, type ChannelTiming, flowTiming, qrTiming } from '../../src/domain/timing.ts';
import { ensureMerchantAccounts, ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { billTransactionIdOf, transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import type { Database } from './queryable.ts';
import { signKey } from './signed-rows.ts';

export type Merchant = { accountId: string; apiKeyId: string };

/** Over which everything in these tests is sent. */
export const CONNECTION = 'test';

/** As a channel of the tests is. */
export const channelTiming: ChannelTiming = {
  promptTtlMs: 300_000,
  promptEnquiriesMs: [30_000, 60_000, 120_000, 240_000],
  firstEnquiryAfterMs: 60_000,
  settleTimeMs: 60_000,
  sendTimeoutMs: 15_000,
  enquires: true,
  deduplicates: true,
};

/** A merchant with a balance (whole TZS), straight in the database. */
export async function createMerchant(
  database: Database,
  { balance = 0, callbackUrl = 'http://127.0.0.1:9/callbacks', as = undefined as Merchant | undefined } = {},
): Promise<Merchant> {
  const merchant = as ?? { accountId: randomUUID(), apiKeyId: randomUUID().slice(0, 8) };
  const { accountId, apiKeyId } = merchant;
  await database.query("INSERT INTO accounts (id, name) VALUES ($1, 'Test shop')", [accountId]);
  await database.query(
    "INSERT INTO api_keys (id, account_id, scopes, callback_url) VALUES ($1, $2, '{payments:write,payouts:write,payouts:approve}', $3)",
    [apiKeyId, accountId, callbackUrl],
  );
  await signKey(database, apiKeyId);
  await ensureServiceAccounts(database, channelIds, 'TZS');
  await ensureMerchantAccounts(database, accountId, 'TZS');
  const first = { accountId, amount: minor(balance * 100), actor: 'test', dedupeKey: `first ${accountId}` };
  if (balance > 0) await topUp(database, first);
  return merchant;
}

/** What the API would hand to a workflow. */
export function submissionFor<R extends MoneyRequest>(
  merchant: Merchant,
  request: R,
  overrides: Partial<Submission<R>> = {},
): Submission<R> {
  const isBill = request.mode === 'billpay';
  const idempotencyKey = overrides.idempotencyKey ?? (isBill ? null : randomUUID());
  return {
    transactionId: isBill
      ? billTransactionIdOf(merchant.accountId, request.paymentNumber)
      : transactionIdOf(merchant.accountId, idempotencyKey ?? ''),
    accountId: merchant.accountId,
    apiKeyId: merchant.apiKeyId,
    idempotencyKey,
    fingerprint: `v1:${JSON.stringify(request)}`,
    submissionId: randomUUID(),
    requestId: 'req_test',
    receivedAt: new Date().toISOString(),
    request,
    metadata: '{}',
    timing: timingOf(request) as Submission<R>['timing'],
    ...overrides,
  };
}

function timingOf(request: MoneyRequest) {
  const { mode, channel } = request;
  if (mode === 'billpay') return billTiming;
  if (mode === 'qr') return qrTiming;
  const ofBank = { promptTtlMs: 0, settleTimeMs: 300_000 };
  const own = mode === 'bank' ? ofBank : networkById(channel);
  return flowTiming(mode, { ...channelTiming, ...own }, 'normal');
}

const of = (amount: number) => ({ amount: minor(Math.round(amount * 100)), currency: 'TZS' });
const sent = (amount: number) => ({ ...of(amount), connection: CONNECTION });

/** Amounts are whole TZS. */
export const pushRequest = (amount = 5_000, msisdn = '255754123456'): PushRequest => ({
  mode: 'ussd',
  ...sent(amount),
  msisdn,
  channel: 'm-pesa',
});

export const mobilePayoutRequest = (amount = 50_000, msisdn = '255754123456'): MobilePayoutRequest => ({
  ...pushRequest(amount, msisdn),
  mode: 'mobile',
  previewId: null,
  fullName: null,
});

export const bankPayoutRequest = (amount = 400_000, accountNumber = '0150123456789'): BankPayoutRequest => ({
  mode: 'bank',
  ...sent(amount),
  accountNumber,
  bic: 'CORUTZTZ',
  fullName: 'Asha Juma',
  channel: 'bank',
  previewId: null,
});

/** Of a payment over M-Pesa; all that is left unless said otherwise. `amount`: TZS. */
export const refundRequest = (
  refundOf: string,
  { amount, ...changes }: Partial<Omit<RefundRequest, 'amount'>> & { amount?: number } = {},
): RefundRequest => ({
  mode: 'refund',
  refundOf,
  ...sent(amount ?? 0),
  ...(amount === undefined ? { amount: null } : {}),
  receipt: null,
  reason: null,
  channel: 'm-pesa',
  ...changes,
});

const billed = (amount: number, lifeMs: number) => ({
  ...of(amount),
  controlNumberPrefix: '77',
  expiresAt: new Date(Date.now() + lifeMs).toISOString(),
});

/** A bill in TZS that lives 90 days unless said otherwise. */
export function billRequest(
  amount = 25_000,
  options: { mode?: BillMode; lifeMs?: number; paymentNumber?: string } = {},
): BillRequest {
  return {
    mode: 'billpay',
    ...billed(amount, options.lifeMs ?? 90 * 86_400_000),
    channel: 'billpay',
    paymentNumber: options.paymentNumber ?? `INV-${randomUUID()}`,
    billMode: options.mode ?? 'exact',
    description: 'School fees, term 1',
  };
}

/** As the defaults of the configuration have it. */
export const payee: QrPayee = {
  acquirerId: '02001',
  merchantId: '44719038',
  categoryCode: '5999',
  city: 'DAR ES SALAAM',
  postcode: '11101',
};

/** A QR code that lives 15 minutes unless said otherwise. */
export const qrRequest = (amount = 15_000, lifeMs = 15 * 60_000): QrRequest => ({
  mode: 'qr',
  ...billed(amount, lifeMs),
  channel: 'dynamic-qr',
  description: null,
  payee,
});

import { feesOf } from '../../accounts/fees.ts';
import { limitsOf } from '../../accounts/limits.ts';
import { jsonText } from '../../base/json-text.ts';
import { bankPreviewAnswer, mobilePreviewAnswer } from '../../contract/answer-schemas.ts';
import { bankByBic, namesMatch } from '../../domain/bank.ts';
import type { Party } from '../../domain/channel.ts';
import { GatewayError } from '../../domain/errors.ts';
import { feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import { reasonByPayoutMax } from '../../domain/limits.ts';
import { say } from '../../domain/messages.ts';
import { formatMoney, MINOR_PER_UNIT, minor, toUnits } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import type { Limits } from '../../domain/network.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import { createPreview, previewableOf } from '../../transactions/acceptance/previews.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import {
  bankPreviewFields,
  mobilePreviewFields,
  readBankPayout,
  readMobilePayout,
} from '../kit/payout-fields.ts';
import { metadataOf } from '../kit/start.ts';
import { lookUpName } from './names.ts';

export const previewMobilePayout = call(
  {
    method: 'POST',
    paths: ['payouts/mobile/preview'],
    summary: 'What a mobile payout would cost and who would get it; nothing is sent',
    purpose:
      'See the fee, your balance and, where the network knows it, ' +
      'the name of the recipient before any money moves. Send its `preview_id` with the payout within ' +
      '15 minutes to keep this fee; `getFees` shows the fees of every amount.',
    scopes: ['payouts:write'],
    body: mobilePreviewFields,
    answer: mobilePreviewAnswer,
    refusals: [
      'unsupported_currency',
      'unsupported_network',
      'amount_out_of_range',
      'recipient_not_found',
      'limit_exceeded',
    ],
  },
  async (request, deps) => {
    const { payout, network, route } = readMobilePayout(
      request.known,
      deps.payoutsOver(callerOf(request).accountId),
    );
    const limits = await limitsNow(deps, request, payout, route.limits);
    const party: Party = { kind: 'wallet', msisdn: payout.msisdn };
    const fullName = await lookUpName(deps, request, {
      channelId: network.id,
      route,
      party,
      field: 'phone_number',
    });
    return {
      ...(await preview(deps, request, { payout, fullName })),
      channel: { name: network.id },
      beneficiary: { full_name: fullName, name_match: null, phone_number: showMsisdn(payout.msisdn) },
      ...lastMembers(request, limits),
    };
  },
);

export const previewBankPayout = call(
  {
    method: 'POST',
    paths: ['payouts/bank/preview'],
    summary: 'What a bank payout would cost and who would get it; nothing is sent',
    purpose:
      'See the fee, your balance and, where the bank says it, the name of the account before any money ' +
      'moves. `name_match` compares that name with the one you sent and never blocks the payout; ' +
      '`getFees` shows the fees of every amount.',
    scopes: ['payouts:write'],
    body: bankPreviewFields,
    answer: bankPreviewAnswer,
    refusals: [
      'unsupported_currency',
      'unknown_bank',
      'unsupported_network',
      'amount_out_of_range',
      'recipient_not_found',
      'limit_exceeded',
    ],
  },
  async (request, deps) => {
    const { payout, route } = readBankPayout(request.known, deps.payoutsOver(callerOf(request).accountId));
    const limits = await limitsNow(deps, request, payout, route.limits);
    const { bic, accountNumber } = payout;
    const party: Party = { kind: 'bank', bic, accountNumber, fullName: payout.fullName };
    const fullName = await lookUpName(deps, request, {
      channelId: 'bank',
      route,
      party,
      field: 'account_number',
    });
    const bank = bankByBic(bic);
    return {
      ...(await preview(deps, request, { payout, fullName })),
      channel: { name: bank?.value ?? 'bank' },
      beneficiary: {
        full_name: fullName,
        name_match: fullName === null ? null : namesMatch(payout.fullName, fullName),
        account_number: accountNumber,
        bank_name: bank?.name ?? bic,
        bic,
      },
      ...lastMembers(request, limits),
    };
  },
);

async function preview(
  deps: Deps,
  request: ApiRequest,
  { payout, fullName }: { payout: PayoutRequest; fullName: string | null },
) {
  const { accountId } = callerOf(request);
  const { inForce } = await feesOf(deps.database, accountId);
  const { fee, version } = feeFor(kinds[payout.mode].fee, payout.amount, inForce);
  const total = minor(payout.amount + fee);
  const balance = await balanceOf(deps.database, accountId, payout.currency);
  const { id, expiresAt } = await createPreview(deps.database, {
    accountId,
    ...previewableOf(payout),
    fee,
    feeVersion: version,
    fullName,
  });
  return {
    success: true,
    message: say('preview_made', { total: formatMoney(total), currency: payout.currency }),
    preview_id: id,
    expires_at: expiresAt,
    amount: {
      value: toUnits(payout.amount),
      currency: payout.currency,
      fee: toUnits(fee),
      total: toUnits(total),
    },
    balance: {
      current: toUnits(balance.current),
      reserved: toUnits(balance.reserved),
      sufficient: balance.current >= total,
    },
  } as const;
}

/** Throws `limit_exceeded` as the payout would. Payouts are whole shillings, so the maximum is too. */
async function limitsNow(
  { database }: Deps,
  request: ApiRequest,
  { amount }: PayoutRequest,
  { minimum, maximum }: Limits,
): Promise<Limits> {
  const { accountId, keyId } = callerOf(request);
  const account = await limitsOf(database, { accountId, apiKeyId: null });
  const key = await limitsOf(database, { accountId, apiKeyId: keyId });
  const tooMuch = reasonByPayoutMax(amount, { account, key });
  if (tooMuch) throw new GatewayError('limit_exceeded', tooMuch);
  const most = Math.min(maximum, account.payout_max ?? maximum, key.payout_max ?? maximum);
  return { minimum, maximum: minor(most - (most % MINOR_PER_UNIT)) };
}

function lastMembers(request: ApiRequest, limits: Limits) {
  return {
    limits: { minimum: toUnits(limits.minimum), maximum: toUnits(limits.maximum) },
    metadata: jsonText(metadataOf(request)),
  };
}

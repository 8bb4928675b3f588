import { bankPayoutLimits, type Network } from '../domain/network.ts';
import type { BankPayoutRequest, MobilePayoutRequest } from '../domain/operation.ts';
import { acceptFields, readFields } from './fields.ts';
import {
  accountNumberField,
  amountWithin,
  beneficiaryField,
  bicField,
  currencyField,
  metadataField,
  networkField,
  phoneField,
  previewIdField,
} from './request-fields.ts';
import { amountProblems, chooseNetwork, type IsOffered, widestOf } from './request-rules.ts';

const mobileLimits = widestOf((network) => network.payoutLimits);

export const mobilePreviewFields = {
  amount: amountWithin(mobileLimits),
  currency: currencyField,
  phone_number: phoneField,
  transaction_channel: networkField,
  metadata: metadataField,
};
export const mobilePayoutFields = { ...mobilePreviewFields, preview_id: previewIdField };

export const bankPreviewFields = {
  amount: amountWithin(bankPayoutLimits),
  currency: currencyField,
  account_number: accountNumberField,
  bic: bicField,
  beneficiary: beneficiaryField,
  metadata: metadataField,
};
export const bankPayoutFields = { ...bankPreviewFields, preview_id: previewIdField };

type Unbound<R> = Omit<R, 'previewFingerprint'>;

/** Reads a mobile payout or its preview. Throws with every wrong field. */
export function readMobilePayout(
  known: Record<string, unknown>,
  isOffered: IsOffered,
): { payout: Unbound<MobilePayoutRequest>; network: Network } {
  const read = readFields(mobilePayoutFields, known);
  const { network, problems } = chooseNetwork(read.values, { known, isOffered });
  const limits = network?.payoutLimits ?? mobileLimits;
  read.problems.push(...problems, ...amountProblems(read.values.amount, limits, 'A mobile payout'));
  const { amount, currency, phone_number: msisdn, preview_id: previewId = null } = acceptFields(read);
  if (!network) throw new Error('there is no network although no problem was found');
  return {
    payout: { operation: 'payouts/mobile', amount, currency, msisdn, channel: network.id, previewId },
    network,
  };
}

/** Reads a bank payout or its preview. Throws with every wrong field. */
export function readBankPayout(
  known: Record<string, unknown>,
  isOffered: IsOffered,
): Unbound<BankPayoutRequest> {
  const read = readFields(bankPayoutFields, known);
  read.problems.push(...amountProblems(read.values.amount, bankPayoutLimits, 'A bank payout'));
  if (!isOffered('bank')) {
    read.problems.push({
      field: 'bic',
      message: 'cannot be reached from here',
      code: 'unsupported_network',
      sentence: 'Bank payouts are not offered here',
    });
  }
  const {
    amount,
    currency,
    account_number: accountNumber,
    bic,
    beneficiary,
    preview_id,
  } = acceptFields(read);
  return {
    operation: 'payouts/bank',
    amount,
    currency,
    accountNumber,
    bic: bic.bic,
    bicAsSent: bic.asSent,
    fullName: beneficiary.full_name,
    channel: 'bank',
    previewId: preview_id ?? null,
  };
}

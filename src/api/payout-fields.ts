import { minor } from '../domain/money.ts';
import { bankPayoutLimits, type Network, networkOfNumber, networks } from '../domain/network.ts';
import type { BankPayoutRequest, MobilePayoutRequest } from '../domain/operation.ts';
import { readFields, refuseProblems } from './fields.ts';
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
import { amountProblems, unsupportedNetwork } from './ussd-push.ts';

const mobileLimits = {
  minimum: minor(Math.min(...networks.map((network) => network.payoutLimits.minimum))),
  maximum: minor(Math.max(...networks.map((network) => network.payoutLimits.maximum))),
};

export const mobilePreviewFields = {
  amount: amountWithin(mobileLimits.minimum, mobileLimits.maximum),
  currency: currencyField,
  phone_number: phoneField,
  transaction_channel: networkField,
  metadata: metadataField,
};
export const mobilePayoutFields = { ...mobilePreviewFields, preview_id: previewIdField };

export const bankPreviewFields = {
  amount: amountWithin(bankPayoutLimits.minimum, bankPayoutLimits.maximum),
  currency: currencyField,
  account_number: accountNumberField,
  bic: bicField,
  beneficiary: beneficiaryField,
  metadata: metadataField,
};
export const bankPayoutFields = { ...bankPreviewFields, preview_id: previewIdField };

/** Whether a channel is configured here. */
export type IsOffered = (channelId: string) => boolean;
type Unbound<R> = Omit<R, 'previewFingerprint'>;

/** Reads a mobile payout or its preview. Throws with every wrong field. */
export function readMobilePayout(
  known: Record<string, unknown>,
  isOffered: IsOffered,
): { payout: Unbound<MobilePayoutRequest>; network: Network } {
  const { values, problems } = readFields(mobilePayoutFields, known);
  const { amount, currency, phone_number: msisdn, preview_id: previewId } = values;
  const network = values.transaction_channel ?? (msisdn ? networkOfNumber(msisdn) : undefined);
  const named = known.transaction_channel !== undefined;
  if (network ? !isOffered(network.id) : msisdn !== undefined && !named) {
    problems.push(unsupportedNetwork(named ? 'transaction_channel' : 'phone_number'));
  }
  const limits = network?.payoutLimits ?? mobileLimits;
  if (amount !== undefined) problems.push(...amountProblems(amount, limits, 'A mobile payout'));
  refuseProblems(problems);
  if (amount === undefined || currency === undefined || msisdn === undefined || !network) {
    throw new Error('a field is missing although no problem was found');
  }
  const operation = 'payouts/mobile';
  return {
    payout: { operation, amount, currency, msisdn, channel: network.id, previewId: previewId ?? null },
    network,
  };
}

/** Reads a bank payout or its preview. Throws with every wrong field. */
export function readBankPayout(
  known: Record<string, unknown>,
  isOffered: IsOffered,
): Unbound<BankPayoutRequest> {
  const { values, problems } = readFields(bankPayoutFields, known);
  const { amount, currency, account_number: accountNumber, bic, beneficiary } = values;
  if (amount !== undefined) problems.push(...amountProblems(amount, bankPayoutLimits, 'A bank payout'));
  if (!isOffered('bank')) {
    const sentence = 'Bank payouts are not offered here';
    problems.push({
      field: 'bic',
      message: 'cannot be reached from here',
      code: 'unsupported_network',
      sentence,
    });
  }
  refuseProblems(problems);
  if (amount === undefined || currency === undefined || !accountNumber || !bic || !beneficiary) {
    throw new Error('a field is missing although no problem was found');
  }
  return {
    operation: 'payouts/bank',
    amount,
    currency,
    accountNumber,
    bic: bic.bic,
    bicAsSent: bic.asSent,
    fullName: beneficiary.full_name,
    channel: 'bank',
    previewId: values.preview_id ?? null,
  };
}

import { z } from 'zod';
import type { Route } from '../../channels/kit/registry.ts';
import { itemRow } from '../../contract/batch-schemas.ts';
import type { BatchItem } from '../../domain/batch.ts';
import { say } from '../../domain/messages.ts';
import { toUnits } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { bankPayoutLimits, type Network } from '../../domain/network.ts';
import type { BankPayoutRequest, MobilePayoutRequest } from '../../domain/operation.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import {
  accountNumberField,
  amountWithin,
  beneficiaryField,
  bicField,
  currencyField,
  metadataField,
  networkField,
  paymentNumberField,
  phoneField,
} from './request-fields.ts';
import { amountProblems, chooseNetwork, type RouteOf, widestOf } from './request-rules.ts';

const previewIdField = z
  .string()
  .max(64)
  .meta({ description: 'The preview_id of a preview of the same payout' })
  .optional();

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

export const itemFields = {
  row: itemRow.meta({ description: 'Its place, from 1; a wrong place is refused', example: 1 }).optional(),
  phone_number: phoneField.optional(),
  account_number: accountNumberField.optional(),
  bic: bicField.optional(),
  full_name: beneficiaryField.shape.full_name
    .meta({
      description:
        'For a wallet: a name to compare with the one that the network gives; for an account: ' +
        'its owner, as the bank knows the name',
    })
    .optional(),
  amount: amountWithin({ ...mobileLimits, maximum: bankPayoutLimits.maximum }),
  currency: currencyField,
  reference: paymentNumberField
    .meta({ description: 'Your own reference of the row', example: 'EMP-017' })
    .optional(),
  metadata: metadataField,
};

/** Writes an item as the row from which it was read, without metadata. */
export function fieldsOfItem(item: BatchItem, currency: string): Record<string, unknown> {
  const fields = {
    phone_number: item.msisdn && showMsisdn(item.msisdn),
    account_number: item.accountNumber,
    bic: item.bic,
    full_name: item.fullName,
    reference: item.reference,
    amount: toUnits(item.amount),
    currency,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Throws with every wrong field. Used for previews too. */
export function readMobilePayout(
  known: Record<string, unknown>,
  routeOf: RouteOf,
): { payout: MobilePayoutRequest; network: Network; route: Route } {
  const read = readFields(mobilePayoutFields, known);
  const { network, route, problems } = chooseNetwork(read.values, { known, routeOf });
  const limits = route?.limits ?? mobileLimits;
  read.problems.push(...problems, ...amountProblems(read.values.amount, limits, say('a_mobile_payout')));
  const { amount, currency, phone_number: msisdn, preview_id: previewId = null } = acceptFields(read);
  if (!network || !route) throw new Error('there is no network although no problem was found');
  return {
    payout: {
      mode: 'mobile',
      amount,
      currency,
      msisdn,
      channel: network.id,
      connection: route.connection,
      previewId,
      fullName: null,
    },
    network,
    route,
  };
}

export function readBankPayout(
  known: Record<string, unknown>,
  routeOf: RouteOf,
): { payout: BankPayoutRequest; route: Route } {
  const read = readFields(bankPayoutFields, known);
  const route = routeOf('bank');
  const limits = route?.limits ?? bankPayoutLimits;
  read.problems.push(...amountProblems(read.values.amount, limits, say('a_bank_payout')));
  const { full_name: name } = read.values.beneficiary ?? {};
  if (name !== undefined && route?.channel.carriesName?.(name) === false)
    read.problems.push({ field: 'beneficiary.full_name', message: say('must_be_carried') });
  if (!route) {
    read.problems.push({
      field: 'bic',
      message: say('cannot_be_reached'),
      code: 'unsupported_network',
      sentence: say('no_bank_payouts'),
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
  if (!route) throw new Error('there is no route although no problem was found');
  const payout = {
    mode: 'bank',
    amount,
    currency,
    accountNumber,
    bic: bic.bic,
    fullName: beneficiary.full_name,
    channel: 'bank',
    connection: route.connection,
    previewId: preview_id ?? null,
  } as const;
  return { payout, route };
}

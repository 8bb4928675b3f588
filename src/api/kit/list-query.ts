import { z } from 'zod';
import type { Scope } from '../../accounts/keys.ts';
import { banks } from '../../domain/bank.ts';
import { merchantModes, type TransactionType, transactionTypes } from '../../domain/kinds.ts';
import { type Message, say } from '../../domain/messages.ts';
import { networkByName, networks } from '../../domain/network.ts';
import { statuses } from '../../domain/transaction.ts';
import type { Page } from '../../platform/db/listing.ts';
import {
  acceptFields,
  type Fields,
  type Problem,
  readable,
  readFields,
  type Shape,
  wrong,
} from '../../platform/http/fields.ts';
import { likelyName } from '../../platform/http/likely.ts';
import type { TransactionFilter } from '../../transactions/rows/list-filter.ts';
import { dayOrMoment, moment } from './moments.ts';
import { lengthOf, METADATA_ITEMS_MAX, phoneField } from './request-fields.ts';

const PAGE_MAX = 1_000_000;
const PER_PAGE_MAX = 100;

type Told = { description: string };

const wholeNumber = (max: number, fallback: number, told: Told) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max,
      wrong(say('must_be_from_one_to', { maximum: max.toLocaleString('en') })),
    )
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: max, default: fallback, ...told })
    .optional();

export const oneOf = <const T extends readonly string[]>(values: T, told: Told) =>
  z.enum(values).meta(told).optional();
export const inState = { description: 'Only items in this state now' };

const VISIBLE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';

export const visible = (max: number, told: Told) =>
  z
    .string()
    .refine(
      (text) => /^[^\p{Cc}\p{Surrogate}]+$/u.test(text) && lengthOf(text) <= max,
      wrong(say('must_be_characters', { maximum: max })),
    )
    .meta({ minLength: 1, maxLength: max, pattern: VISIBLE_PATTERN, ...told })
    .optional();

export const pageQuery = {
  page: wholeNumber(PAGE_MAX, 1, {
    description: 'The number of the page, from 1; a page after the last is empty',
  }),
  per_page: wholeNumber(PER_PAGE_MAX, 20, {
    description: 'How many items a page has, at most 100',
  }),
};

export function pageIn({
  page = 1,
  per_page: perPage = 20,
}: {
  page?: number | undefined;
  per_page?: number | undefined;
}): Page {
  return { page, perPage };
}

const OTHER_CHANNELS = ['bank', 'billpay', 'dynamic-qr'];

function channelNamed(text: string): Pick<TransactionFilter, 'channel' | 'bic'> | null {
  const network = networkByName(text);
  if (network) return { channel: network.id };
  const bank = banks.find((candidate) => candidate.value === text.toLowerCase());
  if (bank) return { channel: 'bank', bic: bank.bic };
  const other = OTHER_CHANNELS.find((name) => name === text.toLowerCase());
  return other === undefined ? null : { channel: other };
}

/** A list shows only the types that its key may read. */
export const scopeToRead: Record<TransactionType, Scope> = {
  payment: 'payments:read',
  bill: 'payments:read',
  payout: 'payouts:read',
};

/** Unknown filters are refused, because ignoring one would show too much. */
export const listQuery = {
  ...pageQuery,
  type: oneOf(transactionTypes, {
    description: 'Only payments, only bills or only payouts; a QR code is a payment, a refund is a payout',
  }),
  status: oneOf(statuses, inState),
  mode: oneOf(merchantModes, {
    description:
      'Only transactions made in this way: a push, a bill, a code, a standing number, ' +
      'a payout to a wallet or bank, a refund, or a settlement',
  }),
  channel: readable(channelNamed, wrong(say('must_name_channel')))
    .meta({
      description:
        'A network, a bank (its `value`), `bank` for all of them, or what a bill (`billpay`) or QR ' +
        'code (`dynamic-qr`) shows while nobody has paid it. Case is ignored',
      enum: [...networks.map(({ id }) => id), ...banks.map(({ value }) => value), ...OTHER_CHANNELS],
    })
    .optional(),
  reference: visible(255, {
    description:
      'A payment number, a control number, the customer reference of a standing number, ' +
      'a payout reference, or a receipt of the channel, in full',
  }),
  phone_number: phoneField.optional(),
  idempotency_key: visible(255, { description: 'The `Idempotency-Key` that created it, in full' }),
  from: moment.meta({ description: `Inclusive. ${dayOrMoment.description}` }),
  to: moment.meta({ description: `Exclusive. ${dayOrMoment.description}` }),
  metadata: z
    .record(z.string(), z.string())
    .meta({
      description: 'metadata[key]=value: the items that a transaction must have',
      maxProperties: METADATA_ITEMS_MAX,
      propertyNames: { type: 'string', minLength: 1, maxLength: 99, pattern: VISIBLE_PATTERN },
      additionalProperties: { type: 'string', minLength: 1, maxLength: 255, pattern: VISIBLE_PATTERN },
    })
    .optional(),
};

const METADATA = /^metadata\[([^\p{Cc}\p{Surrogate}]{1,99})\]$/u;

/** Throws one error that names every problem. */
export function readQuery<S extends Shape>(...asked: Parameters<typeof queryFields<S>>) {
  return acceptFields(queryFields(...asked));
}

/**
 * `take` sees each name first. It returns true to take the value, false to leave it to `shape`, or a message
 * to refuse it.
 */
export function queryFields<S extends Shape>(
  shape: S,
  query: URLSearchParams,
  take: (name: string, value: string) => boolean | Message = () => false,
): Fields<S> {
  const given: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const [name, value] of query) {
    const taken = take(name, value);
    if (taken === true) continue;
    if (taken !== false) problems.push({ field: name, message: taken });
    else if (!Object.hasOwn(shape, name)) problems.push(noFilter(name, Object.keys(shape)));
    else if (Object.hasOwn(given, name)) problems.push({ field: name, message: say('was_given_twice') });
    else given[name] = value;
  }
  const read = readFields(shape, given);
  return { values: read.values, problems: [...problems, ...read.problems] };
}

function noFilter(name: string, filters: string[]): Problem {
  const likely = likelyName(name, filters);
  const message = likely === undefined ? say('is_no_filter') : say('is_no_filter_but', { name: likely });
  return { field: name.slice(0, 100), message };
}

export function readListQuery(query: URLSearchParams): { filter: TransactionFilter } & Page {
  const metadata: [string, string][] = [];
  const values = readQuery(listQuery, query, (name, value) => {
    if (name === 'metadata') return say('is_written_metadata');
    const item = METADATA.exec(name)?.[1];
    if (item === undefined) return false;
    if (!visible(255, { description: 'A value of metadata' }).safeParse(value).success)
      return say('must_be_characters', { maximum: 255 });
    if (metadata.length === METADATA_ITEMS_MAX) return say('is_too_much_metadata');
    metadata.push([item, value]);
    return true;
  });
  return {
    ...pageIn(values),
    filter: {
      ...values.channel,
      types: values.type && [values.type],
      status: values.status,
      mode: values.mode,
      reference: values.reference,
      msisdn: values.phone_number,
      idempotencyKey: values.idempotency_key,
      from: values.from,
      to: values.to,
      metadata: metadata.length === 0 ? undefined : metadata,
    },
  };
}

import { z } from 'zod';
import type { Scope } from '../../accounts/keys.ts';
import type { Page } from '../../db/listing.ts';
import { banks } from '../../domain/bank.ts';
import { merchantModes, type TransactionType, transactionTypes } from '../../domain/kinds.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import { networkByName, networks } from '../../domain/network.ts';
import { statuses } from '../../domain/transaction.ts';
import type { TransactionFilter } from '../../transactions/rows/list-filter.ts';
import { acceptFields, type Problem, readFields, type Shape } from '../http/fields.ts';
import { moment } from '../moments.ts';
import { lengthOf, METADATA_ITEMS_MAX, PHONE_PATTERN } from './request-fields.ts';

const PAGE_MAX = 1_000_000;
const PER_PAGE_MAX = 100;

const wholeNumber = (max: number, message: string, fallback: number) =>
  z
    .string()
    .refine((text) => /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max, message)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: max, default: fallback })
    .optional();

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`).optional();

const VISIBLE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';

const visible = (max: number) =>
  z
    .string()
    .refine(
      (text) => /^[^\p{Cc}\p{Surrogate}]+$/u.test(text) && lengthOf(text) <= max,
      `must be 1 to ${max} characters`,
    )
    .meta({ minLength: 1, maxLength: max, pattern: VISIBLE_PATTERN })
    .optional();

export const pageQuery = {
  page: wholeNumber(PAGE_MAX, 'must be a whole number from 1', 1),
  per_page: wholeNumber(PER_PAGE_MAX, `must be a whole number from 1 to ${PER_PAGE_MAX}`, 20),
};

/** Channels that are neither a network nor one bank. */
const OTHER_CHANNELS = ['bank', 'billpay', 'dynamic-qr'];

/** Which scope lists and looks up a type: a list shows only the types that the key may read. */
export const scopeToRead: Record<TransactionType, Scope> = {
  payment: 'payments:read',
  bill: 'payments:read',
  payout: 'payouts:read',
};

/** Page and filters of the lists. A filter that is not here is refused, not ignored: it would show too much. */
export const listQuery = {
  ...pageQuery,
  type: oneOf(transactionTypes),
  status: oneOf(statuses),
  mode: oneOf(merchantModes),
  channel: z
    .string()
    .transform((text, context): Pick<TransactionFilter, 'channel' | 'bic'> => {
      const network = networkByName(text);
      if (network) return { channel: network.id };
      const bank = banks.find((candidate) => candidate.value === text.toLowerCase());
      if (bank) return { channel: 'bank', bic: bank.bic };
      const other = OTHER_CHANNELS.find((name) => name === text.toLowerCase());
      if (other) return { channel: other };
      context.addIssue({ code: 'custom', message: 'must name a network or a bank, for example m-pesa' });
      return z.NEVER;
    })
    .meta({
      description:
        'A network, a bank (its `value`), `bank` for all of them, or what a bill (`billpay`) or QR code (`dynamic-qr`) shows while nobody has paid it; in any case',
      enum: [...networks.map(({ id }) => id), ...banks.map(({ value }) => value), ...OTHER_CHANNELS],
    })
    .optional(),
  reference: visible(255),
  phone_number: z
    .string()
    .transform((text, context) => {
      const msisdn = parseMsisdn(text);
      if (msisdn !== null) return msisdn;
      context.addIssue({ code: 'custom', message: 'must be a mobile number, for example 0754123456' });
      return z.NEVER;
    })
    .meta({ pattern: PHONE_PATTERN, example: '0754123456' })
    .optional(),
  idempotency_key: visible(255),
  from: moment,
  to: moment,
  metadata: z
    .record(z.string(), z.string(), { error: 'is written metadata[key]=value' })
    .meta({
      description: 'metadata[key]=value: the items that a transaction must carry',
      maxProperties: METADATA_ITEMS_MAX,
      propertyNames: { type: 'string', minLength: 1, maxLength: 99, pattern: VISIBLE_PATTERN },
      additionalProperties: { type: 'string', minLength: 1, maxLength: 255, pattern: VISIBLE_PATTERN },
    })
    .optional(),
};

const METADATA = /^metadata\[([^\p{Cc}\p{Surrogate}]{1,99})\]$/u;

/**
 * Throws with everything that is wrong with the query. `take` is asked first: what it takes is no field of the shape,
 * and a text is what is wrong with it.
 */
export function readQuery<S extends Shape>(
  shape: S,
  query: URLSearchParams,
  take: (name: string, value: string) => boolean | string = () => false,
): ReturnType<typeof acceptFields<S>> {
  const given: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const [name, value] of query) {
    const taken = take(name, value);
    if (taken === true) continue;
    if (taken !== false) problems.push({ field: name, message: taken });
    else if (!Object.hasOwn(shape, name))
      problems.push({ field: name.slice(0, 100), message: 'is not a filter' });
    else if (Object.hasOwn(given, name)) problems.push({ field: name, message: 'was given twice' });
    else given[name] = value;
  }
  const read = readFields(shape, given);
  return acceptFields({ values: read.values, problems: [...problems, ...read.problems] });
}

/** Throws with everything that is wrong with the query. */
export function readListQuery(query: URLSearchParams): { filter: TransactionFilter } & Page {
  const metadata: [string, string][] = [];
  const values = readQuery(listQuery, query, (name, value) => {
    const item = METADATA.exec(name)?.[1];
    if (item === undefined) return false;
    if (!visible(255).safeParse(value).success) return 'must be 1 to 255 characters';
    if (metadata.length === METADATA_ITEMS_MAX) return 'is more than a transaction can carry';
    metadata.push([item, value]);
    return true;
  });
  return {
    page: values.page ?? 1,
    perPage: values.per_page ?? 20,
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

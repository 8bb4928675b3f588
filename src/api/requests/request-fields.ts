import { z } from 'zod';
import { banks, findBank, parseAccountNumber } from '../../domain/bank.ts';
import { billModes } from '../../domain/bill.ts';
import { CURRENCY, MINOR_PER_UNIT, type Minor, minorFromUnits, toUnits } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import { type Limits, networkByName, networks } from '../../domain/network.ts';
import { isPlain } from '../../domain/plain-text.ts';

/** The fields of requests that move money. Their input side becomes the OpenAPI document. */

export const METADATA_ITEMS_MAX = 3;
const METADATA_CHARACTERS_MAX = 99;
/** For the document: JSON with NUL in it is refused. */
const WITHOUT_NUL = '^[^\\u0000]*$';

type Issue = { code?: string | undefined; expected?: unknown; input?: unknown };

/** The sentences for a field that is not there, of another JSON type, or with a wrong value. */
export const orRequired = (message: string) => ({
  error: (issue: Issue) => (issue.input === undefined ? 'is required' : (wrongType(issue) ?? message)),
});

const wantedTypes: Record<string, string> = {
  record: 'a JSON object',
  object: 'a JSON object',
  array: 'a JSON array',
  string: 'a JSON string',
  number: 'a JSON number',
};

/** `must be a JSON number, not a string`; undefined for an issue of another kind. */
export function wrongType({ code, expected, input }: Issue): string | undefined {
  const isNoWord = code === 'invalid_value' && typeof input !== 'string';
  const wanted = code === 'invalid_type' || isNoWord ? wantedTypes[String(expected ?? 'string')] : undefined;
  return wanted && `must be ${wanted}, not ${typeOf(input)}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export const AMOUNT = 'must be a whole number of shillings above 0';
const BILL_AMOUNT = 'must be an amount above 0 with at most two decimals';

/** Minor units. A number too large for them is out of range, not malformed. */
const amountField = z
  .number(orRequired(AMOUNT))
  .refine((value) => Number.isInteger(value) && value > 0, AMOUNT)
  .transform((value): Minor => minorFromUnits(value) ?? (Number.MAX_SAFE_INTEGER as Minor))
  .meta({ type: 'integer', minimum: 1, description: 'Whole shillings', example: 5000 });

/**
 * Minor units, of shillings with at most two decimals. What is too large for them is out of range, not malformed.
 * The document does not say `multipleOf: 0.01`: validators that divide doubles would refuse 8.03.
 */
export const billAmountField = z
  .number(orRequired(BILL_AMOUNT))
  .transform((value, context): Minor => {
    if (value * MINOR_PER_UNIT > Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER as Minor;
    const amount = minorFromUnits(value);
    if (amount !== null && amount > 0) return amount;
    context.addIssue({ code: 'custom', message: BILL_AMOUNT });
    return z.NEVER;
  })
  .meta({
    type: 'number',
    description: 'Shillings, at most two decimals',
    example: 25000,
  });

/** `TZS` → `^[Tt][Zz][Ss]$`: by letters, because `ſ` in upper case is an S, too. */
const CURRENCY_PATTERN = new RegExp(
  `^${[...CURRENCY].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('')}$`,
);

export const currencyField = z
  .string(orRequired('must be a string'))
  .superRefine((text, context) => {
    if (CURRENCY_PATTERN.test(text)) return;
    context.addIssue({
      code: 'custom',
      message: `must be ${CURRENCY}`,
      params: { code: 'unsupported_currency', sentence: `currency must be ${CURRENCY}` },
    });
  })
  .transform((): string => CURRENCY)
  .meta({ type: 'string', pattern: CURRENCY_PATTERN.source, description: 'In any case', example: CURRENCY });

const PHONE = 'must be a Tanzanian mobile number, for example 0754123456';

/** The pattern of what `parseMsisdn` takes, for the document. `[0-9]`, because not every `\\d` means these ten. */
const DROPPED = '[ .()-]*';
export const PHONE_PATTERN =
  `^${DROPPED}(?:(?:(?:\\+|0${DROPPED}0)${DROPPED})?2${DROPPED}5${DROPPED}5${DROPPED}|0${DROPPED})?` +
  `[67](?:${DROPPED}[0-9]){8}${DROPPED}$`;
/** A text without these characters that is not only white space, for the document. */
const without = (refused: string) => `^[^${refused}]*[^\\s${refused}][^${refused}]*$`;
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** Those that `isPlain` refuses; beyond the first 65,536 the document names none. */
const HIDDEN =
  `${CONTROL}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e` +
  '\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8';

/** 255 and nine digits. */
export const phoneField = z
  .string(orRequired(PHONE))
  .transform((text, context) => {
    const msisdn = parseMsisdn(text);
    if (msisdn !== null) return msisdn;
    context.addIssue({ code: 'custom', message: PHONE });
    return z.NEVER;
  })
  .meta({
    pattern: PHONE_PATTERN,
    description:
      '07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, dots and parentheses are dropped',
    example: '0754123456',
  });

export const networkField = z
  .string({ error: wrongType })
  .transform((text, context) => {
    const network = networkByName(text);
    if (network) return network;
    context.addIssue({
      code: 'custom',
      message: 'names no network we know',
      params: {
        code: 'unsupported_network',
        sentence: 'transaction_channel names no network we know, for example M-PESA',
      },
    });
    return z.NEVER;
  })
  .meta({
    description: 'Names the network of a ported number, in any case',
    enum: networks.map((network) => network.name),
    example: 'M-PESA',
  })
  .optional();

export const metadataField = z
  .record(z.string(), z.unknown(), { error: wrongType })
  .superRefine((items, context) => {
    const entries = Object.entries(items);
    if (entries.length > METADATA_ITEMS_MAX) {
      context.addIssue({
        code: 'custom',
        message: `must have at most ${METADATA_ITEMS_MAX} items`,
        params: {
          sentence: `metadata has ${entries.length} items; at most ${METADATA_ITEMS_MAX} are allowed`,
        },
      });
    }
    for (const [key, value] of entries) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (lengthOf(key) > METADATA_CHARACTERS_MAX) {
        context.addIssue({ code: 'custom', message: 'must have keys of fewer than 100 characters' });
      } else if (lengthOf(text) > METADATA_CHARACTERS_MAX) {
        context.addIssue({ code: 'custom', path: [key], message: 'must be shorter than 100 characters' });
      }
    }
  })
  .meta({
    maxProperties: METADATA_ITEMS_MAX,
    propertyNames: { type: 'string', maxLength: METADATA_CHARACTERS_MAX, pattern: WITHOUT_NUL },
    // No type: any JSON value. Makers of clients give up on a list of types that has arrays or null in it.
    additionalProperties: { maxLength: METADATA_CHARACTERS_MAX, pattern: WITHOUT_NUL },
    description: 'At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent',
    example: { order_id: 'INV-1001' },
  })
  .optional();

export const accountNumberField = z
  .string(orRequired('must be a string'))
  .transform((text, context) => {
    const account = parseAccountNumber(text);
    if (account !== null) return account;
    context.addIssue({ code: 'custom', message: 'must be 5 to 34 letters and digits' });
    return z.NEVER;
  })
  .meta({
    pattern: '^[ -]*(?:[0-9A-Za-z][ -]*){5,34}$',
    description: '5 to 34 letters and digits; spaces and dashes are dropped',
    example: '0150123456789',
  });

/** The bank; answers name it by its BIC of 8 characters, as the list of banks does, whatever branch was sent. */
export const bicField = z
  .string(orRequired('must be a string'))
  .transform((text, context) => {
    const found = findBank(text);
    if ('bank' in found) return found;
    context.addIssue({
      code: 'custom',
      message: found.unknown,
      params: { code: 'unknown_bank', sentence: `bic ${found.unknown}` },
    });
    return z.NEVER;
  })
  .meta({
    pattern: `^(?:${banks.map((bank) => bank.bic).join('|')})(?:[0-9A-Z]{3})?$`,
    description: 'Of a bank in GET payouts/bank/list, with or without a branch; in any case',
    example: 'CORUTZTZ',
  });

/** Whole shillings, inclusive, for the document; what is refused is decided by the data of the channel. */
export function amountWithin({ minimum, maximum }: Limits) {
  return amountField.meta({ minimum: toUnits(minimum), maximum: toUnits(maximum) });
}

const DESCRIPTION = 'must be 1 to 255 characters';

export const descriptionField = z
  .string(orRequired('must be a string'))
  .refine((text) => text.trim() !== '' && lengthOf(text) <= 255, DESCRIPTION)
  .meta({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
    description: 'What it is for',
    example: 'School fees, term 1',
  });

const RECEIPT = 'must be 1 to 255 printable characters';

/** The channel's number of one payment, as lookups show it. */
export const receiptField = z
  .string(orRequired('must be a string'))
  .refine((text) => text.trim() !== '' && lengthOf(text) <= 255 && !/\p{Cc}/u.test(text), RECEIPT)
  .meta({
    minLength: 1,
    maxLength: 255,
    pattern: without(CONTROL),
    description: 'Names one of several payments of a bill (`payments[].channel.reference` of its lookup)',
    example: 'CKL6A1B2C3',
  });

const PAYMENT_NUMBER = 'must be 1 to 64 printable characters';

/** The characters that the field refuses, for the document; beyond the first 65,536 it names none. */
const UNPRINTABLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';

/** The identity of a bill; only space around it is dropped. What cannot be seen would make two numbers look like one. */
export const paymentNumberField = z
  .string(orRequired('must be a string'))
  .refine(
    (text) => text.trim() !== '' && lengthOf(text) <= 64 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text),
    PAYMENT_NUMBER,
  )
  .transform((text) => text.trim())
  .meta({
    minLength: 1,
    maxLength: 64,
    pattern: without(UNPRINTABLE),
    description: "The merchant's own number of the bill, unique in the account; space around it is dropped",
    example: 'INV-2001',
  });

export const paymentModeField = z
  .enum(billModes, orRequired('must be exact or flexible'))
  .default('exact')
  .meta({
    // Go cannot compile the default of what may be null.
    default: undefined,
    description:
      'exact, also when left out: that amount, once. flexible: any amounts until their sum reaches it',
  });

const NAME = 'must be 1 to 140 printable characters';

export const beneficiaryField = z.object(
  {
    full_name: z
      .string(orRequired('must be a string'))
      .refine((name) => name.trim() !== '' && lengthOf(name) <= 140 && isPlain(name), NAME)
      .transform((name) => name.trim())
      .meta({ minLength: 1, maxLength: 140, pattern: without(HIDDEN), example: 'Asha Juma' }),
    phone_number: z
      .string({ error: wrongType })
      .refine((text) => /^\+?\d{7,15}$/.test(text.replace(/[ -]/g, '')), 'must be 7 to 15 digits')
      .meta({
        pattern: '^[ -]*(?:\\+[ -]*)?(?:[0-9][ -]*){7,15}$',
        description: 'Checked, and neither sent to the bank nor kept',
        example: '0754123456',
      })
      .optional(),
  },
  orRequired('must be an object'),
);

export const previewIdField = z
  .string({ error: wrongType })
  .max(64, 'must be at most 64 characters')
  .meta({ description: 'The preview_id of a preview of this very payout' })
  .optional();

/** Code points, which is what a person counts. */
export function lengthOf(text: string): number {
  return [...text].length;
}

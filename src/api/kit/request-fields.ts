import { z } from 'zod';
import { banks, findBank, parseAccountNumber } from '../../domain/bank.ts';
import { billModes } from '../../domain/bill.ts';
import { say } from '../../domain/messages.ts';
import { CURRENCY, MINOR_PER_UNIT, type Minor, minorFromUnits, toUnits } from '../../domain/money.ts';
import { readPhone } from '../../domain/msisdn.ts';
import { type Limits, networkByName, networks } from '../../domain/network.ts';
import { isPlain } from '../../domain/plain-text.ts';
import { readable, wrong } from '../../platform/http/fields.ts';

/** The OpenAPI document describes these fields as they are sent. */

export const METADATA_ITEMS_MAX = 3;
const METADATA_CHARACTERS_MAX = 99;
/** The document says that JSON with NUL is refused. */
const WITHOUT_NUL = '^[^\\u0000]*$';

/** Minor units. A number too large for them is out of range, not malformed. */
export const amountField = z
  .number()
  .refine((value) => Number.isInteger(value) && value > 0, wrong(say('must_be_whole_shillings')))
  .transform((value): Minor => minorFromUnits(value) ?? (Number.MAX_SAFE_INTEGER as Minor))
  .meta({ type: 'integer', minimum: 1, description: 'Whole shillings', example: 5000 });

/**
 * Minor units, from shillings with at most two decimals. A number too large is out of range, not malformed.
 * The document omits `multipleOf: 0.01`, by which some validators refuse 8.03.
 */
export const billAmountField = z
  .number()
  .transform((value, context): Minor => {
    if (value * MINOR_PER_UNIT > Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER as Minor;
    const amount = minorFromUnits(value);
    if (amount !== null && amount > 0) return amount;
    context.addIssue(wrong(say('must_be_amount')));
    return z.NEVER;
  })
  .meta({
    type: 'number',
    description: 'Shillings, at most two decimals',
    example: 25000,
  });

/** `TZS` → `^[Tt][Zz][Ss]$`: letter by letter, because `ſ` in upper case is also S. */
const CURRENCY_PATTERN = new RegExp(
  `^${[...CURRENCY].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('')}$`,
);

export const currencyField = readable(
  (text): string | null => (CURRENCY_PATTERN.test(text) ? CURRENCY : null),
  wrong(say('must_be_currency', { currency: CURRENCY }), { code: 'unsupported_currency' }),
).meta({
  type: 'string',
  pattern: CURRENCY_PATTERN.source,
  description: 'Case is ignored',
  example: CURRENCY,
});

/**
 * The document has this pattern. `readPhone` also accepts dots that cannot be decimal points, and `\\d` may
 * match more than `[0-9]`.
 */
const DROPPED = '[ ()-]*';
export const PHONE_PATTERN =
  `^${DROPPED}(?:(?:(?:\\+|0${DROPPED}0)${DROPPED})?2${DROPPED}5${DROPPED}5${DROPPED}|0${DROPPED})?` +
  `[67](?:${DROPPED}[0-9]){8}${DROPPED}$`;
/** The document has this pattern: text without these characters that is not only white space. */
const without = (refused: string) => `^[^${refused}]*[^\\s${refused}][^${refused}]*$`;
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** `isPlain` refuses these characters. The document cannot name those beyond the first 65,536. */
const HIDDEN =
  `${CONTROL}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e` +
  '\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8';

/** 255 and nine digits. */
export const phoneField = z
  .string()
  .transform((text, context) => {
    const read = readPhone(text);
    if (read.msisdn !== null) return read.msisdn;
    context.addIssue(wrong(read.wrong));
    return z.NEVER;
  })
  .meta({
    pattern: PHONE_PATTERN,
    description:
      '07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, ' +
      'it is the same number. Spaces, dashes, parentheses and dots between groups are dropped',
    example: '0754123456',
  });

export const networkField = readable(
  networkByName,
  wrong(say('names_no_network'), { code: 'unsupported_network', sentence: say('channel_names_no_network') }),
)
  .meta({
    description: 'The network, if the number was ported to it; case is ignored',
    enum: networks.map((network) => network.name),
    example: 'M-PESA',
  })
  .optional();

export const metadataField = z
  .record(z.string(), z.unknown())
  .superRefine((items, context) => {
    const entries = Object.entries(items);
    if (entries.length > METADATA_ITEMS_MAX) {
      const maximum = METADATA_ITEMS_MAX;
      const sentence = say('metadata_too_many', { count: entries.length, maximum });
      context.addIssue(wrong(say('must_have_at_most_items', { maximum }), { sentence }));
    }
    for (const [key, value] of entries) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (lengthOf(key) > METADATA_CHARACTERS_MAX) {
        context.addIssue(wrong(say('must_have_shorter_keys')));
      } else if (lengthOf(text) > METADATA_CHARACTERS_MAX) {
        context.addIssue({ ...wrong(say('must_be_shorter')), path: [key] });
      }
    }
  })
  .meta({
    maxProperties: METADATA_ITEMS_MAX,
    propertyNames: { type: 'string', maxLength: METADATA_CHARACTERS_MAX, pattern: WITHOUT_NUL },
    // No type means any JSON value. Client generators fail on type lists with arrays or null.
    additionalProperties: { maxLength: METADATA_CHARACTERS_MAX, pattern: WITHOUT_NUL },
    description: 'At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent',
    example: { order_id: 'INV-1001' },
  })
  .optional();

export const accountNumberField = readable(parseAccountNumber, wrong(say('must_be_account_number'))).meta({
  pattern: '^[ -]*(?:[0-9A-Za-z][ -]*){5,34}$',
  description: '5 to 34 letters and digits; spaces and dashes are dropped',
  example: '0150123456789',
});

/** Answers have a bank's 8-character BIC, whichever branch was sent. */
export const bicField = z
  .string()
  .transform((text, context) => {
    const found = findBank(text);
    if ('bank' in found) return found;
    context.addIssue(wrong(found.unknown, { code: 'unknown_bank' }));
    return z.NEVER;
  })
  .meta({
    pattern: `^(?:${banks.map((bank) => bank.bic).join('|')})(?:[0-9A-Z]{3})?$`,
    description: 'The BIC of a bank in GET payouts/bank/list, with or without a branch; case is ignored',
    example: 'CORUTZTZ',
  });

/** The document shows these limits in whole shillings, inclusive; the channel's data decides. */
export function amountWithin({ minimum, maximum }: Limits) {
  return amountField.meta({ minimum: toUnits(minimum), maximum: toUnits(maximum) });
}

const words = (maximum: number, isPrintable?: (text: string) => boolean) =>
  z
    .string()
    .refine(
      (text) => text.trim() !== '' && lengthOf(text) <= maximum && (isPrintable?.(text) ?? true),
      wrong(say(isPrintable ? 'must_be_printable_characters' : 'must_be_characters', { maximum })),
    );

export const descriptionField = words(255).meta({
  minLength: 1,
  maxLength: 255,
  pattern: without('\\u0000'),
  description: 'What it is for',
  example: 'School fees, term 1',
});

/** Lookups show this receipt, which the channel gave for one payment. */
export const receiptField = words(255, (text) => !/\p{Cc}/u.test(text)).meta({
  minLength: 1,
  maxLength: 255,
  pattern: without(CONTROL),
  description:
    'One of several payments of a bill, by its receipt (`payments[].channel.reference` of the lookup)',
  example: 'CKL6A1B2C3',
});

/** The field refuses these characters; the document cannot name those beyond the first 65,536. */
const UNPRINTABLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';

/** Drops only surrounding space. Invisible characters would make two payment numbers look alike. */
export const paymentNumberField = words(64, (text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
  .transform((text) => text.trim())
  .meta({
    minLength: 1,
    maxLength: 64,
    pattern: without(UNPRINTABLE),
    description: 'Your own number of the bill, unique in the account; space around it is dropped',
    example: 'INV-2001',
  });

export const paymentModeField = readable(
  (text) => billModes.find((known) => known === text),
  wrong(say('must_be_bill_mode')),
)
  .default('exact')
  .meta({
    enum: billModes,
    // Go cannot compile a default for a nullable field.
    default: undefined,
    description: 'exact (the default): that amount, once. flexible: any amounts until their sum reaches it',
  });

export const beneficiaryField = z
  .object({
    full_name: words(140, isPlain)
      .transform((name) => name.trim())
      .meta({
        minLength: 1,
        maxLength: 140,
        pattern: without(HIDDEN),
        example: 'Asha Juma',
        description: 'The owner of the account, as the bank knows the name',
      }),
    phone_number: z
      .string()
      .refine((text) => /^\+?\d{7,15}$/.test(text.replace(/[ -]/g, '')), wrong(say('must_be_phone_digits')))
      .meta({
        pattern: '^[ -]*(?:\\+[ -]*)?(?:[0-9][ -]*){7,15}$',
        description: 'Checked, and neither sent to the bank nor kept',
        example: '0754123456',
      })
      .optional(),
  })
  .meta({ description: 'Who is paid' });

/** Counts code points. */
export function lengthOf(text: string): number {
  return [...text].length;
}

import { z } from 'zod';
import { failureCodes } from '../domain/failure.ts';
import { sentence } from './json-of.ts';

/** A field of several answers or callbacks is described here, once. */

export const uuid = z.uuid();
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ example: '2026-11-20T08:15:30.123456Z' });
export const money = z
  .string()
  .regex(/^-?\d{1,3}(,\d{3})*\.\d\d$/)
  .meta({ example: '5,000.00' });
export const phone = z.string().regex(/^0\d{9}$/);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

export const ok = {
  success: z
    .literal(true)
    .meta({ description: 'Whether this request worked; it says nothing about how a transaction ended' }),
  message: sentence.meta({ description: 'A sentence for people; it may change' }),
};
export const mode = {
  description:
    'How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, ' +
    'or to your own account',
};
export const state = { description: 'The state; final states never change' };
export const statusReasonDescription = 'A sentence: why it is not final yet, or why it was cancelled';
export const currency = z
  .string()
  .meta({ example: 'TZS', description: 'The currency of the amounts beside it' });
export const transactionCurrency = currency.meta({ description: 'The currency of every amount here' });
export const metadata = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Your metadata, unchanged; `{}` if you sent none' });

export const transactionId = uuid.meta({
  description: 'The id of the transaction in lookups, lists and callbacks; it never changes',
});
export const batchId = uuid.meta({ description: 'The batch of which the payout is an item' }).optional();
/** A payout's lookup and callbacks have these fields (domain/payout.ts writes them). */
export const besidePayout = { metadata, batch_id: batchId };
export const refundOf = uuid.meta({ description: 'The payment that this refund gives back' }).optional();
export const eventId = z
  .string()
  .regex(/^evt_[0-9a-f]{32}$/)
  .meta({ description: 'The id of the event. It is the same on every attempt, so act once on each id' });
export const payoutReferenceDescription = 'Our reference of the payout, the same on every attempt';
export const payoutReference = z
  .string()
  .regex(/^PO[0-9A-HJKMNP-TV-Z]{16}$/)
  .meta({ description: payoutReferenceDescription });
export const controlNumber = z
  .string()
  .regex(/^\d{12}$/)
  .meta({ example: '770000000049', description: 'The control number that the customer types' });
export const customerReference = z
  .string()
  .meta({ description: 'Your own reference of the customer who pays the number' });

export const createdAt = timestamp.meta({ description: 'When it was accepted' });
export const updatedAt = timestamp.meta({ description: 'When it last changed' });
export const stateSince = timestamp.meta({ description: 'When its state last changed' });
export const expiresAt = timestamp.meta({
  description: 'When it expires: it can be used or paid until then',
});
export const paidAtDescription = 'When the network or bank paid it; absent or null until then';
export const paidAt = timestamp.meta({ description: paidAtDescription });
export const returnedAt = timestamp.meta({
  description: 'When the bank or network sent the paid payout back',
});
export const returnReason = z.string().meta({ description: 'Why it was sent back' });
export const failureCode = z.enum(failureCodes).meta({ description: 'Why it failed: one of a closed list' });
export const failureReason = z.string().meta({ description: 'A sentence that explains `failure_code`' });

export const description = z.string().meta({ description: 'Your description, unchanged' });
const channelMembers = {
  name: z.string().meta({ description: 'The network or bank; upper case for payments, an id for payouts' }),
};
export const receipt = z.string().meta({
  description: "The network's or bank's receipt, or the number under which they know it",
});
const channelDescription = 'The network or bank; for a bill or QR code that nobody has paid yet, its kind';
export const namedChannel = z.strictObject(channelMembers).meta({ description: channelDescription });
export const channel = z
  .strictObject({ ...channelMembers, reference: receipt })
  .meta({ id: 'Channel', description: channelDescription });
export const channelOrNone = z
  .strictObject({ ...channelMembers, reference: receipt.nullable() })
  .meta({ id: 'ChannelSoFar', description: channelDescription });

export const value = money.meta({ description: 'The amount of the transaction, without the fee' });
export const fee = money.meta({
  description:
    'What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means)',
});
export const settled = money.meta({
  description: 'The amount added to your balance: the payment less the fee',
});
/** Used where the members of an amount have descriptions. */
export const howMuch = { description: 'How much' };

export const nameDescription =
  'The name that the network or bank gave, or that you sent with a bank payout; null when there is none';
export const fullName = z.string().nullable().meta({ description: nameDescription });
export const nameMatch = z
  .boolean()
  .nullable()
  .meta({
    description:
      'True if each word of one name is in the other: the one from the network or bank, and yours. Where ' +
      'one has more words, the other must have two. Order and case are ignored; null if no name came',
  });
export const phoneDescription = 'As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid';
export const phoneNumber = phone.meta({ description: phoneDescription });
const network = z.string().meta({ description: "The recipient's network" });
export const accountNumber = z
  .string()
  .meta({ description: 'The number of the account, without spaces and dashes' });
export const bankName = z.string().meta({ description: 'The name of the bank' });
export const bic = z.string().meta({ description: 'The BIC of the bank, 8 characters' });

const mobileBeneficiary = z
  .strictObject({ phone_number: phoneNumber, phone_network: network, full_name: fullName })
  .meta({ id: 'MobileBeneficiary' });
const bankBeneficiary = z
  .strictObject({ bank_account: accountNumber, bank_name: bankName, bank_bic: bic })
  .meta({ id: 'BankBeneficiary' });
export const beneficiary = z
  .union([mobileBeneficiary, bankBeneficiary])
  .meta({ id: 'Beneficiary', description: 'Who is paid' });
export const customer = z
  .strictObject({
    full_name: fullName,
    phone_number: phone.nullable().meta({ description: phoneDescription }),
  })
  .meta({ id: 'Customer', description: 'Who pays' });
export const wallet = z
  .strictObject({ phone_number: phoneNumber, network })
  .meta({ description: 'The wallet that is paid' });

/** Absent if this installation has no pay pages. */
export const payUrl = z
  .string()
  .regex(/^https?:\/\/.+\/pay\/[\w-]{22}$/)
  .meta({
    description: 'The page to pay on: send it to your customer. Absent if the service has no such pages',
  })
  .optional();
/** Anyone with the URL may read the receipt. Absent if this installation has no pages. */
export const receiptUrl = z
  .string()
  .regex(/^https?:\/\/.+\/r\/[\w-]{22}$/)
  .meta({
    description:
      'The page that shows this payment or payout to anyone who has the address. ' +
      'Absent before it succeeds (a line of a statement has it from the start), ' +
      'for a bill paid in parts (each of `payments` has one), and if the service has no such pages',
  })
  .optional();

export const pagination = z
  .strictObject({
    current_page: z.int().min(1).meta({ description: 'The number of this page' }),
    last_page: z.int().min(1).meta({ description: 'The last page that has items; 1 when there are none' }),
    per_page: z.int().min(1).max(100).meta({ description: 'How many items a page has' }),
    total_items: count.meta({ description: 'The number of items on all pages' }),
    total_is_minimum: z
      .literal(true)
      .meta({
        description:
          'There are more than `total_items`, because counting stopped. ' +
          'You can ask for pages after `last_page`; an empty page is the end',
      })
      .optional(),
  })
  .meta({ id: 'Pagination', description: 'Which page this is, and how many there are' });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    ...ok,
    data: z.array(item).meta({ description: 'The items of this page' }),
    pagination,
  });

export const fieldError = z
  .strictObject({
    field: z.string().meta({ description: 'The field, with dots between an object and its member' }),
    message: sentence.meta({ description: 'What is wrong with it' }),
  })
  .meta({ id: 'FieldError' });

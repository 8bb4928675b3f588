import { z } from 'zod';
import { NUMBERS_OF_A_BATCH, numberPurposes, numberStatuses } from '../domain/number.ts';
import { qrCode, qrText } from './answer-schemas.ts';
import {
  controlNumber,
  createdAt,
  customerReference,
  description,
  fieldError,
  metadata,
  ok,
  pageOf,
  payUrl,
  uuid,
} from './fields.ts';

export const purposeDescription = '`collect`: customers pay; `top_up`: money of your own, for your balance';
const standingNumber = z
  .strictObject({
    id: uuid.meta({ description: 'Names the number for ever' }),
    reference: controlNumber,
    customer_reference: customerReference,
    purpose: z.enum(numberPurposes).meta({ description: purposeDescription }),
    status: z
      .enum(numberStatuses)
      .meta({ description: '`open` or `closed`: a closed number takes no payments' }),
    description: description.optional(),
    minimum: z
      .number()
      .meta({ description: 'The least that one payment may be, in whole shillings' })
      .optional(),
    maximum: z
      .number()
      .meta({ description: 'The most that one payment may be, in whole shillings' })
      .optional(),
    payers: z
      .array(z.string())
      .meta({
        description:
          'Whose money has the fee row `top_up`, where the network names this phone or account; ' +
          'it never changes',
      })
      .optional(),
    pay_url: payUrl,
    created_at: createdAt,
    metadata,
  })
  .meta({ id: 'StandingNumber', description: 'The standing number' });
export const numberAnswer = z.strictObject({ ...ok, number: standingNumber, qr: qrCode });
const made = z.strictObject({ number: standingNumber, qr: qrText }).meta({ id: 'MadeNumber' });
const refused = z
  .strictObject({
    customer_reference: customerReference.optional(),
    errors: z.array(fieldError).meta({ description: 'Every field that is wrong' }),
  })
  .meta({ id: 'RefusedNumber' });
export const numbersAnswer = z.strictObject({
  ...ok,
  numbers: z
    .array(z.union([made, refused]))
    .max(NUMBERS_OF_A_BATCH)
    .meta({ description: 'The numbers, each in its place' }),
});
export const numberList = pageOf(standingNumber);

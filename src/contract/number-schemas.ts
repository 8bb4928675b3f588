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

export const purposeDescription =
  '`collect`: customers pay; `top_up`: you add your own money to your balance';
const standingNumber = z
  .strictObject({
    id: uuid.meta({ description: 'The id of the number' }),
    reference: controlNumber,
    customer_reference: customerReference,
    purpose: z.enum(numberPurposes).meta({ description: purposeDescription }),
    status: z
      .enum(numberStatuses)
      .meta({ description: '`open` or `closed`: a closed number takes no payments' }),
    description: description.optional(),
    minimum: z.number().meta({ description: 'The smallest payment, in whole shillings' }).optional(),
    maximum: z.number().meta({ description: 'The largest payment, in whole shillings' }).optional(),
    payers: z
      .array(z.string())
      .meta({
        description:
          'Payments that the network reports from these phones or accounts have the fee row `top_up`; ' +
          'this list never changes',
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
    .meta({ description: 'The numbers, in the order of the request' }),
});
export const numberList = pageOf(standingNumber);

import { z } from 'zod';
import { NUMBERS_OF_A_BATCH, numberPurposes, numberStatuses } from '../domain/number.ts';
import {
  controlNumber,
  metadata,
  ok,
  pagination,
  payUrl,
  qrCode,
  timestamp,
  uuid,
} from './answer-schemas.ts';
import { sentence } from './json-of.ts';

const standingNumber = z
  .strictObject({
    id: uuid,
    reference: controlNumber,
    customer_reference: z.string(),
    purpose: z.enum(numberPurposes),
    status: z.enum(numberStatuses),
    description: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    payers: z.array(z.string()).optional(),
    pay_url: payUrl,
    created_at: timestamp,
    metadata,
  })
  .meta({ id: 'StandingNumber' });
export const numberAnswer = z.strictObject({ ...ok, number: standingNumber, qr: qrCode });
export const numbersAnswer = z.strictObject({
  ...ok,
  numbers: z
    .array(
      z.union([
        z.strictObject({ number: standingNumber, qr: qrCode.pick({ payload: true }) }),
        z.strictObject({
          customer_reference: z.string().optional(),
          errors: z.array(z.strictObject({ field: z.string(), message: sentence })),
        }),
      ]),
    )
    .max(NUMBERS_OF_A_BATCH),
});
export const numberList = z.strictObject({ ...ok, data: z.array(standingNumber), pagination });

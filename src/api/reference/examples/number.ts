import type { z } from 'zod';
import type { Examples } from '../../../contract/json-of.ts';
import type { numberAnswer, numberList, numbersAnswer } from '../../../contract/number-schemas.ts';
import { buildTanqr } from '../../../domain/tanqr.ts';
import { pageOf } from './page.ts';

type Answer = z.output<typeof numberAnswer>;

const metadata = { class: 'Form 2 B' };

const pupil = {
  customer_reference: 'PUPIL-0117',
  description: 'School fees of Asha Juma',
  minimum: 10000,
  metadata,
} as const;

const payers: string[] = ['0754123456'];

export const numberBodies = {
  school: pupil,
  own_top_up: { customer_reference: 'TOP-UP', purpose: 'top_up', description: 'Into our balance', payers },
} as const;

export const PAID_NUMBER = {
  id: '0f6c9ee4-53a4-5f4a-9bd9-2b1f6ad3c2c1',
  reference: '770000000067',
  customer_reference: 'PUPIL-0117',
};

const number: Answer['number'] = {
  ...PAID_NUMBER,
  purpose: 'collect',
  status: 'open',
  description: pupil.description,
  minimum: 10000,
  pay_url: 'https://lipa.example.com/pay/n7VxC4sJm8eKq0GtB5yPwA',
  created_at: '2026-11-20T08:15:30.123000Z',
  metadata,
};

const qr: Answer['qr'] = {
  payload: buildTanqr({
    acquirerId: '02001',
    merchantId: '44719038',
    categoryCode: '5999',
    postcode: '11101',
    merchantName: 'Demo shop',
    city: 'Dar es Salaam',
    controlNumber: PAID_NUMBER.reference,
    amount: null,
  }),
  image: 'data:image/png;base64,iVBORw0KGgo=',
};

export const numberAnswers = {
  open: { success: true, message: 'The number can be paid now, again and again', number, qr },
  closed: {
    success: true,
    message: 'The number is closed: nothing more is taken',
    number: { ...number, status: 'closed' },
    qr,
  },
} satisfies Examples<typeof numberAnswer>;

export const numberBatchBodies = {
  two_pupils: { numbers: [pupil, { customer_reference: 'PUPIL-0118', minimum: 1000, maximum: 2000 }] },
};

export const numberBatchAnswers = {
  one_refused: {
    success: true,
    message: '1 of 2 numbers can be paid now',
    numbers: [
      { number, qr: { payload: qr.payload } },
      {
        customer_reference: 'PUPIL-0118',
        errors: [{ field: 'maximum', message: 'must be at least 2,000' }],
      },
    ],
  },
} satisfies Examples<typeof numbersAnswer>;

export const numberListAnswers = {
  page: pageOf('Numbers retrieved successfully', [number]),
} satisfies Examples<typeof numberList>;

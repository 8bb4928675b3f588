import type { Examples } from '../../../contract/json-of.ts';
import type { feeStatementAnswer, statementAnswer } from '../../../contract/statement-schemas.ts';

/** Examples of the OpenAPI document about statements: a payment, then a payout that was not made. */

const RECEIPT = 'https://lipa.example.com/r/Gt6wPl0yMb3CnV8jDx5ShA';

const payment = {
  transaction_id: 'd1a9f2c4-7f5e-5b0a-9a57-2f0a5d1c7e10',
  reference: '8KJ4H2X9QZ',
};
const payout = {
  transaction_id: 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44',
  reference: 'PO7T9Q2M4X1KZ8RB3C',
};

export const statementAnswers = {
  one_day: {
    success: true,
    message: 'Statement retrieved successfully',
    currency: 'TZS',
    from: '2026-11-19T21:00:00.000000Z',
    to: '2026-11-20T21:00:00.000000Z',
    opening_balance: '2,000,000.00',
    closing_balance: '2,004,900.00',
    final: true,
    data: [
      {
        line: 2,
        at: '2026-11-20T08:15:30.123456Z',
        type: 'payment',
        ...payment,
        description: 'USSD payment',
        amount: '5,000.00',
        balance: '2,005,000.00',
        receipt_url: RECEIPT,
      },
      {
        line: 3,
        at: '2026-11-20T08:15:30.123471Z',
        type: 'fee',
        ...payment,
        description: 'Fee: USSD payment',
        amount: '-100.00',
        balance: '2,004,900.00',
      },
      {
        line: 4,
        at: '2026-11-20T09:02:11.530127Z',
        type: 'payout',
        ...payout,
        description: 'Mobile payout',
        amount: '-50,000.00',
        balance: '1,954,900.00',
      },
      {
        line: 5,
        at: '2026-11-20T09:02:11.530142Z',
        type: 'fee',
        ...payout,
        description: 'Fee: Mobile payout',
        amount: '-1,000.00',
        balance: '1,953,900.00',
      },
      {
        line: 6,
        at: '2026-11-20T09:03:40.004217Z',
        type: 'payout_reversal',
        ...payout,
        description: 'Mobile payout that was not made',
        amount: '50,000.00',
        balance: '2,003,900.00',
      },
      {
        line: 7,
        at: '2026-11-20T09:03:40.004230Z',
        type: 'fee',
        ...payout,
        description: 'Fee: Mobile payout that was not made',
        amount: '1,000.00',
        balance: '2,004,900.00',
      },
    ],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total_items: 6 },
  },
} satisfies Examples<typeof statementAnswer>;

export const statementCsv = {
  one_payment: [
    'line,at,day,type,transaction_id,reference,description,amount,balance,receipt_url',
    `2,2026-11-20T11:15:30.123456+03:00,2026-11-20,payment,${payment.transaction_id},${payment.reference},USSD payment,5000.00,2005000.00,${RECEIPT}`,
    `3,2026-11-20T11:15:30.123471+03:00,2026-11-20,fee,${payment.transaction_id},${payment.reference},Fee: USSD payment,-100.00,2004900.00,`,
    '',
  ].join('\r\n'),
};

export const feeStatementAnswers = {
  one_month: {
    success: true,
    message: 'Fee statement retrieved successfully',
    currency: 'TZS',
    month: '2026-11',
    from: '2026-10-31T21:00:00.000000Z',
    to: '2026-11-30T21:00:00.000000Z',
    final: true,
    fees: [
      {
        transaction_mode: 'mobile',
        description: 'Fee: Mobile payout',
        lines: 210,
        amount: '-147,000.00',
      },
      {
        transaction_mode: 'mobile',
        description: 'Fee: Mobile payout that was not made',
        lines: 3,
        amount: '2,100.00',
      },
      { transaction_mode: 'ussd', description: 'Fee: USSD payment', lines: 1840, amount: '-184,000.00' },
    ],
    total: '-328,900.00',
  },
} satisfies Examples<typeof feeStatementAnswer>;

export const feeStatementCsv = {
  one_month: [
    'transaction_mode,description,lines,amount',
    'mobile,Fee: Mobile payout,210,-147000.00',
    'mobile,Fee: Mobile payout that was not made,3,2100.00',
    'ussd,Fee: USSD payment,1840,-184000.00',
    ',Total,2053,-328900.00',
    '',
  ].join('\r\n'),
};

import type { settlementAnswer } from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';

/** Examples of the OpenAPI document about settlements: 1,500,000 go in two payouts. */

const SETTLEMENT_ID = '5f0c8a3e-94d1-5b27-8c60-1e7a2b9d4f35';
const metadata = { period: '2026-W47' };

export const settlementBodies = { all_above_what_stays: {}, a_part: { amount: 1_500_000, metadata } };

export const settlementAnswers = {
  in_two_payouts: {
    success: true,
    message: 'The settlement has been accepted',
    balance: { current: 495_280, reserved: 1_504_720 },
    settlement: {
      id: SETTLEMENT_ID,
      amount: 1_500_000,
      payouts: [SETTLEMENT_ID, '0d6e1b5c-7a28-5f93-b4c1-3e9f8a2d7c60'],
    },
    metadata,
  },
} satisfies Examples<typeof settlementAnswer>;

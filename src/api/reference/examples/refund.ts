import type { refundAnswer } from '../../../contract/answer-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';

export const refundMetadata = { order_id: 'INV-1001' };
export const refundReason = 'One of two chairs came back';

/** The refund of the examples, and the payment that it gives back. */
export const REFUND_ID = '0c8a4f0e-6f3b-5d0d-9d52-0f1f6f0c9a11';
export const REFUNDED_ID = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';

export const REFUND_REFERENCE = 'PO7M4K2Z9QX1C8T5VB';

export const refundBodies = {
  part: { amount: 2000, reason: refundReason, metadata: refundMetadata },
  all_that_is_left: {},
  one_payment_of_a_bill: { receipt: 'CKL6A1B2C3' },
};

export const refundAnswers = {
  accepted: {
    success: true,
    message: 'The refund has been accepted',
    balance: { current: 1997700, reserved: 2300 },
    transaction_id: REFUND_ID,
    refund_of: REFUNDED_ID,
    status: 'initiated',
    amount: { value: 2000, currency: 'TZS', fee: 300 },
    metadata: refundMetadata,
  },
} satisfies Examples<typeof refundAnswer>;

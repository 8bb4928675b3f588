import assert from 'node:assert/strict';
import { listItem, presentEntries, presentPayment } from '../../src/api/payments/present.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import { minor } from '../../src/domain/money.ts';
import type { MerchantTransaction, TransactionOf } from '../../src/domain/transaction.ts';
import { bank, created, mobile, now, payment, settled } from './support/transactions.ts';

const lookupOf = (transaction: TransactionOf<'ussd'>) =>
  JSON.parse(writeAnswer(presentPayment(transaction, now), 'en')).payment;

/** The examples of the reference are lookups, too (test/e2e/examples.test.ts): here is what they do not show. */
describe('lookups of payments', () => {
  it('shows the reference we sent where a failed one has none of the channel', () => {
    const ending = { status: 'failed', event: 'payment.failed', failureCode: 'customer_declined' } as const;
    const { channel, failure_reason, fee } = lookupOf({ ...payment, ...ending });
    assert.deepEqual(channel, { name: 'M-PESA', reference: payment.reference });
    assert.deepEqual([failure_reason, fee], ['Customer declined the payment', undefined]);
  });

  it('shows a cancelled one with a status_reason and no failure_reason', () => {
    const cancelled = { status: 'cancelled', event: 'payment.failed', handedOverAt: null } as const;
    const { status_reason, failure_reason } = lookupOf({ ...payment, ...cancelled });
    assert.deepEqual([status_reason, failure_reason], ["Cancelled at the merchant's request", undefined]);
  });

  const reasons: [Partial<typeof payment>, string][] = [
    [{}, 'Waiting for the customer to enter the PIN, until 2026-11-20T08:20:30Z'],
    [{ handedOverAt: null, promptExpiresAt: null }, 'The customer is being asked to confirm the payment'],
    [
      { isUnclear: true },
      'It is not clear whether the network took the request; the customer may have paid; the network is being asked',
    ],
    [
      { isUnclear: true, nextEnquiryAt: '2026-11-20T08:16:30.000000Z' },
      'It is not clear whether the network took the request; the customer may have paid; next enquiry at 2026-11-20T08:16:30Z',
    ],
    [
      { promptExpiresAt: '2026-11-20T08:15:59.000000Z' },
      'The network has not confirmed yet; it is being asked',
    ],
    [
      { promptExpiresAt: '2026-11-20T08:15:59.000000Z', nextEnquiryAt: '2026-11-20T08:16:30.000000Z' },
      'The network has not confirmed yet; next enquiry at 2026-11-20T08:16:30Z',
    ],
    [{ attention: true }, 'The outcome is not clear yet; a person is looking into it'],
  ];
  for (const [change, reason] of reasons)
    it(`says: ${reason}`, () => assert.equal(lookupOf({ ...payment, ...change }).status_reason, reason));
});

describe('list items and entries', () => {
  const itemOf = (transaction: MerchantTransaction) => JSON.parse(writeAnswer(listItem(transaction), 'en'));

  it('shows a failed payout with its own reference as the channel reference, and no fee', () => {
    const failed = { status: 'failed', event: 'payout.failed', failureCode: 'recipient_not_found' } as const;
    const { channel, reference, amount, failure_reason } = itemOf({ ...mobile, ...failed });
    assert.deepEqual([channel.reference, reference], [mobile.reference, mobile.reference]);
    assert.deepEqual([amount, failure_reason], [{ value: '50,000.00' }, 'Recipient phone number is invalid']);
  });

  it('shows a paid bank payout under the name of its bank', () => {
    const paid = { status: 'paid', event: 'payout.completed', paidAt: settled } as const;
    const { channel, paid_at } = itemOf({ ...bank, ...paid, channelReference: 'FT26324XQ81' });
    assert.deepEqual([channel, paid_at], [{ name: 'crdb_bank', reference: 'FT26324XQ81' }, settled]);
  });

  it('shows settled of a completed payment, and its reference as null', () => {
    const completed = { status: 'completed', event: 'payment.received', settled: minor(490_000) } as const;
    const { amount, reference } = itemOf({ ...payment, ...completed });
    assert.deepEqual([amount.settled, reference], ['4,900.00', null]);
  });

  it('shows entries with their sign', () => {
    const entry = { kind: 'hold', account: 'available', amount: minor(-5_100_000), currency: 'TZS' } as const;
    const transferId = '8d0f3a52-6d1f-5a0e-9a57-2f0a5d1c7e10';
    const shown = writeAnswer(
      presentEntries(mobile.id, [{ ...entry, transferId, createdAt: created }]),
      'en',
    );
    assert.deepEqual(JSON.parse(shown).entries, [
      {
        transfer_id: transferId,
        kind: 'hold',
        account: 'available',
        amount: '-51,000.00',
        created_at: created,
      },
    ]);
  });
});

import assert from 'node:assert/strict';
import { listItem, presentEntries, presentPayment } from '../../src/api/payments/present.ts';
import { paymentAnswers } from '../../src/api/reference/examples/payment.ts';
import { entriesAnswers, listAnswers } from '../../src/api/reference/examples/transaction.ts';
import { writeAnswer } from '../../src/contract/json-of.ts';
import { minor } from '../../src/domain/money.ts';
import type { RefundSummary } from '../../src/domain/refund.ts';
import type {
  CollectionTransaction,
  MerchantTransaction,
  TransactionOf,
} from '../../src/domain/transaction.ts';
import { assertSame, bank, created, mobile, now, payment, settled } from './support/transactions.ts';

function assertPayment(
  transaction: CollectionTransaction,
  published: Record<string, unknown> & { receipt_url?: string | undefined },
  refunds: RefundSummary[] = [],
) {
  const addresses = { receipt: published.receipt_url };
  assertSame(writeAnswer(presentPayment(transaction, now, [], refunds, addresses), 'en'), published);
}

/** What is published is what is answered. */
describe('lookups of payments', () => {
  const final = { updatedAt: settled, statusAt: settled };
  const completed: TransactionOf<'ussd'> = {
    ...payment,
    ...final,
    settled: minor(490_000),
    fullName: 'ASHA JUMA',
    status: 'completed',
    event: 'payment.received',
    channelReference: 'CKL5T8Q2WX',
  };
  const { pending } = paymentAnswers;

  it('shows a pending one with what it waits for', () => assertPayment(payment, pending));

  it('shows fee and settled only when completed', () => assertPayment(completed, paymentAnswers.completed));

  it('shows its refunds, and what they gave back', () => {
    const refunds = (paymentAnswers.partly_refunded.payment.refunds ?? []).map(
      ({ transaction_id: id, status, created_at: createdAt }) =>
        ({ id, status, amount: minor(200_000), createdAt }) as RefundSummary,
    );
    assert.equal(refunds.length, 1);
    assertPayment({ ...completed, refunded: minor(200_000) }, paymentAnswers.partly_refunded, refunds);
  });

  it('shows why a failed one failed, and the reference we sent where the channel gave none', () => {
    const { failed } = paymentAnswers;
    const ending = { status: 'failed', event: 'payment.failed', failureCode: 'customer_declined' } as const;
    const declined = { ...payment, ...final, ...ending };
    assertPayment({ ...declined, channelReference: 'CKL5T8Q3AB' }, failed);
    const channel = { name: 'M-PESA', reference: payment.reference };
    assertPayment(declined, { ...failed, payment: { ...failed.payment, channel } });
  });

  it('shows a cancelled one with a status_reason and no failure_reason', () => {
    assertPayment(
      { ...payment, ...final, status: 'cancelled', event: 'payment.failed', handedOverAt: null },
      paymentAnswers.cancelled,
    );
  });

  const reasons: [Partial<typeof payment>, string][] = [
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
  for (const [change, reason] of reasons) {
    const shown = { ...pending, payment: { ...pending.payment, status_reason: reason } };
    it(`says: ${reason}`, () => assertPayment({ ...payment, ...change }, shown));
  }
});

describe('list items and entries', () => {
  const [bankPayout, failedPayout, push] = listAnswers.transactions.data;
  const assertItem = (transaction: MerchantTransaction, published: object | undefined) => {
    assert.ok(published);
    assertSame(writeAnswer(listItem(transaction), 'en'), published);
  };
  /** When it was accepted and changed, and the receipt, as published. */
  const factsOf = (item: typeof push) => ({
    createdAt: item?.created_at ?? '',
    updatedAt: item?.updated_at ?? '',
    channelReference: item?.channel.reference ?? null,
  });

  it('shows a failed payout with its own reference as the channel reference, and no fee', () => {
    const { transaction_id: id = '', reference } = failedPayout ?? {};
    const failed = { status: 'failed', event: 'payout.failed', failureCode: 'recipient_not_found' } as const;
    const own = { id, reference: reference ?? '', fullName: null, metadata: '{}' };
    assertItem(
      { ...mobile, ...failed, ...own, ...factsOf(failedPayout), channelReference: null },
      failedPayout,
    );
  });

  it('shows a paid bank payout under the name of its bank', () => {
    const paid = { status: 'paid', event: 'payout.completed', paidAt: bankPayout?.paid_at ?? null } as const;
    assertItem({ ...bank, ...paid, ...factsOf(bankPayout) }, bankPayout);
  });

  it('shows settled of a completed payment, and its reference as null', () => {
    const completed = { status: 'completed', event: 'payment.received', settled: minor(490_000) } as const;
    assertItem({ ...payment, ...completed, ...factsOf(push), fullName: 'ASHA JUMA' }, push);
  });

  it('shows entries with their sign', () => {
    const published = entriesAnswers.paid_payout;
    const [hold] = published.entries;
    const entry = { kind: 'hold', account: 'available', amount: minor(-5_100_000), currency: 'TZS' } as const;
    const entries = [{ ...entry, transferId: hold?.transfer_id ?? '', createdAt: created }];
    assertSame(writeAnswer(presentEntries(mobile.id, entries), 'en'), { ...published, entries: [hold] });
  });
});

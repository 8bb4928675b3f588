import { earlier, failed, handed, is, later, paid, type Row, released } from './situations.ts';

/** Every state of the world of a push. */
export const push: Row[] = [
  is('not_sent', {})`
    It is pending: M-PESA has not been asked for the prompt yet
    With the customer: nothing was taken
    M-PESA is asked as soon as possible; if that takes too long, it fails and nothing is taken`,
  is('prompted', { transaction: { ...handed, promptExpiresAt: later, nextEnquiryAt: later } })`
    It is pending: the customer has the prompt until 2027-01-31T10:04:00Z
    With the customer, until the PIN is entered
    M-PESA reports what the customer did. M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('sent', { transaction: handed })`
    It is pending: M-PESA has the request but has not reported the outcome
    With the customer or on its way to us: nobody knows yet
    M-PESA is asked if it does not report`,
  is('asking', { transaction: { ...handed, promptExpiresAt: earlier, nextEnquiryAt: earlier } })`
    It is pending: M-PESA has not reported the outcome
    With the customer or on its way to us: nobody knows yet. It may have been paid
    M-PESA is being asked now`,
  is('asking', { transaction: { ...handed, isUnclear: true, promptExpiresAt: later, nextEnquiryAt: later } })`
    It is pending: M-PESA has not reported the outcome
    With the customer or on its way to us: nobody knows yet. It may have been paid
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('unknown', { transaction: { ...handed, nextEnquiryAt: later }, reasons: ['unknown_outcome'] })`
    It is pending: M-PESA did not answer in time
    With the customer or with us: nobody knows. Nothing was credited to the merchant
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('odd_money', { transaction: { ...handed, nextEnquiryAt: later }, reasons: ['wrong_amount'], odd: [{}] })`
    It is pending: M-PESA moved other money, not the 5,000.00 TZS that we asked for
    Nothing was credited to the merchant
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('odd_money', {
    transaction: { ...handed, nextEnquiryAt: later },
    reasons: ['unknown_outcome'],
    odd: [{ release: { ...released, kind: 'suspense_release' } }],
  })`
    It is pending: M-PESA moved other money, not the 5,000.00 TZS that we asked for
    Nothing was credited to the merchant except what two operators released
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('decided', { transaction: handed, reasons: ['unknown_outcome'], decision: {} })`
    It is pending: asha and juma decided that it is paid
    Nothing was credited to the merchant yet
    Its workflow reads the decision within seconds, or with the next sweep`,
  is('stopped', { transaction: handed, reasons: ['broken'] })`
    It is pending, but its workflow makes no progress
    With the customer or on its way to us. Nothing was credited to the merchant
    The sweep retries it once an hour`,
  is('succeeded', { transaction: paid })`
    It is completed: 0754123456 paid 5,000.00 TZS (receipt CKL5)
    With the merchant: 4,900.00 TZS was credited, 100.00 TZS is our fee
    Nothing more happens`,
  is('contradicted', { transaction: paid, reasons: ['conflicting_failure'] })`
    It is completed, but M-PESA reported a failure afterwards
    With the merchant: 4,900.00 TZS was credited, 100.00 TZS is our fee
    A person asks the channel's support which of its answers is true (docs/operations/conflicting-failure.md)`,
  is('decided_success', { transaction: paid, decision: { appliedAt: earlier } })`
    It is completed: asha and juma decided that it is paid
    With the merchant: 4,900.00 TZS was credited, 100.00 TZS is our fee
    M-PESA is asked for a week whether the decision was right`,
  is('failed', { transaction: failed })`
    It is failed: customer_declined, Customer declined the payment
    With the customer: nothing was taken
    Nothing more happens`,
  is('moved_late', { transaction: failed, reasons: ['late_success'], odd: [{}] })`
    It is failed (customer_declined), but M-PESA took the customer's money anyway
    Nothing was credited to the merchant for it
    Two operators decide where the money in suspense goes (docs/operations/suspense.md)`,
  is('moved_late', { transaction: failed, odd: [{ release: { ...released, kind: 'suspense_release' } }] })`
    It is failed (customer_declined), but M-PESA took the customer's money anyway
    Nothing was credited to the merchant except what two operators released for it
    Nothing more happens`,
  is('decided_failure', {
    transaction: { ...failed, failureCode: 'network_error' },
    decision: { outcome: 'failed', appliedAt: earlier, answer: 'confirmed' },
  })`
    It is failed: asha and juma decided that it is failed, and M-PESA confirmed it
    With the customer, as operators decided. Nothing was credited to the merchant
    Nothing more happens`,
  is('cancelled', { transaction: { status: 'cancelled' } })`
    The merchant cancelled it before the customer was asked
    With the customer: nothing was taken
    Nothing more happens`,
];

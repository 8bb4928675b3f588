import { minor } from '../../src/domain/money.ts';
import { earlier, failed, handed, is, later, type Row, released, sentOut } from './situations.ts';

const HELD = "Held: 5,100.00 TZS of the merchant's balance";
const BACK = 'With the merchant: 5,100.00 TZS is back in the available balance';
/** Every state of the world of a payout. */
export const payout: Row[] = [
  is('not_sent', {})`
    It is pending: M-PESA has not been asked to pay yet
    ${HELD}
    M-PESA is asked as soon as possible; if that takes too long, it fails and the money goes back`,
  is('waiting', { transaction: { waitsUntil: later } })`
    It is pending: M-PESA is not available, and it waits until 2027-01-31T10:04:00Z
    ${HELD}
    M-PESA is asked when it works again; after that time it fails and the money goes back`,
  is('sent', { transaction: handed })`
    It is pending: M-PESA has the order but has not confirmed it
    ${HELD}; the recipient may have it already
    M-PESA is asked if it does not report`,
  is('asking', { transaction: { ...handed, nextEnquiryAt: later } })`
    It is pending: M-PESA has not reported the outcome
    ${HELD}; the recipient may have it already
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('unknown', { transaction: { ...handed, nextEnquiryAt: later }, reasons: ['unknown_outcome'] })`
    It is pending: M-PESA did not answer in time
    ${HELD}; nobody knows whether the recipient has it
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('odd_money', { transaction: { ...handed, nextEnquiryAt: later }, odd: [{}] })`
    It is pending: M-PESA moved other money, not the 5,000.00 TZS that we ordered
    ${HELD}
    M-PESA is asked again at 2027-01-31T10:04:00Z`,
  is('decided', { transaction: handed, decision: { outcome: 'failed' } })`
    It is pending: asha and juma decided that it is failed
    ${HELD}
    Its workflow reads the decision within seconds, or with the next sweep`,
  is('stopped', { transaction: handed, reasons: ['stuck'] })`
    It is pending, but its workflow makes no progress
    ${HELD}
    The sweep retries it once an hour`,
  is('succeeded', { transaction: sentOut })`
    It is paid: M-PESA paid 5,000.00 TZS to 0754123456 (receipt CKL5)
    With the recipient: 5,100.00 TZS was taken from the merchant, 100.00 TZS of it is our fee
    Nothing more happens`,
  is('returned', {
    transaction: { ...sentOut, returnedAt: earlier, returnReason: 'account closed' },
    reasons: ['returned'],
  })`
    It is paid, but it was sent back at 2027-01-31T09:58:00Z: account closed
    With the merchant again: 5,000.00 TZS is back in the available balance, our fee of 100.00 TZS is not
    Nothing more happens: it is not sent again`,
  is('contradicted', { transaction: sentOut, reasons: ['conflicting_failure'] })`
    It is paid, but M-PESA reported a failure afterwards
    Taken from the merchant: 5,100.00 TZS. Nobody knows whether the recipient has it
    A person asks the channel's support which of its answers is true (docs/operations/conflicting-failure.md)`,
  is('decided_success', { transaction: sentOut, decision: { appliedAt: earlier, answer: 'none' } })`
    It is paid: asha and juma decided that it is paid, and M-PESA never answered
    With the recipient, as operators decided: 5,100.00 TZS was taken from the merchant
    Nothing more happens`,
  is('failed', { transaction: { ...failed, failureCode: 'account_blocked' } })`
    It is failed: account_blocked, Wallet or account is barred or dormant
    ${BACK}
    Nothing more happens`,
  is('moved_late', { transaction: failed, odd: [{ amount: minor(-500_000), release: released }] })`
    It is failed (customer_declined), but M-PESA paid the recipient anyway
    ${BACK}
    Nothing more happens`,
  is('decided_failure', { transaction: failed, decision: { outcome: 'failed', appliedAt: earlier } })`
    It is failed: asha and juma decided that it is failed
    ${BACK}
    M-PESA is asked for a week whether the decision was right`,
  is('cancelled', { transaction: { status: 'cancelled' } })`
    The merchant cancelled it before it was sent
    ${BACK}
    Nothing more happens`,
];

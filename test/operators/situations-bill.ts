import { minor } from '../../src/domain/money.ts';
import { earlier, is, paid, type Row } from './situations.ts';
import { merchantsPaymentIn } from './transactions-in.ts';

const bill = (changes: object = {}) => ({ bill: merchantsPaymentIn(changes) });
const some = { paid: minor(200_000), payments: 2 };
const refunded = { refunded: minor(50_000) };
const less = '; 500.00 TZS of it went back to the payer, or is on its way';
/** Every state of the world of a bill or QR code. */
export const billed: Row[] = [
  is('unpaid', { transaction: bill() })`
    It is pending: nobody has paid control number 770000000012 (5,000.00 TZS)
    With the customer: nothing was taken
    It can be paid until 2027-01-31T10:04:00Z; then it fails as expired`,
  is('part_paid', { transaction: bill(some) })`
    It is pending: 2,000.00 TZS of 5,000.00 TZS is paid, 3,000.00 TZS is missing
    With the merchant: each payment was credited when it came, 2,000.00 TZS less our fees
    The rest can be paid until 2027-01-31T10:04:00Z; then it ends as partially paid, and the merchant keeps what was paid`,
  is('part_paid', { transaction: { ...bill(some), ...refunded } })`
    It is pending: 2,000.00 TZS of 5,000.00 TZS is paid, 3,000.00 TZS is missing
    With the merchant: each payment was credited when it came, 2,000.00 TZS less our fees${less}
    The rest can be paid until 2027-01-31T10:04:00Z; then it ends as partially paid, and the merchant keeps what was paid`,
  is('closing', { transaction: bill({ ...some, expiresAt: earlier }) })`
    It is pending: the time to pay it is over, and it is being closed
    What was paid in time (2,000.00 TZS) was credited to the merchant, less our fees
    Its workflow ends it within seconds; if the amount of a payment cannot be read, two operators must set it first`,
  is('stopped', { transaction: bill(some), reasons: ['overdue'] })`
    It is pending, but its workflow makes no progress
    What was paid (2,000.00 TZS) was credited to the merchant, less our fees
    The sweep retries it once an hour`,
  is('succeeded', { transaction: { ...paid, ...bill({ paid: minor(500_000), payments: 1 }) } })`
    It is completed: control number 770000000012 received 5,000.00 TZS, the last payment from 0754123456 (receipt CKL5)
    With the merchant: 4,900.00 TZS was credited, 100.00 TZS is our fee
    Nothing more happens`,
  is('expired', { transaction: { status: 'failed', failureCode: 'expired', ...bill() } })`
    It is failed: expired, Not paid before it expired. Nobody paid control number 770000000012 in time
    With the customer: nothing was taken
    Nothing more happens`,
  is('expired_part_paid', {
    transaction: { status: 'failed', failureCode: 'expired_partially_paid', ...bill(some) },
  })`
    It is failed: expired_partially_paid, Paid only in part before it expired. 2,000.00 TZS of 5,000.00 TZS was paid
    With the merchant, who keeps what was paid: 2,000.00 TZS less our fees
    Nothing more happens`,
  is('expired_part_paid', {
    transaction: { status: 'failed', failureCode: 'expired_partially_paid', ...bill(some), ...refunded },
  })`
    It is failed: expired_partially_paid, Paid only in part before it expired. 2,000.00 TZS of 5,000.00 TZS was paid
    With the merchant, who keeps what was paid: 2,000.00 TZS less our fees${less}
    Nothing more happens`,
  is('cancelled', { transaction: { status: 'cancelled', ...bill() } })`
    The merchant cancelled it before anybody paid control number 770000000012
    With the customer: nothing was taken
    Nothing more happens`,
];

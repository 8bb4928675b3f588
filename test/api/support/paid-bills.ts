import type { BillPayment } from '../../../src/domain/bill.ts';
import { minor } from '../../../src/domain/money.ts';
import type { TransactionOf } from '../../../src/domain/transaction.ts';
import { bill } from './transactions.ts';

/** A flexible bill while and after it is paid. */
export const PAID = '2026-11-21T10:00:01.000412Z';
export const COMPLETED = '2026-11-22T09:17:44.310009Z';

const flexibleOf = (paid: number, payments: number): TransactionOf<'billpay'> => ({
  ...bill,
  id: '3b161423-163b-581c-afc4-20dfe84202ba',
  event: payments > 0 ? 'payment.received' : 'payment.pending',
  amount: minor(1_250_050),
  metadata: '{}',
  bill: {
    ...bill.bill,
    controlNumber: '770000000058',
    paymentNumber: 'INV-2002',
    mode: 'flexible',
    paid: minor(paid),
    payments,
  },
});

export const first: BillPayment = {
  number: 1,
  channel: 'm-pesa',
  receipt: 'CKL6A1B2C3',
  amount: minor(1_000_000),
  fee: minor(15_000),
  msisdn: '255754123456',
  fullName: 'ASHA JUMA',
  receivedAt: PAID,
};
export const last: BillPayment = {
  number: 2,
  channel: 'airtel-money',
  receipt: 'AM261122.0917.K00231',
  amount: minor(300_000),
  fee: minor(4_500),
  msisdn: '255784555666',
  fullName: null,
  receivedAt: COMPLETED,
};
export const partlyPaid: TransactionOf<'billpay'> = {
  ...flexibleOf(1_000_000, 1),
  channel: first.channel,
  channelReference: first.receipt,
  msisdn: first.msisdn,
  fullName: first.fullName,
  fee: first.fee,
  updatedAt: PAID,
};
export const completed: TransactionOf<'billpay'> = {
  ...flexibleOf(1_300_000, 2),
  status: 'completed',
  channel: last.channel,
  channelReference: last.receipt,
  msisdn: last.msisdn,
  fee: minor(19_500),
  settled: minor(1_280_500),
  updatedAt: COMPLETED,
  statusAt: COMPLETED,
};

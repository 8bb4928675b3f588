import type { Bill } from '../../src/domain/bill.ts';
import { kinds, type Mode } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';
import type { Transaction } from '../../src/domain/transaction.ts';

/** A bill of 5,000.00 TZS that nobody has paid, for pure tests. */
export function merchantsPaymentIn(changes: Partial<Bill> = {}): Bill & { paymentNumber: string } {
  return {
    controlNumber: '770000000012',
    mode: 'flexible',
    description: null,
    paid: minor(0),
    payments: 0,
    expiresAt: '2027-01-31T10:04:00.000000Z',
    ...changes,
    paymentNumber: 'INV-1',
  };
}

/** A pending transaction of 5,000.00 TZS of this mode, as Postgres would give it, for pure tests. */
export function transactionIn(mode: Mode, changes: Record<string, unknown> = {}): Transaction {
  const parties = {
    wallet: { msisdn: '255754123456', fullName: null },
    payer: { msisdn: '255754123456', fullName: null },
  };
  const bank = { bic: 'CORUTZTZ', accountNumber: '0150123456789', fullName: 'Asha Juma' };
  const { party, isBilled } = kinds[mode];
  return {
    id: '9f4de4a5-8c1f-5d31-9d3c-0d2f6b9f4c11',
    mode,
    status: 'pending',
    amount: minor(500_000),
    fee: minor(10_000),
    settled: null,
    currency: 'TZS',
    channel: party === 'bank' || party === 'own' ? 'bank' : 'm-pesa',
    channelReference: null,
    failureCode: null,
    handedOverAt: null,
    isUnclear: false,
    promptExpiresAt: null,
    nextEnquiryAt: null,
    waitsUntil: null,
    returnedAt: null,
    returnReason: null,
    refunded: null,
    ...(party === 'bank' || party === 'own' ? bank : parties[party]),
    ...(isBilled ? { bill: merchantsPaymentIn() } : {}),
    ...changes,
  } as unknown as Transaction;
}

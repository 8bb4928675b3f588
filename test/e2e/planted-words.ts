import { randomBytes } from 'node:crypto';

const word = (name: string) => `${name}${randomBytes(5).toString('hex')}`;
/** A number nobody else has, whose ending says what the simulator does with it. */
const wallet = (ending: string) => `754${String(100 + Math.floor(Math.random() * 899))}${ending}`;

/** Planted in every place where merchants, customers and channels can put something; none may be found again. */
export const planted = {
  paid: wallet('456'),
  declined: wallet('039'),
  lostAnswer: wallet('149'),
  serverError: wallet('159'),
  wrongAmount: wallet('209'),
  repeated: wallet('179'),
  payout: wallet('456'),
  payoutRefused: wallet('049'),
  previewed: wallet('456'),
  rowRefused: wallet('457'),
  valueRefused: wallet('458'),
  settleRefused: wallet('459'),
  malformed: wallet('460'),
  account: `0150${Math.floor(1e8 + Math.random() * 8e8)}`,
  fullName: word('Neema'),
  rowName: word('Juma'),
  beneficiaryPhone: `71${Math.floor(1e6 + Math.random() * 8e6)}`,
  metadataKey: word('key'),
  metadataValue: word('value'),
  description: word('description'),
  paymentNumber: word('INV'),
  billCustomer: word('Customer'),
  idempotencyKey: word('idem'),
  fieldName: word('field'),
  fieldValue: word('wrong'),
  brokenJson: word('json'),
  query: word('query'),
  path: word('path'),
  wrongKey: word('wrongkey'),
  basic: word('basic'),
  header: word('header'),
  callbackUser: word('user'),
  callbackPassword: word('pass'),
  callbackPath: word('hook'),
  callbackQuery: word('token'),
  passphrase: word('passphraseOfTheShop'),
  doorToken: word('door'),
  doorBody: word('body'),
  bankWords: word('Bank'),
};

/** What the API is asked about with every planted word, whether it works or not. */
export type Call = [method: string, where: string, body?: unknown, headers?: Record<string, string>];

export function calls(): Call[] {
  const push = (number: string) => ({
    amount: 5_000,
    currency: 'TZS',
    phone_number: `0${number}`,
    metadata: { [planted.metadataKey]: planted.metadataValue },
  });
  const bank = { amount: 9_000, currency: 'TZS', account_number: planted.account, bic: 'CORUTZTZ' };
  const beneficiary = { full_name: planted.fullName, phone_number: `255${planted.beneficiaryPhone}` };
  const bill = { amount: 5_000, currency: 'TZS', description: planted.description, payment_mode: 'exact' };
  const payer = { customer_name: planted.billCustomer, customer: { name: planted.billCustomer } };
  const { paid, declined, lostAnswer, serverError, wrongAmount, repeated, malformed, wrongKey } = planted;
  return [
    ...[paid, declined, lostAnswer, serverError, wrongAmount, repeated].map(
      (number): Call => ['POST', 'payments/ussd', push(number)],
    ),
    ...[planted.rowRefused, planted.valueRefused, planted.settleRefused].map(
      (number): Call => ['POST', 'payments/ussd', push(number)],
    ),
    ['POST', 'payouts/mobile', push(planted.payout)],
    ['POST', 'payouts/mobile', push(planted.payoutRefused)],
    ['POST', 'payouts/mobile', { ...push(planted.payout), amount: 299_999 }],
    ['POST', 'payouts/mobile/preview', push(planted.previewed)],
    ['POST', 'payouts/bank/preview', { ...bank, beneficiary }],
    ['POST', 'payouts/bank', { ...bank, beneficiary }],
    ['POST', 'payouts/bank', { ...bank, beneficiary: { full_name: planted.rowName } }],
    ['POST', 'payments/billpay', { ...bill, ...payer, payment_number: planted.paymentNumber }],
    ['POST', 'payments/billpay', { ...bill, ...payer, payment_number: planted.paymentNumber, amount: 1 }],
    ['POST', 'payments/qr', { amount: 5_000, currency: 'TZS', description: planted.description }],
    ['POST', 'payments/ussd', { ...push(malformed), amount: planted.fieldValue, [planted.fieldName]: 1 }],
    ['POST', 'payments/ussd', { ...push(malformed), metadata: planted.metadataValue }],
    ['GET', `transactions?reference=${planted.query}&phone_number=0${paid}&unknown=${planted.query}`],
    ['GET', `payments/${planted.path}`],
    ['GET', `nowhere/${planted.path}?q=${planted.query}`],
    ['GET', 'balance', undefined, { authorization: `Bearer sk_test_${wrongKey}_${wrongKey}` }],
    ['GET', 'balance', undefined, { authorization: `Basic ${planted.basic}` }],
    ['GET', 'balance', undefined, { cookie: planted.header, 'x-forwarded-for': planted.header }],
    ['POST', 'callbacks/test'],
  ];
}

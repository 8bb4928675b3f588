/** The requests of the examples. A walk changes one thing of them. */

export const push = {
  amount: 5000,
  currency: 'TZS',
  phone_number: '0754123456',
  metadata: { order_id: 'INV-1001', note: 'Two chairs' },
};
export const exactBill = {
  amount: 25000,
  payment_number: 'INV-2001',
  payment_mode: 'exact',
  description: 'School fees, term 1',
  metadata: { order_id: 'INV-2001', customer_note: 'School fees, term 1' },
};
export const flexibleBill = {
  amount: 12500.5,
  payment_number: 'INV-2002',
  payment_mode: 'flexible',
  description: 'Club membership',
};
export const qr = { amount: 15000, currency: 'TZS', description: 'Order INV1001', metadata: {} };
export const pupil = {
  customer_reference: 'PUPIL-0117',
  description: 'School fees of Asha Juma',
  minimum: 10000,
  metadata: { class: 'Form 2 B' },
};
export const wallet = {
  amount: 50000,
  currency: 'TZS',
  phone_number: '0754123456',
  metadata: { order_id: 'WD-3001', note: 'Withdrawal' },
};
export const account = {
  amount: 400000,
  currency: 'TZS',
  account_number: '0150123456789',
  bic: 'CORUTZTZ',
  beneficiary: { full_name: 'Asha Juma', phone_number: '0754123456' },
  metadata: { order_id: 4001, notes: 'November rent' },
};
export const partBack = {
  amount: 2000,
  reason: 'One of two chairs came back',
  metadata: { order_id: 'INV-1001' },
};
export const salaries = {
  batch_number: 'SALARIES-2026-11',
  items: [
    {
      phone_number: '0754123456',
      full_name: 'Asha Juma',
      amount: 250000,
      currency: 'TZS',
      reference: 'EMP-017',
    },
    {
      account_number: '0150123456039',
      bic: 'CORUTZTZ',
      full_name: 'Juma Ali',
      amount: 400000,
      currency: 'TZS',
    },
  ],
};
/** A spreadsheet of a merchant, with a mistake. */
export const sheet = 'Namba ya simu,Kiasi,Idara\r\n0754123456,250000,Fedha\r\n0754123,5.000,Fedha\r\n';

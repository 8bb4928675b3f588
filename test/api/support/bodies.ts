/** The smallest requests that are right, as merchants send them: tests change one thing of them. */
export const push = { amount: 5_000, currency: 'TZS', phone_number: '0754123456' };

export const mobile = { amount: 50_000, currency: 'TZS', phone_number: '0754123456' };

export const bank = {
  amount: 400_000,
  currency: 'TZS',
  account_number: '0150123456789',
  bic: 'CORUTZTZ',
  beneficiary: { full_name: 'Asha Juma' },
};

/** One of a batch. */
export const bankRow = { ...bank, beneficiary: undefined, full_name: 'Juma Ali' };

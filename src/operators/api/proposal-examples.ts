const account = '6f1c2a34-9d58-4e0b-8f77-2b9a4c1d3e5f';
const fingerprint = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const item = {
  item: 'si_2f0c9b7e51d4',
  receipt: 'QK71H2ZP9X',
  amount: 5_000_000,
  currency: 'TZS',
  note: 'paid twice, ticket 812',
};

const line = { line: 'ln_4811', amount: -1_200_000, currency: 'TZS', note: 'maintenance fee of November' };

const examples: Record<string, [reason: string, payload: object]> = {
  'accounts.top-up': [
    'bank statement of this morning',
    { account_id: account, amount: 250_000_000, currency: 'TZS', reference: 'CRDB 4417/93' },
  ],
  'accounts.withdraw': [
    'the merchant asked for it, ticket 640',
    {
      account_id: account,
      amount: 100_000_000,
      currency: 'TZS',
      reference: 'CRDB 4418/07',
      note: 'to account 0150 of the merchant',
    },
  ],
  'attention.decide': [
    'the bank answered by e-mail, ticket 701',
    { transaction_id: '0b5f6d1c-3a77-5e21-9c40-8d2e6f4a1b93', outcome: 'paid', note: 'ticket 701' },
  ],
  'callbacks.set': [
    'the merchant asked for it by telephone, called back, ticket 388',
    { key_id: '4Fq81ZbnR0tx', url: 'https://shop.example/callbacks' },
  ],
  'callbacks.resend': [
    'their receiver was down, ticket 391',
    {
      account_id: account,
      from: '2026-11-19T21:00:00.000Z',
      to: '2026-11-20T09:00:00.000Z',
      states: ['failed', 'no_url'],
    },
  ],
  'channels.live-send': ['the first day at M-Pesa, ticket 21', { account_id: account, number: '0754123456' }],
  'channels.open': ['the network says that it is back', { channel: 'm-pesa', services: ['payouts'] }],
  'limits.set': [
    'the merchant grows, ticket 455',
    { account_id: account, limits: { payout_max: 100_000_000, payouts_per_day: null } },
  ],
  'fees.set': [
    'the contract of this year, ticket 512',
    {
      account_id: account,
      fees: { ussd: { tiers: [{ from: 0, to: null, fixed: 0, basis_points: 150, min: 10, max: 5_000 }] } },
      effective_from: '2027-01-01T00:00:00+03:00',
    },
  ],
  'settlement.set': [
    'the merchant asked for it by letter, ticket 655',
    {
      account_id: account,
      bank: { bic: 'CORUTZTZ', account_number: '0150123456789', full_name: 'Duka la Mama Asha Ltd' },
      days: ['mon', 'thu'],
      keep: 100_000_00,
      smallest: 50_000_00,
      cap: 20_000_000_00,
    },
  ],
  'accounts.display-name': [
    'as its certificate of registration says, ticket 901',
    { account_id: account, display_name: 'Shule ya Msingi Uhuru' },
  ],
  'accounts.batches': [
    'one person does the books there, ticket 907',
    { account_id: account, need_another: false },
  ],
  'accounts.unfreeze': [
    'the stolen laptop was found, ticket 230',
    { account_id: account, key_id: '4Fq81ZbnR0tx' },
  ],
  'keys.create': [
    'a new shop, ticket 118',
    {
      key: 'sk_live_4Fq81ZbnR0tx',
      fingerprint,
      account_id: account,
      scopes: ['payments:write', 'payments:read'],
      label: 'till of the shop',
      expires_at: '2099-12-31T00:00:00Z',
      allowed_ips: ['192.0.2.0/24'],
    },
  ],
  'keys.rotate': ['a year is over', { key: 'sk_live_4Fq81ZbnR0tx', fingerprint }],
  'fence.lift': [
    'three top-ups are made again by hand, ticket 900',
    { closed_at: '2030-01-31T08:15:00.000000Z', missing: 3 },
  ],
  'operators.roles': ['joined the desk', { operator: 'neema', roles: ['support'] }],
  'operators.token': [
    'joined the desk',
    { operator: 'neema', token_id: '7Hs20KpmQ4wy', fingerprint, days: 30 },
  ],
  'statements.correct': [
    'a fee was taken twice, ticket 333',
    {
      account_id: account,
      line: 1841,
      amount: 150_000,
      currency: 'TZS',
      reference: 'ticket 333',
      note: 'Fee of payment 1841 given back',
    },
  ],
  'suspense.to-merchant': ['the merchant delivered, ticket 812', { ...item, account_id: account }],
  'suspense.to-bill': ['paid on the page while the bill was open, ticket 812', item],
  'suspense.given-back': ['seen in the portal of the network', { ...item, return_receipt: 'QK82J0AB1C' }],
  'suspense.write-off': ['nobody has asked for it in a year', item],
  'lines.charge': ['the monthly fee, as their tariff says', line],
  'lines.sweep': ['the working account was moved to the bank', { ...line, line: 'ln_4812' }],
  'lines.own': ['the directors put in the float', { ...line, line: 'ln_4813', amount: 500_000_000_00 }],
  'lines.ours': ['the network confirms that it never had it', { ...line, line: 'en_90211' }],
  'lines.stands': ['the network says that its first list was right', { ...line, line: 'ln_4814' }],
  'days.close': ['every line is explained', { account: 'm-pesa', day: '2026-11-24' }],
  'days.reopen': ['the network corrected its statement', { account: 'm-pesa', day: '2026-11-24' }],
  'statements.void': [
    'it was made in a spreadsheet',
    { statement: 'st_0f1e2d3c4b5a6978', note: 'not the file of the portal' },
  ],
  'suspense.to-payer': ['the payer called, ticket 812', item],
  'suspense.name-amount': ['the network says how much it was, ticket 813', item],
};

export const proposalExamples = Object.fromEntries(
  Object.entries(examples).map(([action, [reason, payload]]) => [action, { action, payload, reason }]),
);

/** The portal's side of M-Pesa OpenAPI v2 in Tanzania, from its text (test/fixtures/vodacom-openapi.json). */
export const ENVIRONMENTS = ['sandbox', 'openapi'] as const;
export const COUNTRY = 'TZN';

/** Every path ends with a slash. */
export const PATHS = {
  session: 'getSession/',
  collect: 'c2bPayment/singleStage/',
  payOut: 'b2cPayment/',
  reverse: 'reversal/',
  enquire: 'queryTransactionStatus/',
  name: 'queryBeneficiaryName/',
} as const;

export function contextPath(environment: (typeof ENVIRONMENTS)[number]): string {
  return `/${environment}/ipg/v2/vodacomTZN/`;
}

export const PATTERNS = {
  amount: /^(?:\d+|\d*\.\d+)$/,
  msisdn: /^\d{12,14}$/,
  serviceProviderCode: /^[0-9A-Za-z]{4,12}$/,
  transactionReference: /^[\w +]{1,20}$/,
  conversationId: /^[\w +]{1,40}$/,
  itemsText: /^[\w +]{1,256}$/,
  queryReference: /^[0-9A-Za-z]{1,32}$/,
} as const;

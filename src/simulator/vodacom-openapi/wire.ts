/** The portal's side of M-Pesa OpenAPI v2, market vodacomTZN, from its text (test/fixtures/vodacom-openapi.json). */
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

/** What the portal's text allows in each field. */
export const PATTERNS = {
  amount: /^\d*\.?\d+$/,
  msisdn: /^\d{12,14}$/,
  serviceProviderCode: /^[0-9A-Za-z]{4,12}$/,
  transactionReference: /^[\w +]{1,20}$/,
  conversationId: /^[\w +]{1,40}$/,
  itemsText: /^[\w +]{1,256}$/,
  queryReference: /^[0-9A-Za-z]{1,32}$/,
} as const;

export type Answer = {
  output_ResponseCode: string;
  output_ResponseDesc?: string;
  output_TransactionID?: string;
  output_ConversationID?: string;
  output_ThirdPartyConversationID?: string;
};
export type EnquiryAnswer = Answer & {
  output_ResponseTransactionStatus?: string;
  output_OriginalTransactionID?: string;
  output_Reversed?: string | boolean;
};
/** What an asynchronous application is sent. */
export type Result = {
  input_OriginalConversationID: string;
  input_ThirdPartyConversationID: string;
  input_ResultCode: string;
  input_ResultDesc?: string;
  input_TransactionID?: string;
};

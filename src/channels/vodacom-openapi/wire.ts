import { z } from 'zod';
import { flag, said, sentence } from '../kit/said.ts';

export const ENVIRONMENTS = ['sandbox', 'openapi'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Every path ends with a slash. */
export const PATHS = {
  session: 'getSession/',
  collect: 'c2bPayment/singleStage/',
  payOut: 'b2cPayment/',
  enquire: 'queryTransactionStatus/',
  name: 'queryBeneficiaryName/',
} as const;

const MARKET = 'vodacomTZN';
export const COUNTRY = 'TZN';

/** Returns the start of every API path: `/openapi/ipg/v2/vodacomTZN/`. */
export function contextPath(environment: Environment): string {
  return `/${environment}/ipg/v2/${MARKET}/`;
}

/** Callbacks come to these paths below PUBLIC_URL; the second has the account's `callback.token`. */
export const CALLBACK_PATH = '/channels/vodacom-openapi';
export const CALLBACK_PATHS = [CALLBACK_PATH, `${CALLBACK_PATH}/:token`] as const;

const text = said(512);

export const sessionAnswerSchema = z.object({
  output_ResponseCode: text,
  output_SessionID: said(512, 1),
});

/** This answers a payment. An asynchronous application's answer has no transaction id. */
export const answerSchema = z.object({
  output_ResponseCode: text,
  output_ResponseDesc: sentence,
  output_TransactionID: text.optional(),
  output_ConversationID: text.optional(),
  output_ThirdPartyConversationID: text.optional(),
});

/** INS-0 says only that the enquiry worked. The answer has no amount. */
export const enquiryAnswerSchema = answerSchema.extend({
  output_ResponseTransactionStatus: text.optional(),
  output_OriginalTransactionID: text.optional(),
  output_Reversed: z.union([flag, text]).optional(),
});
export type WireEnquiryAnswer = z.infer<typeof enquiryAnswerSchema>;

export const nameAnswerSchema = answerSchema.extend({
  output_CustomerFirstName: text.optional(),
  output_CustomerLastName: text.optional(),
});

/** The gateway in front of M-Pesa has its own errors, without a code. */
export const gatewayErrorSchema = z.object({ output_error: text, output_ResponseCode: z.never().optional() });

/** Nothing signs this message. */
export const callbackSchema = z.object({
  input_OriginalConversationID: text,
  input_ThirdPartyConversationID: text,
  input_ResultCode: text,
  input_ResultDesc: sentence,
  input_TransactionID: text.optional(),
});
export type WireCallback = z.infer<typeof callbackSchema>;

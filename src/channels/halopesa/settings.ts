import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { NAMESPACE } from './wire.ts';

const secret = z.string().min(1);

/** The one public integration answers HaloPesa's SOAP with JSON. */
const answers = z.strictObject({
  form: z.enum(['json', 'soap']).default('json'),
  /** the words of `responseType`; they are not public */
  success: z.string().min(1).default('SUCCESS'),
  error: z.string().min(1).default('ERROR'),
});
export type HalopesaAnswers = z.infer<typeof answers>;

const callback = z.strictObject({
  /** the secret at the end of our address; without it an operator must complete payments (no enquiry) */
  token: oneOrTwo(z.string().min(32)).optional(),
  /** the element with the paid amount; without it in a callback an operator decides */
  amountElement: z.string().min(1).default('Amount'),
  receiptElement: z.string().min(1).default('RequestID'),
});

/** Secrets are resolved here. */
export const halopesaSettings = z.strictObject({
  /** usually ends with `/ServiceAPI` */
  url: z.url({ protocol: /^https?$/ }),
  username: secret,
  password: secret,
  /** the last part of the checksum's text */
  secret,
  accountId: z.string().min(1),
  /** `business_no` */
  businessNumber: z.string().min(1),
  functionCode: z.string().min(1).default('ASYNC_PAYMENT_USSD_PUSH'),
  /** one source shows this namespace */
  namespace: z.string().min(1).default(NAMESPACE),
  callback: callback.prefault({}),
  answers: answers.prefault({}),
});
export type HalopesaSettings = z.infer<typeof halopesaSettings>;
export const defaultAnswers: HalopesaAnswers = answers.parse({});

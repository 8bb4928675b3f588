import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { NAMESPACE } from './wire.ts';

const secret = z.string().min(1);

/** The only public integration answers HaloPesa's SOAP with JSON. */
const answers = z.strictObject({
  form: z.enum(['json', 'soap']).default('json'),
  /** words of `responseType`, which are not public */
  success: z.string().min(1).default('SUCCESS'),
  error: z.string().min(1).default('ERROR'),
});
export type HalopesaAnswers = z.infer<typeof answers>;

const callback = z.strictObject({
  /** secret at the end of our address; absent: an operator completes payments (there is no enquiry) */
  token: oneOrTwo(z.string().min(32)).optional(),
  /** element with the paid amount; a callback without it needs an operator */
  amountElement: z.string().min(1).default('Amount'),
  receiptElement: z.string().min(1).default('RequestID'),
});

export const halopesaSettings = z.strictObject({
  /** it usually ends with `/ServiceAPI` */
  url: z.url({ protocol: /^https?$/ }),
  username: secret,
  password: secret,
  /** last part of the checksum's text */
  secret,
  accountId: z.string().min(1),
  /** `business_no` */
  businessNumber: z.string().min(1),
  functionCode: z.string().min(1).default('ASYNC_PAYMENT_USSD_PUSH'),
  /** namespace that one source shows */
  namespace: z.string().min(1).default(NAMESPACE),
  callback: callback.prefault({}),
  answers: answers.prefault({}),
});
export type HalopesaSettings = z.infer<typeof halopesaSettings>;
export const defaultAnswers: HalopesaAnswers = answers.parse({});

import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { NAMESPACE } from './wire.ts';

const secret = z.string().min(1);

/** How we answer what HaloPesa posts to us. The one integration that is public answers JSON to its SOAP. */
const answers = z.strictObject({
  form: z.enum(['json', 'soap']).default('json'),
  /** the words of `responseType`; they are not public */
  success: z.string().min(1).default('SUCCESS'),
  error: z.string().min(1).default('ERROR'),
});
export type HalopesaAnswers = z.infer<typeof answers>;

const callback = z.strictObject({
  /** the secret at the end of our address; without it no payment completes by itself (no enquiry) */
  token: oneOrTwo(z.string().min(32)).optional(),
  /** the element that says how much was paid; without one in the callback a person decides */
  amountElement: z.string().min(1).default('Amount'),
  /** the element that carries the network's number of the payment */
  receiptElement: z.string().min(1).default('RequestID'),
});

/** One account with HaloPesa. Secrets are here already resolved. */
export const halopesaSettings = z.strictObject({
  /** usually ends with `/ServiceAPI` */
  url: z.url({ protocol: /^https?$/ }),
  username: secret,
  password: secret,
  /** the key at the end of what the check sum is made of */
  secret,
  /** `beneficiary_accountid`: where the money goes */
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

import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

export const clickpesaSettings = z.strictObject({
  /** `https://api.clickpesa.com/third-parties` */
  url: z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, '')),
  clientId: z.string().min(1),
  apiKey: z.string().min(1),
  /** signs what we send, and proves notifications; of two the first signs; no payouts without it */
  checksumKey: oneOrTwo(z.string().min(8)).optional(),
  /** a notification carries it in the body, or in a header of this name */
  notificationChecksum: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('body'),
  /** the account's currency: the answer to a payout names none */
  currency: z.string().length(3).default('TZS'),
});
export type ClickpesaSettings = z.output<typeof clickpesaSettings>;

import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

export const clickpesaSettings = z.strictObject({
  /** `https://api.clickpesa.com/third-parties` */
  url: z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, '')),
  clientId: z.string().min(1),
  apiKey: z.string().min(1),
  /** signs our requests and proves notifications; the first of two signs; no payouts without it */
  checksumKey: oneOrTwo(z.string().min(8)).optional(),
  /** where a notification has it: the body, or a header of this name */
  notificationChecksum: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('body'),
  /** the account's currency: a payout's answer has none */
  currency: z.string().length(3).default('TZS'),
});
export type ClickpesaSettings = z.output<typeof clickpesaSettings>;

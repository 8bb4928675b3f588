import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

export const clickpesaSettings = z.strictObject({
  /** `https://api.clickpesa.com/third-parties` */
  url: z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, '')),
  clientId: z.string().min(1),
  apiKey: z.string().min(1),
  /** signs our requests (the first of two) and proves notifications; absent: no payouts */
  checksumKey: oneOrTwo(z.string().min(8)).optional(),
  /** place of the checksum in a notification: the body, or a header of this name */
  notificationChecksum: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('body'),
  /** currency of the account, because a payout's answer has none */
  currency: z.string().length(3).default('TZS'),
});
export type ClickpesaSettings = z.output<typeof clickpesaSettings>;

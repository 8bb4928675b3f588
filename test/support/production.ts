import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

const example = new URL('../../.env.example', import.meta.url);
export const randomKey = () => randomBytes(32).toString('base64');

/** .env.example as an operator fills it in. */
export function production(changes: Record<string, string> = {}): Record<string, string> {
  const lines = readFileSync(example, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  return {
    ...Object.fromEntries([...lines].map(([, name, value]) => [name, value])),
    KEY_HASH_SECRET: randomKey(),
    ENCRYPTION_KEY: randomKey(),
    SUBMISSION_KEY: randomKey(),
    NOTIFICATION_SECRET: randomKey(),
    PAGE_KEY: randomKey(),
    PAYLOAD_ENCRYPTION_KEYS: `new:${randomKey()},old:${randomKey()}`,
    CODEC_UI_ORIGINS: 'https://temporal.example.com',
    CODEC_TOKEN: randomBytes(24).toString('hex'),
    BILL_CONTROL_NUMBER_PREFIX: '78',
    QR_ACQUIRER_ID: '02017',
    QR_MERCHANT_ID: '90210077',
    QR_CATEGORY_CODE: '6012',
    QR_CITY: 'ARUSHA',
    QR_POSTCODE: '23101',
    ...changes,
  };
}

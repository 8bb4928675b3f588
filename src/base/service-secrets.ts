/** Secrets of the service. Each process needs only those that it uses. */
export const serviceSecrets = [
  'KEY_HASH_SECRET',
  'ENCRYPTION_KEY',
  'SUBMISSION_KEY',
  'NOTIFICATION_SECRET',
  'PAGE_KEY',
  'PAYLOAD_ENCRYPTION_KEYS',
] as const;
export type ServiceSecret = (typeof serviceSecrets)[number];

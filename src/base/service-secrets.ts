/** Secrets of the service. A process that does not work with one need not be given it. */
export const serviceSecrets = [
  'KEY_HASH_SECRET',
  'ENCRYPTION_KEY',
  'SUBMISSION_KEY',
  'NOTIFICATION_SECRET',
  'PAGE_KEY',
  'PAYLOAD_ENCRYPTION_KEYS',
] as const;
export type ServiceSecret = (typeof serviceSecrets)[number];

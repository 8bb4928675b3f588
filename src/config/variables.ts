import { z } from 'zod';
import { isControlNumberPrefix } from '../domain/control-number.ts';
import { digits, keyRing, list, looseList, networks, origins, port, url, wholeNumber } from './fields.ts';

const rolePassword = z.string().min(16, 'must have at least 16 characters');
const moneyLimit = wholeNumber(0, 10_000_000_000_000);

/** .env.example explains these for operators. */
export const variables = z.object({
  MALIPO_ENV: z.enum(['development', 'production']).default('production'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.string().startsWith('postgres'),
  MIGRATION_DATABASE_URL: z.string().startsWith('postgres').optional(),
  DATABASE_PASSWORD_API: rolePassword.optional(),
  DATABASE_PASSWORD_WORKER: rolePassword.optional(),
  DATABASE_PASSWORD_READER: rolePassword.optional(),
  DATABASE_PLAINTEXT: z.literal('allowed').optional(),
  DATABASE_POOL_MAX: wholeNumber(1, 200).default(10),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  BACKUP_MAX_AGE_DAYS: wholeNumber(1, 3_650).default(7),
  TEMPORAL_UI_URL: url.optional(),
  RUNBOOKS_URL: url.optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.stringbool().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  TEMPORAL_PLAINTEXT: z.literal('allowed').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  BUILD_ID: z
    .string()
    .regex(/^[\w.+-]{1,100}$/, 'must be at most 100 letters, digits, and . + - _')
    .optional(),
  WORKFLOW_PATCHES: looseList.default([]),
  ALLOWED_HOSTS: looseList.optional(),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.default(3000),
  MANAGEMENT_HOST: z.string().default('127.0.0.1'),
  MANAGEMENT_PORT: port.default(3001),
  PAY_HOST: z.string().default('127.0.0.1'),
  PAY_PORT: port.optional(),
  PAY_URL: url.optional(),
  SERVICE_NAME: z.string().max(60).optional(),
  SUPPORT_CONTACT: z.string().max(100).optional(),
  WORKER_MANAGEMENT_PORT: port.optional(),
  PUBLIC_URL: url.default('http://127.0.0.1:3000'),
  GATEWAY_TIMING: z.enum(['normal', 'fast']).default('normal'),
  DOCS_DEMO_KEY: z.string().optional(),
  KEY_HASH_SECRET: keyRing,
  ENCRYPTION_KEY: keyRing,
  SUBMISSION_KEY: keyRing,
  PAYLOAD_ENCRYPTION: z.stringbool().optional(),
  PAYLOAD_ENCRYPTION_KEYS: keyRing.optional(),
  PAYLOAD_CUT_OVER: z.stringbool().default(false),
  CODEC_UI_ORIGINS: origins.optional(),
  CODEC_TOKEN: z
    .string()
    .regex(/^[\w-]{24,}$/, 'must be at least 24 letters, digits, _ or -')
    .optional(),
  NOTIFICATION_SECRET: keyRing,
  PAGE_KEY: keyRing,
  CHANNELS_FILE: z.string().optional(),
  FOUR_EYES: z.stringbool().default(true),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, 100_000).optional(),
  RATE_LIMIT_BURST: wholeNumber(1, 1_000_000).optional(),
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  FAILED_AUTHENTICATION_PER_MINUTE: wholeNumber(0, 1_000_000).default(300),
  /** limits of new accounts (accounts/limits.ts) in shillings, payouts or seconds; 0: no limit */
  LIMIT_PAYOUT_MAX: moneyLimit.optional(),
  LIMIT_PAYOUT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_PAYOUTS_PER_DAY: wholeNumber(0, 1_000_000_000).optional(),
  LIMIT_RECIPIENT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_NEW_RECIPIENT_COOLOFF_S: wholeNumber(0, 2_592_000).optional(),
  LIMIT_DUPLICATE_WINDOW_S: wholeNumber(0, 604_800).optional(),
  TRUSTED_PROXIES: networks,
  MANAGEMENT_TRUSTED_PROXIES: networks,
  BILL_CONTROL_NUMBER_PREFIX: z
    .string()
    .refine(isControlNumberPrefix, 'must be 2 to 6 digits and not begin with 99')
    .optional(),
  BILL_EXPIRY_DAYS: wholeNumber(1, 366).default(90),
  BILLS_PER_ACCOUNT_PER_DAY: wholeNumber(0, 100_000_000).default(100_000),
  PREVIEWS_PER_ACCOUNT_PER_DAY: wholeNumber(0, 100_000_000).default(10_000),
  QR_EXPIRY_SECONDS: wholeNumber(1, 86_400).default(900),
  QR_ACQUIRER_ID: digits(5, 5).optional(),
  QR_MERCHANT_ID: digits(1, 15).optional(),
  QR_CATEGORY_CODE: digits(4, 4).optional(),
  QR_CITY: z.string().optional(),
  QR_POSTCODE: digits(5, 5).optional(),

  SHUTDOWN_NOTICE_MS: wholeNumber(0, 10_000).default(2_000),
  SHUTDOWN_GRACE_MS: wholeNumber(1_000, 22_000).default(20_000),
  CALLBACK_PORTS: list.pipe(z.array(z.coerce.number<string>().int().min(1).max(65_535))).default([443, 8443]),
});

export type Variables = z.infer<typeof variables>;

/** Customers and networks see this identity. Production must set its own. */
export const placeholders = {
  BILL_CONTROL_NUMBER_PREFIX: '77',
  QR_ACQUIRER_ID: '02001',
  QR_MERCHANT_ID: '44719038',
  QR_CATEGORY_CODE: '5999',
  QR_CITY: 'DAR ES SALAAM',
  QR_POSTCODE: '11101',
} as const satisfies Partial<Record<keyof Variables, string>>;

export type Identity = Record<keyof typeof placeholders, string>;

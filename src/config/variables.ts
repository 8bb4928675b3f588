import { z } from 'zod';
import { isControlNumberPrefix } from '../domain/control-number.ts';
import { digits, keyRing, list, looseList, networks, origins, port, url, wholeNumber } from './fields.ts';

const rolePassword = z.string().min(16, 'must have at least 16 characters');
const moneyLimit = wholeNumber(0, 10_000_000_000_000);

/** Every variable; .env.example explains them for operators. */
export const variables = z.object({
  MALIPO_ENV: z.enum(['development', 'production']).default('production'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.string().startsWith('postgres'),
  /** the owner of the tables, for `migrate` and `recover`; left out: DATABASE_URL */
  MIGRATION_DATABASE_URL: z.string().startsWith('postgres').optional(),
  /** for `migrate`: lets the roles of the processes log in with them (db/grants.ts) */
  DATABASE_PASSWORD_API: rolePassword.optional(),
  DATABASE_PASSWORD_WORKER: rolePassword.optional(),
  DATABASE_PASSWORD_READER: rolePassword.optional(),
  /** production talks to Postgres over TLS unless this says otherwise */
  DATABASE_PLAINTEXT: z.literal('allowed').optional(),
  DATABASE_POOL_MAX: wholeNumber(1, 200).default(10),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  /** the age of the oldest backup of Postgres that is kept: Temporal has to remember a week longer */
  BACKUP_MAX_AGE_DAYS: wholeNumber(1, 3_650).default(7),
  /** Temporal's web UI, for links to workflows; left out: no links */
  TEMPORAL_UI_URL: url.optional(),
  /** Temporal's web UI links to docs/operations here; without it, pages are only named */
  RUNBOOKS_URL: url.optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  /** left out: on where an API key or one of the certificates below is set */
  TEMPORAL_TLS: z.stringbool().optional(),
  /** the system does not trust this issuer of the server's certificate by itself */
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  /** the name in the server's certificate, where the address has another one */
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  /** production talks to Temporal over TLS unless this says otherwise */
  TEMPORAL_PLAINTEXT: z.literal('allowed').optional(),
  /** the base address of a collector of OpenTelemetry: switches traces on; left out: none */
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  /** which version of the code this is, for Temporal; left out: what the build noted (temporal/build-id.ts) */
  BUILD_ID: z
    .string()
    .regex(/^[\w.+-]{1,100}$/, 'must be at most 100 letters, digits, and . + - _')
    .optional(),
  /** patches of long-lived workflows that are switched on (docs/operations/deploy.md); left out: none */
  WORKFLOW_PATCHES: looseList.default([]),
  /** every listener takes these in the header Host, and nothing that a page of another site can send; left out: any */
  ALLOWED_HOSTS: looseList.optional(),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.default(3000),
  /** left out: reached from this machine only */
  MANAGEMENT_HOST: z.string().default('127.0.0.1'),
  MANAGEMENT_PORT: port.default(3001),
  /** left out: reached from this machine only */
  PAY_HOST: z.string().default('127.0.0.1'),
  /** customers' browsers get pay pages at this port; without it this process serves none */
  PAY_PORT: port.optional(),
  /** the address of those pages, a host name of their own; left out: bills and numbers are answered without a page */
  PAY_URL: url.optional(),
  /** health and metrics of a worker; left out: none, so that many workers fit on one machine */
  WORKER_MANAGEMENT_PORT: port.optional(),
  /** the address under which channels reach our notification doors */
  PUBLIC_URL: url.default('http://127.0.0.1:3000'),
  GATEWAY_TIMING: z.enum(['normal', 'fast']).default('normal'),
  /** an API key that the reference at /docs offers to whoever opens it; given by `npm start` only */
  DOCS_DEMO_KEY: z.string().optional(),
  /** keyed hash of API key secrets */
  KEY_HASH_SECRET: keyRing,
  /** passphrases at rest; payloads of Temporal where PAYLOAD_ENCRYPTION is on without keys of its own */
  ENCRYPTION_KEY: keyRing,
  /** proves to the workers that the API made a submission */
  SUBMISSION_KEY: keyRing,
  /** left out: on where PAYLOAD_ENCRYPTION_KEYS are set */
  PAYLOAD_ENCRYPTION: z.stringbool().optional(),
  /** the first encrypts what Temporal stores of a payment, all of them decrypt */
  PAYLOAD_ENCRYPTION_KEYS: keyRing.optional(),
  /** for the first days of encryption: what was written in plain before is still read */
  PAYLOAD_CUT_OVER: z.stringbool().default(false),
  /** only these pages of Temporal's web UI may ask the management port to decode payloads */
  CODEC_UI_ORIGINS: origins.optional(),
  /** the UI and the command line must send this token */
  CODEC_TOKEN: z
    .string()
    .regex(/^[\w-]{24,}$/, 'must be at least 24 letters, digits, _ or -')
    .optional(),
  /** the per-transaction secret in the notification addresses is derived from it */
  NOTIFICATION_SECRET: keyRing,
  /** addresses of pages that people open are made with it, a key derived from it for each kind of page */
  PAGE_KEY: keyRing,
  /** which providers carry payments, payouts and bills (docs/operations/channels.md); left out: none */
  CHANNELS_FILE: z.string().optional(),
  /** off: who proposed something may approve it, too; for one person with a test installation */
  FOUR_EYES: z.stringbool().default(true),
  /** requests per second and API key; 0: no limit. Left out: 50 in production, no limit in development */
  RATE_LIMIT_PER_SECOND: wholeNumber(0, 100_000).optional(),
  /** how many may come at once; left out: twice the requests per second */
  RATE_LIMIT_BURST: wholeNumber(1, 1_000_000).optional(),
  /** memory: each process counts for itself. postgres: all processes share the counts */
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  /** wrong keys per minute and address; 0: no limit */
  FAILED_AUTHENTICATION_PER_MINUTE: wholeNumber(0, 1_000_000).default(300),
  /** limits of new accounts (accounts/limits.ts): whole shillings, payouts, seconds; 0: no limit */
  LIMIT_PAYOUT_MAX: moneyLimit.optional(),
  LIMIT_PAYOUT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_PAYOUTS_PER_DAY: wholeNumber(0, 1_000_000_000).optional(),
  LIMIT_RECIPIENT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_NEW_RECIPIENT_COOLOFF_S: wholeNumber(0, 2_592_000).optional(),
  LIMIT_DUPLICATE_WINDOW_S: wholeNumber(0, 604_800).optional(),
  /** proxies whose X-Forwarded-For is believed: addresses and networks, with commas; left out: none */
  TRUSTED_PROXIES: networks,
  MANAGEMENT_TRUSTED_PROXIES: networks,
  /** how control numbers begin; another deployment that shares the networks needs another one */
  BILL_CONTROL_NUMBER_PREFIX: z
    .string()
    .refine(isControlNumberPrefix, 'must be 2 to 6 digits and not begin with 99')
    .optional(),
  /** how long a bill can be paid when its request does not say */
  BILL_EXPIRY_DAYS: wholeNumber(1, 366).default(90),
  /** bills and QR codes that an account may make a day; 0: no limit */
  BILLS_PER_ACCOUNT_PER_DAY: wholeNumber(0, 100_000_000).default(100_000),
  /** previews, each with a look-up of a name, that an account may make a day; 0: no limit */
  PREVIEWS_PER_ACCOUNT_PER_DAY: wholeNumber(0, 100_000_000).default(10_000),
  QR_EXPIRY_SECONDS: wholeNumber(1, 86_400).default(900),
  /** our place in the national QR scheme */
  QR_ACQUIRER_ID: digits(5, 5).optional(),
  QR_MERCHANT_ID: digits(1, 15).optional(),
  QR_CATEGORY_CODE: digits(4, 4).optional(),
  QR_CITY: z.string().optional(),
  QR_POSTCODE: digits(5, 5).optional(),

  /** after SIGTERM: how long readyz says no while requests are still taken, so that load balancers notice */
  SHUTDOWN_NOTICE_MS: wholeNumber(0, 10_000).default(2_000),
  /** after SIGTERM: how long requests and activities in flight may still take, the notice included */
  SHUTDOWN_GRACE_MS: wholeNumber(1_000, 22_000).default(20_000),
  CALLBACK_PORTS: list.pipe(z.array(z.coerce.number<string>().int().min(1).max(65_535))).default([443, 8443]),
});

export type Variables = z.infer<typeof variables>;

/** The name of this deployment to customers and networks. Development makes one up; production has to say who it is. */
export const placeholders = {
  BILL_CONTROL_NUMBER_PREFIX: '77',
  QR_ACQUIRER_ID: '02001',
  QR_MERCHANT_ID: '44719038',
  QR_CATEGORY_CODE: '5999',
  QR_CITY: 'DAR ES SALAAM',
  QR_POSTCODE: '11101',
} as const satisfies Partial<Record<keyof Variables, string>>;

export type Identity = Record<keyof typeof placeholders, string>;

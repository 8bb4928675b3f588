import { z } from 'zod';
import './domain/data/all.ts';
import { isControlNumberPrefix } from './domain/control-number.ts';

/**
 * Everything that is set from outside, parsed once: the only reader of process.env. Entry files pass the parts on;
 * other modules import only the types. A wrong variable stops the process with its name.
 */
const port = z.coerce.number().int().min(0).max(65_535);
const url = z
  .string()
  .regex(/^https?:\/\/\S+$/, 'must be an http(s) address')
  .transform((text) => text.replace(/\/+$/, ''));
const key256 = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64');

const rolePassword = z.string().min(16, 'must have at least 16 characters');
const limit = z.coerce.number().int().min(0);
const moneyLimit = limit.max(10_000_000_000_000);

function digits(min: number, max: number) {
  const wanted = min === max ? `${min}` : `${min} to ${max}`;
  return z.string().regex(new RegExp(`^[0-9]{${min},${max}}$`), `must be ${wanted} digits`);
}

/** Entries with commas between. */
const list = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));
/** The same, where a comma too many does no harm. */
const looseList = list.transform((entries) => entries.filter((entry) => entry !== ''));

/** `id:base64,id:base64`: names that are told apart, each with 32 bytes. */
const namedKeys = list
  .transform((entries) =>
    entries.map((entry) => {
      const [id = '', ...rest] = entry.split(':');
      return { id, key: rest.join(':') };
    }),
  )
  .refine(
    (keys) =>
      new Set(keys.map(({ id }) => id)).size === keys.length &&
      keys.every(({ id, key }) => /^[\w.-]{1,40}$/.test(id) && Buffer.from(key, 'base64').length === 32),
    'must be name:key with commas between, each key 32 bytes in base64 and each name used once',
  );
const origins = list.refine(
  (entries) => entries.every((entry) => URL.canParse(entry) && new URL(entry).origin === entry),
  'must be origins like https://temporal.example.com, with commas',
);

const schema = z.object({
  MALIPO_ENV: z.enum(['development', 'production']).default('production'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.string().startsWith('postgres'),
  /** the owner of the tables, for `migrate` and `recover`; left out: DATABASE_URL */
  MIGRATION_DATABASE_URL: z.string().startsWith('postgres').optional(),
  /** for `migrate`: lets the roles of the processes log in with them (db/grants.ts) */
  DATABASE_PASSWORD_API: rolePassword.optional(),
  DATABASE_PASSWORD_WORKER: rolePassword.optional(),
  DATABASE_PASSWORD_READER: rolePassword.optional(),
  DATABASE_POOL_MAX: z.coerce.number().int().min(1).max(200).default(10),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.stringbool().default(false),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.default(3000),
  MANAGEMENT_PORT: port.default(3001),
  /** health and metrics of a worker; left out: none, so that many workers fit on one machine */
  WORKER_MANAGEMENT_PORT: port.optional(),
  /** the address under which channels reach our notification doors */
  PUBLIC_URL: url.default('http://127.0.0.1:3000'),
  GATEWAY_TIMING: z.enum(['normal', 'fast']).default('normal'),
  /** an API key that the reference at /docs offers to whoever opens it; given by `npm start` only */
  DOCS_DEMO_KEY: z.string().optional(),
  /** keyed hash of API key secrets */
  KEY_HASH_SECRET: key256,
  /** passphrases at rest; payloads of Temporal where PAYLOAD_ENCRYPTION is on without keys of its own */
  ENCRYPTION_KEY: key256,
  /** left out: on where PAYLOAD_ENCRYPTION_KEYS are set */
  PAYLOAD_ENCRYPTION: z.stringbool().optional(),
  /** the first encrypts what Temporal stores of a payment, all of them decrypt */
  PAYLOAD_ENCRYPTION_KEYS: namedKeys.optional(),
  /** where Temporal's web UI is opened: its pages may ask the management port to decode payloads; left out: nobody may */
  CODEC_UI_ORIGINS: origins.optional(),
  /** what the UI or the command line has to show for it */
  CODEC_TOKEN: z
    .string()
    .regex(/^[\w-]{24,}$/, 'must be at least 24 letters, digits, _ or -')
    .optional(),
  /** the per-transaction secret in the notification addresses is derived from it */
  NOTIFICATION_SECRET: key256,
  /** which providers carry payments, payouts and bills (docs/operations/channels.md); left out: none */
  CHANNELS_FILE: z.string().optional(),
  /** off: who proposed something may approve it, too; for one person with a test installation */
  FOUR_EYES: z.stringbool().default(true),
  /** requests per second and API key; 0: no limit. Left out: 50 in production, no limit in development */
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(0).max(100_000).optional(),
  /** how many may come at once; left out: twice the requests per second */
  RATE_LIMIT_BURST: z.coerce.number().int().min(1).max(1_000_000).optional(),
  /** memory: each process counts for itself. postgres: all processes share the counts */
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  /** wrong keys per minute and address; 0: no limit */
  FAILED_AUTHENTICATION_PER_MINUTE: z.coerce.number().int().min(0).max(1_000_000).default(300),
  /** limits of new accounts (accounts/limits.ts): whole shillings, payouts, seconds; 0: no limit */
  LIMIT_PAYOUT_MAX: moneyLimit.optional(),
  LIMIT_PAYOUT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_PAYOUTS_PER_DAY: limit.max(1_000_000_000).optional(),
  LIMIT_RECIPIENT_DAILY_MAX: moneyLimit.optional(),
  LIMIT_NEW_RECIPIENT_COOLOFF_S: limit.max(2_592_000).optional(),
  LIMIT_DUPLICATE_WINDOW_S: limit.max(604_800).optional(),
  /** proxies whose X-Forwarded-For is believed: addresses and networks, with commas; left out: none */
  TRUSTED_PROXIES: looseList
    .default([])
    .refine(
      (entries) => entries.every(isNetwork),
      'must be addresses or networks like 10.0.0.0/8, with commas',
    ),
  /** how control numbers begin; another deployment that shares the networks needs another one */
  BILL_CONTROL_NUMBER_PREFIX: z
    .string()
    .refine(isControlNumberPrefix, 'must be 2 to 6 digits and not begin with 99')
    .default('77'),
  /** how long a bill can be paid when its request does not say */
  BILL_EXPIRY_DAYS: z.coerce.number().int().min(1).max(366).default(90),
  /** bills and QR codes that an account may make a day; 0: no limit */
  BILLS_PER_ACCOUNT_PER_DAY: z.coerce.number().int().min(0).max(100_000_000).default(100_000),
  /** previews, each with a look-up of a name, that an account may make a day; 0: no limit */
  PREVIEWS_PER_ACCOUNT_PER_DAY: z.coerce.number().int().min(0).max(100_000_000).default(10_000),
  QR_EXPIRY_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900),
  /** our place in the national QR scheme */
  QR_ACQUIRER_ID: digits(5, 5).default('02001'),
  QR_MERCHANT_ID: digits(1, 15).default('44719038'),
  QR_CATEGORY_CODE: digits(4, 4).default('5999'),
  QR_CITY: z.string().default('DAR ES SALAAM'),
  QR_POSTCODE: digits(5, 5).default('11101'),

  /** after SIGTERM: how long readyz says no while requests are still taken, so that load balancers notice */
  SHUTDOWN_NOTICE_MS: z.coerce.number().int().min(0).max(10_000).default(2_000),
  /** after SIGTERM: how long requests and activities in flight may still take, the notice included */
  SHUTDOWN_GRACE_MS: z.coerce.number().int().min(1_000).max(22_000).default(20_000),
  CALLBACK_PORTS: list.pipe(z.array(z.coerce.number<string>().int().min(1).max(65_535))).default([443, 8443]),
});

export type Config = z.infer<typeof schema>;

/** Every variable, by name: what docs/operations/configuration.md and .env.example have to explain. */
export const configVariables: readonly string[] = Object.keys(schema.shape);

function isNetwork(entry: string): boolean {
  return z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(entry).success;
}

/** The limits of requests, with what is different in production filled in. */
export function rateLimitsOf(config: Config) {
  const ratePerSecond = config.RATE_LIMIT_PER_SECOND ?? (config.MALIPO_ENV === 'production' ? 50 : 0);
  return {
    perKey:
      ratePerSecond === 0 ? null : { ratePerSecond, burst: config.RATE_LIMIT_BURST ?? 2 * ratePerSecond },
    failuresPerMinute: config.FAILED_AUTHENTICATION_PER_MINUTE,
    store: config.RATE_LIMIT_STORE,
  };
}

/** What bills and QR codes of this deployment have in common. */
export function billSettingsOf(config: Config) {
  return {
    controlNumberPrefix: config.BILL_CONTROL_NUMBER_PREFIX,
    billExpiryDays: config.BILL_EXPIRY_DAYS,
    qrExpirySeconds: config.QR_EXPIRY_SECONDS,
    perDay: config.BILLS_PER_ACCOUNT_PER_DAY,
    payee: {
      acquirerId: config.QR_ACQUIRER_ID,
      merchantId: config.QR_MERCHANT_ID,
      categoryCode: config.QR_CATEGORY_CODE,
      city: config.QR_CITY,
      postcode: config.QR_POSTCODE,
    },
  };
}

/** Parses the environment. Throws an Error that names every wrong variable; production refuses unsafe settings. */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`Configuration is wrong:\n  ${wrong.join('\n  ')}`);
  }
  if (parsed.data.SHUTDOWN_NOTICE_MS >= parsed.data.SHUTDOWN_GRACE_MS) {
    throw new Error('Configuration is wrong:\n  SHUTDOWN_NOTICE_MS: must be shorter than SHUTDOWN_GRACE_MS');
  }
  const unsafe = parsed.data.MALIPO_ENV === 'production' ? unsafeInProduction(parsed.data) : [];
  if (unsafe.length > 0) throw new Error(`Configuration is unsafe in production:\n  ${unsafe.join('\n  ')}`);
  return parsed.data;
}

/** No random secret has fewer than eight different bytes or characters. */
function isMonotonous(secret: Iterable<unknown>): boolean {
  return new Set(secret).size < 8;
}

const isDemoKey = (base64: string) => isMonotonous(Buffer.from(base64, 'base64'));

function unsafeInProduction(config: Config): string[] {
  const problems: string[] = [];
  if (config.GATEWAY_TIMING === 'fast') problems.push('GATEWAY_TIMING: fast is for tests and benchmarks');
  if (config.DOCS_DEMO_KEY !== undefined) problems.push('DOCS_DEMO_KEY: would show a key to everybody');
  if (!config.FOUR_EYES) problems.push('FOUR_EYES: nobody may approve what he proposed himself');
  if (config.PUBLIC_URL.startsWith('http:')) problems.push('PUBLIC_URL: must be https');
  for (const name of ['KEY_HASH_SECRET', 'ENCRYPTION_KEY', 'NOTIFICATION_SECRET'] as const) {
    if (isDemoKey(config[name])) problems.push(`${name}: is a demo secret`);
  }
  for (const { id, key } of config.PAYLOAD_ENCRYPTION_KEYS ?? []) {
    if (isDemoKey(key)) problems.push(`PAYLOAD_ENCRYPTION_KEYS: ${id} is a demo secret`);
  }
  if (config.CODEC_UI_ORIGINS && !config.CODEC_TOKEN)
    problems.push('CODEC_TOKEN: is needed where CODEC_UI_ORIGINS are set');
  return problems;
}

import type { ServiceSecret } from '../base/service-secrets.ts';
import '../domain/data/all.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { unsafeInProduction, usesTemporalTls } from './production.ts';
import { type Identity, placeholders, type Variables, variables } from './variables.ts';

/** Entry files parse the environment once and pass parts on. Other modules import only types from here. */
export type Config = Omit<Variables, keyof Identity> & Identity & { TEMPORAL_TLS: boolean };

/** .env.example must explain each of these. */
export const configVariables: readonly string[] = Object.keys(variables.shape);

/**
 * Throws an Error with one line per problem: missing, wrong, contradictory, or unsafe in production.
 * `without`: secrets that this process does not use; a random one replaces a missing one. `listens` false:
 * the process opens no port, so PAY_PORT is ignored.
 */
export function loadConfig(
  environment: Record<string, string | undefined>,
  { without = [], listens = true }: { without?: readonly ServiceSecret[]; listens?: boolean } = {},
): Config {
  // PAYLOAD_ENCRYPTION_KEYS turns encryption on if set. Development needs none, so it gets no random key.
  const isPlain = environment.MALIPO_ENV === 'development';
  const missing = without.filter((name) => name !== 'PAYLOAD_ENCRYPTION_KEYS' || !isPlain);
  const unused = Object.fromEntries(
    missing.map((name) => [name, `none:${randomBytes(32).toString('base64')}`]),
  );
  const isSet = ([name, value]: [string, unknown]) => value !== '' && (listens || name !== 'PAY_PORT');
  const set = Object.fromEntries(Object.entries(environment).filter(isSet));
  const given = { ...unused, ...set };
  const parsed = variables.safeParse(given, { error: ({ input }) => (input === undefined ? MISSING : null) });
  const problems = parsed.success ? problemsOf(parsed.data) : problemsBeside(parsed.error.issues, given);
  if (!parsed.success || problems.length > 0)
    throw new Error(`The configuration is wrong:\n  ${problems.join('\n  ')}`);
  return { ...placeholders, ...withoutAbsent(parsed.data), TEMPORAL_TLS: usesTemporalTls(parsed.data) };
}

const MISSING = 'is not set';

function problemsOf(config: Variables): string[] {
  const unsafe = config.MALIPO_ENV === 'production' ? unsafeInProduction(config) : [];
  return [...contradictionsIn(config), ...unsafe];
}

/** Also checks the other settings, so that one start reports every problem. */
function problemsBeside(issues: z.core.$ZodIssue[], given: Record<string, unknown>): string[] {
  const wrong = new Set(issues.map(({ path }) => String(path[0])));
  const readable = Object.entries(given).filter(([name]) => !wrong.has(name));
  const rest = variables.safeParse({ ...harmless, ...Object.fromEntries(readable) });
  const others = (rest.success ? problemsOf(rest.data) : []).filter((text) => !wrong.has(nameIn(text)));
  return [...issues.map(({ path, message }) => `${path.join('.')}: ${message}`), ...others];
}

const nameIn = (problem: string) => problem.split(':')[0] ?? '';
const someKey = (text: string) => createHash('sha256').update(text).digest('base64');
/** These stand in for missing variables while the others are checked. */
const harmless = {
  DATABASE_URL: 'postgres://localhost/?sslmode=verify-full',
  KEY_HASH_SECRET: someKey('KEY_HASH_SECRET'),
  ENCRYPTION_KEY: someKey('ENCRYPTION_KEY'),
  SUBMISSION_KEY: someKey('SUBMISSION_KEY'),
  NOTIFICATION_SECRET: someKey('NOTIFICATION_SECRET'),
  PAGE_KEY: someKey('PAGE_KEY'),
};

/** Drops undefined values, which would overwrite the placeholders. */
function withoutAbsent(config: Variables): Variables & Identity {
  const present = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Variables & Identity;
}

function contradictionsIn(config: Variables): string[] {
  const problems: string[] = [];
  if (config.SHUTDOWN_NOTICE_MS >= config.SHUTDOWN_GRACE_MS)
    problems.push('SHUTDOWN_NOTICE_MS: must be shorter than SHUTDOWN_GRACE_MS');
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key } = config;
  if ((certificate === undefined) !== (key === undefined))
    problems.push('TEMPORAL_TLS_CLIENT_KEY_PATH: goes with TEMPORAL_TLS_CLIENT_CERT_PATH');
  if (config.TEMPORAL_TLS === false && usesTemporalTls({ ...config, TEMPORAL_TLS: undefined }))
    problems.push('TEMPORAL_TLS: is off beside an API key or certificates');
  if (config.PAY_PORT !== undefined && config.PAY_URL === undefined)
    problems.push('PAY_URL: goes with PAY_PORT');
  return problems;
}

/** Fills in the defaults, which differ in production. */
export function rateLimitsOf(config: Config) {
  const ratePerSecond = config.RATE_LIMIT_PER_SECOND ?? (config.MALIPO_ENV === 'production' ? 50 : 0);
  return {
    perKey:
      ratePerSecond === 0 ? null : { ratePerSecond, burst: config.RATE_LIMIT_BURST ?? 2 * ratePerSecond },
    failuresPerMinute: config.FAILED_AUTHENTICATION_PER_MINUTE,
    store: config.RATE_LIMIT_STORE,
  };
}

export function billSettingsOf(config: Config) {
  return {
    payUrl: config.PAY_URL ?? null,
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

import type { NamedKey } from '../base/key-ring.ts';
import { serviceSecrets } from '../base/service-secrets.ts';
import { placeholders, type Variables } from './variables.ts';

/** Returns a sentence per setting that production refuses. Each names the variable, never its value. */
export function unsafeInProduction(config: Variables): string[] {
  return [
    ...unsafeAddresses(config),
    ...unsafeIdentity(config),
    ...unsafeSecrets(config),
    ...unsafeLimits(config),
  ];
}

function unsafeAddresses(config: Variables): string[] {
  const problems: string[] = [];
  if (config.GATEWAY_TIMING === 'fast') problems.push('GATEWAY_TIMING: fast is for tests and benchmarks');
  if (config.DOCS_DEMO_KEY !== undefined) problems.push('DOCS_DEMO_KEY: would show a key to everybody');
  if (!config.FOUR_EYES) problems.push('FOUR_EYES: nobody may approve what he proposed himself');
  if (config.PUBLIC_URL.startsWith('http:')) problems.push('PUBLIC_URL: must be https');
  else if (isOfThisMachine(new URL(config.PUBLIC_URL).hostname))
    problems.push('PUBLIC_URL: must be an address that channels can reach');
  if (config.PAY_URL !== undefined) problems.push(...unsafePages(config.PAY_URL, config.PUBLIC_URL));
  for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL'] as const) {
    const url = config[name];
    if (url !== undefined && !config.DATABASE_PLAINTEXT && !isPostgresOverTls(url))
      problems.push(`${name}: must say sslmode=verify-full (or DATABASE_PLAINTEXT=allowed)`);
  }
  if (!config.TEMPORAL_PLAINTEXT && !usesTemporalTls(config))
    problems.push('TEMPORAL_TLS: must be on (or TEMPORAL_PLAINTEXT=allowed)');
  return problems;
}

/** Anyone may open pay pages and type a phone number there: they need https and a host of their own. */
function unsafePages(url: string, publicUrl: string): string[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:') return ['PAY_URL: must be https'];
  if (isOfThisMachine(hostname)) return ['PAY_URL: must be an address that customers can reach'];
  return hostname === new URL(publicUrl).hostname ? ['PAY_URL: needs a host name of its own'] : [];
}

/** Defaults to true if an API key or a certificate is set. */
export function usesTemporalTls(
  config: Pick<
    Variables,
    | 'TEMPORAL_TLS'
    | 'TEMPORAL_API_KEY'
    | 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'
    | 'TEMPORAL_TLS_CLIENT_CERT_PATH'
    | 'TEMPORAL_TLS_SERVER_NAME'
  >,
): boolean {
  const { TEMPORAL_TLS, ...rest } = config;
  const means = [
    rest.TEMPORAL_API_KEY,
    rest.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    rest.TEMPORAL_TLS_CLIENT_CERT_PATH,
    rest.TEMPORAL_TLS_SERVER_NAME,
  ];
  return TEMPORAL_TLS ?? means.some((one) => one !== undefined);
}

/** True if the driver checks the server's certificate, or uses a socket of this machine. */
function isPostgresOverTls(databaseUrl: string): boolean {
  if (!URL.canParse(databaseUrl)) return false;
  const { searchParams } = new URL(databaseUrl);
  const isSocket = searchParams.get('host')?.startsWith('/') ?? false;
  // If sslmode is given twice, the driver uses the last.
  return isSocket || ['verify-full', 'verify-ca'].includes(searchParams.getAll('sslmode').at(-1) ?? '');
}

function isOfThisMachine(host: string): boolean {
  return /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/i.test(host);
}

function unsafeIdentity(config: Variables): string[] {
  const names = Object.keys(placeholders) as (keyof typeof placeholders)[];
  const problems = names
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: says who we are, so production has no default for it`);
  if (config.QR_MERCHANT_ID === placeholders.QR_MERCHANT_ID)
    problems.push('QR_MERCHANT_ID: is the placeholder; the acquirer assigns yours');
  return problems;
}

function unsafeSecrets(config: Variables): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const name of serviceSecrets) {
    for (const one of config[name] ?? []) {
      if (isMonotonous(one.key)) problems.push(`${name}: ${one.id} is a demo secret`);
      const owner = owners.get(textOf(one));
      if (owner) problems.push(`${name}: ${one.id} is also used by ${owner}; give each its own`);
      owners.set(textOf(one), name);
    }
  }
  if (!(config.PAYLOAD_ENCRYPTION ?? config.PAYLOAD_ENCRYPTION_KEYS !== undefined))
    problems.push('PAYLOAD_ENCRYPTION_KEYS: must be set; Temporal would store names and numbers in plain');
  if (config.CODEC_UI_ORIGINS && !config.CODEC_TOKEN)
    problems.push('CODEC_TOKEN: is needed where CODEC_UI_ORIGINS are set');
  if (config.CODEC_TOKEN && isMonotonous(config.CODEC_TOKEN)) problems.push('CODEC_TOKEN: is a demo secret');
  return problems;
}

const textOf = ({ key }: NamedKey) => Buffer.from(key).toString('base64');

/** True if it has fewer than eight different bytes or characters, which no random secret has. */
function isMonotonous(secret: Iterable<unknown>): boolean {
  return new Set(secret).size < 8;
}

function unsafeLimits(config: Variables): string[] {
  const problems: string[] = [];
  if (config.RATE_LIMIT_PER_SECOND === 0) problems.push('RATE_LIMIT_PER_SECOND: must be above 0');
  if (config.FAILED_AUTHENTICATION_PER_MINUTE === 0)
    problems.push('FAILED_AUTHENTICATION_PER_MINUTE: must be above 0');
  for (const name of ['TRUSTED_PROXIES', 'MANAGEMENT_TRUSTED_PROXIES'] as const)
    if (config[name].some(isHalfTheInternet))
      problems.push(`${name}: believes half the internet; name your own proxies`);
  return problems;
}

/** The largest private networks are 10.0.0.0/8 and fc00::/7. */
function isHalfTheInternet(network: string): boolean {
  const [address = '', bits] = network.split('/');
  return bits !== undefined && Number(bits) < (address.includes(':') ? 7 : 8);
}

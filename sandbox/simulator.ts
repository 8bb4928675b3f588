import '../src/domain/data/all.ts';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createSimulator, type SimulatorOptions } from './simulator/app.ts';

const providers = z.looseObject({
  billCredentials: z
    .record(z.string(), z.strictObject({ username: z.string(), password: z.string() }))
    .default({}),
});

const file = z
  .string()
  .optional()
  .transform((path) => (path === undefined ? '' : readFileSync(path, 'utf8')));

/** The simulator shares only wire formats with the service. */
const settings = z
  .object({
    /** allowed Host names, with commas; left out: any */
    ALLOWED_HOSTS: z
      .string()
      .transform((names) => names.split(','))
      .optional(),
    SIMULATOR_HOST: z.string().default('127.0.0.1'),
    SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(4010),
    SIMULATOR_DELAY_MS: z.coerce.number().int().min(0).default(1_500),
    /** also serves TLS with client certificates here; the files hold key, certificate and CA */
    SIMULATOR_TLS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
    SIMULATOR_TLS_KEY: file,
    SIMULATOR_TLS_CERT: file,
    SIMULATOR_TLS_CA: file,
    SIMULATOR_FAST: z.stringbool().default(false),
    SIMULATOR_PROMPT_MS: z.coerce.number().int().positive().optional(),
    SIMULATOR_MANUAL: z.stringbool().default(false),
    SIMULATOR_BUSINESS: z.string().optional(),
    SIMULATOR_BOOK: z.string().optional(),
    SIMULATOR_RECEIVER_PASSPHRASE: z.string().optional(),
    SIMULATOR_GSMA_USERNAME: z.string().optional(),
    SIMULATOR_GSMA_PASSWORD: z.string().optional(),
    SIMULATOR_BANK_SECRET: z.string().optional(),
    /** the first deposit in the merchant's bank account: a reference and TZS (`demo:1000000`) */
    SIMULATOR_BANK_DEPOSIT: z
      .string()
      .regex(/^[A-Za-z0-9]+:\d+$/)
      .optional(),
    SIMULATOR_BANK_CALLBACK_URL: z.url().optional(),
    /** the service's address and each network's token (`m-pesa:token,…`), to pay bills */
    SIMULATOR_GATEWAY_URL: z.url().optional(),
    SIMULATOR_BILL_TOKENS: z.string().default(''),
    /** API key of the merchant that the phone page shows, at SIMULATOR_GATEWAY_URL */
    SIMULATOR_MERCHANT_KEY: z.string().optional(),
    /** another person's key, which starts the page's batches */
    SIMULATOR_APPROVER_KEY: z.string().optional(),
    /** JSON: accounts of the networks' own protocols (SimulatorOptions), and `billCredentials` */
    SIMULATOR_PROVIDERS: z
      .string()
      .default('{}')
      .transform((text) => providers.parse(JSON.parse(text))),
  })
  .parse(Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')));

if (process.env.MALIPO_ENV === 'production') {
  console.error('The simulator plays networks with money that is not real: it never runs in production.');
  process.exit(1);
}

const { billCredentials, ...accounts } = settings.SIMULATOR_PROVIDERS;
const FAST_PROMPT_MS = 5_000;
const PROMPT_MS = 300_000;

function deposit() {
  const [reference = '', amount] = settings.SIMULATOR_BANK_DEPOSIT?.split(':') ?? [];
  return amount === undefined ? undefined : { reference, amountTzs: Number(amount) };
}

/** A network's last token replaces the others. */
function billGateway() {
  const { SIMULATOR_GATEWAY_URL: url, SIMULATOR_BILL_TOKENS: tokens } = settings;
  if (url === undefined) return undefined;
  const pairs = tokens.split(',').filter((pair) => pair.includes(':'));
  return {
    url,
    tokens: Object.fromEntries(pairs.map((pair) => pair.trim().split(':'))),
    credentials: billCredentials,
  };
}

function merchant() {
  const { SIMULATOR_GATEWAY_URL: url, SIMULATOR_MERCHANT_KEY: apiKey } = settings;
  const { SIMULATOR_APPROVER_KEY: approverKey } = settings;
  return url === undefined || apiKey === undefined ? undefined : { url, apiKey, approverKey };
}

const simulator = createSimulator({
  timing: {
    customerMs: settings.SIMULATOR_DELAY_MS,
    promptMs: settings.SIMULATOR_PROMPT_MS ?? (settings.SIMULATOR_FAST ? FAST_PROMPT_MS : PROMPT_MS),
  },
  hosts: settings.ALLOWED_HOSTS,
  manual: settings.SIMULATOR_MANUAL,
  business: settings.SIMULATOR_BUSINESS,
  bookFile: settings.SIMULATOR_BOOK,
  receiverPassphrase: settings.SIMULATOR_RECEIVER_PASSPHRASE,
  gsma: { username: settings.SIMULATOR_GSMA_USERNAME, password: settings.SIMULATOR_GSMA_PASSWORD },
  bank: { secret: settings.SIMULATOR_BANK_SECRET, callbackUrl: settings.SIMULATOR_BANK_CALLBACK_URL },
  statements: { deposit: deposit() },
  // Each rail checks its own account.
  ...(accounts as SimulatorOptions),
  ...(settings.SIMULATOR_TLS_PORT === undefined
    ? {}
    : {
        tls: {
          key: settings.SIMULATOR_TLS_KEY,
          cert: settings.SIMULATOR_TLS_CERT,
          ca: settings.SIMULATOR_TLS_CA,
        },
      }),
  gateway: billGateway(),
  merchant: merchant(),
});

await simulator.listen(settings.SIMULATOR_PORT, settings.SIMULATOR_HOST);
if (settings.SIMULATOR_TLS_PORT !== undefined)
  await simulator.listenTls(settings.SIMULATOR_TLS_PORT, settings.SIMULATOR_HOST);
console.log(`simulator: ${simulator.url}`);
process.send?.('ready');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.close().then(() => process.exit(0)));
}

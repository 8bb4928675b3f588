import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { networks } from '../../src/domain/network.ts';
import { readJson, writePrivateJson } from './private-file.ts';
import { addProviderSecrets } from './providers.ts';

const password = () => randomBytes(16).toString('hex');

const schema = z.object({
  KEY_HASH_SECRET: z.string(),
  ENCRYPTION_KEY: z.string(),
  SUBMISSION_KEY: z.string(),
  NOTIFICATION_SECRET: z.string(),
  PAGE_KEY: z.string(),
  BANK_SECRET: z.string(),
  GSMA_PASSWORD: z.string(),
  postgresPassword: z.string(),
  /** our processes log in to Postgres with these */
  postgresApiPassword: z.string().default(password),
  postgresWorkerPassword: z.string().default(password),
  /** signs the demo account's callbacks */
  passphrase: z.string(),
  /** each network's token at the bill door; the keys are network ids */
  billTokens: z.record(z.string(), z.string()).default({}),
  providers: z.record(z.string(), z.string()).default({}),
  /** the demo account and its key, once they exist in a database */
  accountId: z.string().optional(),
  apiKey: z.string().optional(),
  approverApiKey: z.string().optional(),
  /** tokens of the two operators by name, once they exist in a database */
  operators: z.record(z.string(), z.string()).default({}),
});

export type LocalSecrets = z.infer<typeof schema>;

const random = () => randomBytes(32).toString('base64');

export function secretsFile(dataFolder: string): string {
  return path.join(dataFolder, 'secrets.json');
}

/** The first start makes the secrets and stores them beside the data, with mode 0600. */
export async function loadSecrets(dataFolder: string): Promise<LocalSecrets> {
  const content = await readJson(secretsFile(dataFolder));
  if (content !== undefined) {
    const parsed = schema.safeParse(content);
    if (parsed.success) return withAccounts(dataFolder, parsed.data);
    throw new Error(`${secretsFile(dataFolder)} is damaged: remove ${dataFolder} to begin again.`);
  }
  const secrets: LocalSecrets = {
    KEY_HASH_SECRET: random(),
    ENCRYPTION_KEY: random(),
    SUBMISSION_KEY: random(),
    NOTIFICATION_SECRET: random(),
    PAGE_KEY: random(),
    BANK_SECRET: randomBytes(24).toString('hex'),
    GSMA_PASSWORD: randomBytes(12).toString('hex'),
    postgresPassword: password(),
    postgresApiPassword: password(),
    postgresWorkerPassword: password(),
    passphrase: `whsec_${random()}`,
    billTokens: {},
    providers: {},
    operators: {},
  };
  return withAccounts(dataFolder, secrets);
}

/** Adds secrets for networks and providers that are new, or missing in an older file. */
async function withAccounts(dataFolder: string, secrets: LocalSecrets): Promise<LocalSecrets> {
  const missing = networks.filter(({ id }) => secrets.billTokens[id] === undefined);
  for (const { id } of missing) secrets.billTokens[id] = randomBytes(24).toString('hex');
  const added = addProviderSecrets(secrets.providers);
  if (added || missing.length > 0) await saveSecrets(dataFolder, secrets);
  return secrets;
}

/** Writes the form of SIMULATOR_BILL_TOKENS: `m-pesa:token,…`. */
export function billTokenList({ billTokens }: Pick<LocalSecrets, 'billTokens'>): string {
  return Object.entries(billTokens)
    .map((pair) => pair.join(':'))
    .join(',');
}

/** Names variables as deploy/channels does: `BILL_TOKEN_M_PESA`. */
export function billTokenVariables({ billTokens }: Pick<LocalSecrets, 'billTokens'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(billTokens).map(([network, token]) => [
      `BILL_TOKEN_${network.toUpperCase().replaceAll('-', '_')}`,
      token,
    ]),
  );
}

export async function saveSecrets(dataFolder: string, secrets: LocalSecrets): Promise<void> {
  await writePrivateJson(secretsFile(dataFolder), secrets);
}

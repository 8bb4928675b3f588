import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const schema = z.object({
  KEY_HASH_SECRET: z.string(),
  ENCRYPTION_KEY: z.string(),
  NOTIFICATION_SECRET: z.string(),
  BANK_SHARED_SECRET: z.string(),
  GSMA_PASSWORD: z.string(),
  postgresPassword: z.string(),
  /** signs the demo account's callbacks */
  passphrase: z.string(),
  /** the demo account and its key, once they exist in a database */
  accountId: z.string().optional(),
  apiKey: z.string().optional(),
});

export type LocalSecrets = z.infer<typeof schema>;

const random = () => randomBytes(32).toString('base64');

export function secretsFile(dataFolder: string): string {
  return path.join(dataFolder, 'secrets.json');
}

/** The secrets of this installation: made at the first start, kept with mode 0600 beside the data they protect. */
export async function loadSecrets(dataFolder: string): Promise<LocalSecrets> {
  const content = await readJson(secretsFile(dataFolder));
  if (content !== undefined) {
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw new Error(`${secretsFile(dataFolder)} is damaged: remove ${dataFolder} to begin again.`);
  }
  const secrets: LocalSecrets = {
    KEY_HASH_SECRET: random(),
    ENCRYPTION_KEY: random(),
    NOTIFICATION_SECRET: random(),
    BANK_SHARED_SECRET: randomBytes(24).toString('hex'),
    GSMA_PASSWORD: randomBytes(12).toString('hex'),
    postgresPassword: randomBytes(16).toString('hex'),
    passphrase: `whsec_${random()}`,
  };
  await saveSecrets(dataFolder, secrets);
  return secrets;
}

export async function saveSecrets(dataFolder: string, secrets: LocalSecrets): Promise<void> {
  await writePrivateJson(secretsFile(dataFolder), secrets);
}

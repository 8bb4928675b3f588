import path from 'node:path';
import { z } from 'zod';
import { channelVariables } from './channels.ts';
import { readJson } from './private-file.ts';
import { loadSecrets } from './secrets.ts';

const localSchema = z.object({
  database_url: z.string(),
  temporal_address: z.string(),
  simulator_url: z.string(),
  channels_file: z.string(),
});

/**
 * Returns the environment of this folder's `npm start`; undefined if none has run here. The folder's values
 * win, because two installations must not be mixed.
 */
export async function environmentOfLocal(
  dataFolder: string,
): Promise<Record<string, string | undefined> | undefined> {
  const local = localSchema.safeParse(await readJson(path.join(dataFolder, 'local.json')));
  if (!local.success) return undefined;
  const secrets = await loadSecrets(dataFolder);
  const { KEY_HASH_SECRET, ENCRYPTION_KEY, SUBMISSION_KEY, NOTIFICATION_SECRET, PAGE_KEY } = secrets;
  return {
    ...channelVariables(secrets, local.data),
    CHANNELS_FILE: local.data.channels_file,
    BUILD_ID: 'local',
    ...process.env,
    MALIPO_ENV: 'development',
    DATABASE_URL: local.data.database_url,
    TEMPORAL_ADDRESS: local.data.temporal_address,
    KEY_HASH_SECRET,
    ENCRYPTION_KEY,
    SUBMISSION_KEY,
    NOTIFICATION_SECRET,
    PAGE_KEY,
  };
}

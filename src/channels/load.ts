import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { type ChannelsPlan, readChannelsFile, WrongFile, wrong } from './kit/connections.ts';
import { fingerprintsOf } from './kit/fingerprints.ts';
import type { ProtocolLog } from './kit/protocol.ts';
import { type Channels, createChannels } from './kit/registry.ts';
import { protocols } from './protocols.ts';

type ChannelsConfig = Pick<Config, 'CHANNELS_FILE' | 'MALIPO_ENV' | 'PUBLIC_URL' | 'NOTIFICATION_SECRET'>;

const NOTHING = '{"connections":{},"networks":{}}';

/** Returns an empty plan without a file. Throws an Error that lists every problem. */
export function readPlan(
  config: Pick<ChannelsConfig, 'CHANNELS_FILE' | 'MALIPO_ENV'>,
  environment: Record<string, string | undefined>,
): ChannelsPlan {
  const { CHANNELS_FILE: file } = config;
  const read = (path: string) => readFileSync(path, 'utf8');
  if (file !== undefined && !existsSync(file)) throw new Error(`CHANNELS_FILE: there is no file ${file}`);
  return naming(file, () =>
    readChannelsFile(file === undefined ? NOTHING : read(file), {
      protocols,
      production: config.MALIPO_ENV === 'production',
      variable: (name) => environment[name],
      file: read,
    }),
  );
}

/** Adds the file's name to an error, because a machine may have several files. */
function naming<T>(file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof WrongFile ? wrong(error.problems, file) : error;
  }
}

/** These are fingerprints of secrets and settings, which reveal nothing. */
type Noted = {
  fingerprints: Record<string, string>;
};

/** Throws an Error that lists everything wrong. */
export function loadChannels(
  config: ChannelsConfig,
  environment: Record<string, string | undefined>,
  log: ProtocolLog,
): Channels & Noted {
  const plan = readPlan(config, environment);
  const { CHANNELS_FILE: file, PUBLIC_URL: publicUrl, NOTIFICATION_SECRET: notificationSecrets } = config;
  const [{ key }] = notificationSecrets;
  return {
    ...naming(file, () => createChannels(plan, { publicUrl, notificationSecrets, log })),
    fingerprints: fingerprintsOf(plan, key),
  };
}

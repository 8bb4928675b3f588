import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { type ChannelsPlan, readChannelsFile } from './connections.ts';
import type { ProtocolLog } from './protocol.ts';
import { protocols } from './protocols.ts';
import { type Channels, createChannels } from './registry.ts';

type ChannelsConfig = Pick<Config, 'CHANNELS_FILE' | 'MALIPO_ENV' | 'PUBLIC_URL' | 'NOTIFICATION_SECRET'>;

const NOTHING = '{"connections":{},"networks":{}}';

/**
 * What the channels file says; nothing without a file. `environment` holds the variables that it refers to. Throws an
 * Error that names everything that is wrong.
 */
export function readPlan(
  config: Pick<ChannelsConfig, 'CHANNELS_FILE' | 'MALIPO_ENV'>,
  environment: Record<string, string | undefined>,
): ChannelsPlan {
  const { CHANNELS_FILE: file } = config;
  const read = (path: string) => readFileSync(path, 'utf8');
  if (file !== undefined && !existsSync(file)) throw new Error(`CHANNELS_FILE: there is no file ${file}`);
  return readChannelsFile(file === undefined ? NOTHING : read(file), {
    protocols,
    production: config.MALIPO_ENV === 'production',
    variable: (name) => environment[name],
    file: read,
  });
}

/** The channels of this deployment. Throws an Error that names everything that is wrong with the file. */
export function loadChannels(
  config: ChannelsConfig,
  environment: Record<string, string | undefined>,
  log: ProtocolLog,
): Channels {
  return createChannels(readPlan(config, environment), {
    publicUrl: config.PUBLIC_URL,
    notificationSecrets: config.NOTIFICATION_SECRET,
    log,
  });
}

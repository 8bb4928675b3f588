import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { readChannelsFile } from './connections.ts';
import type { ProtocolLog } from './protocol.ts';
import { protocols } from './protocols.ts';
import { type Channels, createChannels } from './registry.ts';

type ChannelsConfig = Pick<Config, 'CHANNELS_FILE' | 'MALIPO_ENV' | 'PUBLIC_URL' | 'NOTIFICATION_SECRET'>;

const NOTHING = '{"connections":{},"networks":{}}';

/**
 * The channels of this deployment, as its channels file names them; none without a file. `environment` holds the
 * variables that the file refers to. Throws an Error that names everything that is wrong.
 */
export function loadChannels(
  config: ChannelsConfig,
  environment: Record<string, string | undefined>,
  log: ProtocolLog,
): Channels {
  const read = (path: string) => readFileSync(path, 'utf8');
  const plan = readChannelsFile(config.CHANNELS_FILE === undefined ? NOTHING : read(config.CHANNELS_FILE), {
    protocols,
    production: config.MALIPO_ENV === 'production',
    variable: (name) => environment[name],
    file: read,
  });
  return createChannels(plan, {
    publicUrl: config.PUBLIC_URL,
    notificationSecrets: config.NOTIFICATION_SECRET,
    log,
  });
}

import { fileURLToPath } from 'node:url';
import type { Addresses } from './addresses.ts';
import { providerVariables } from './providers.ts';
import { billTokenVariables, type LocalSecrets } from './secrets.ts';
import type { LocalSettings } from './settings.ts';

/** Variables of deploy/channels, for this installation's simulator. */
export function channelVariables(
  secrets: LocalSecrets,
  { simulator_url }: Pick<Addresses, 'simulator_url'>,
): Record<string, string> {
  return {
    GSMA_URL: simulator_url,
    GSMA_USERNAME: 'malipo',
    GSMA_PASSWORD: secrets.GSMA_PASSWORD,
    BANK_URL: simulator_url,
    BANK_SECRET: secrets.BANK_SECRET,
    ...billTokenVariables(secrets),
    ...providerVariables(secrets.providers, simulator_url),
  };
}

export function channelsFile(name: LocalSettings['channels']): string {
  const root = import.meta.url.endsWith('.ts') ? '../..' : '../../..';
  return fileURLToPath(new URL(`${root}/deploy/channels/${name}.json`, import.meta.url));
}

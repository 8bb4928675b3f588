import { HALOPESA_PATH, type HalopesaOptions } from '../../../sandbox/simulator/halopesa/network.ts';
import { createHalopesaChannel } from '../../../src/channels/halopesa/index.ts';
import { halopesaSettings } from '../../../src/channels/halopesa/settings.ts';
import { createHttpClient } from '../../../src/channels/kit/http.ts';
import type { Channel } from '../../../src/domain/channel.ts';

export const halopesaToken = 'a-secret-that-only-halopesa-was-given';

/** What the simulator asks of the account below. */
export const halopesaOptions: HalopesaOptions = {
  username: 'malipo',
  password: 'a password & more',
  secret: 'a key',
  accountId: '100006',
};

/** An account as channels.json would have it. */
export function halopesaAccount(url: string, changes: object = {}) {
  return {
    url: url + HALOPESA_PATH,
    username: 'malipo',
    password: 'a password & more',
    secret: 'a key',
    accountId: '100006',
    businessNumber: '400200',
    callback: { token: halopesaToken },
    ...changes,
  };
}

export function halopesaChannel(url: string, changes: object = {}, now?: () => number): Channel {
  const settings = halopesaSettings.parse(halopesaAccount(url, changes));
  return createHalopesaChannel({ settings, http: createHttpClient(), ...(now ? { now } : {}) });
}

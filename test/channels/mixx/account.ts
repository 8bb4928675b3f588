import {
  MIXX_BILLER_CODE,
  MIXX_BILLER_MSISDN,
  MIXX_PATHS,
  type MixxOptions,
} from '../../../sandbox/simulator/mixx/common.ts';
import { naming } from '../../../src/channels/kit/registry.ts';
import { createMixxChannel } from '../../../src/channels/mixx/index.ts';
import { mixxProtocol } from '../../../src/channels/mixx/protocol.ts';
import { type MixxSettings, mixxSettings } from '../../../src/channels/mixx/settings.ts';
import type { Channel } from '../../../src/domain/channel.ts';
import { httpOf } from '../http-of.ts';

/** What the simulator asks of the account below. */
export const mixxOptions: MixxOptions = { username: 'malipo', password: 'a password', pin: '1357' };

type Section = 'push' | 'payout' | 'status' | 'callback' | 'names';

/** An account as channels.json would have it, all of it at one address; `changes`: of members of its sections. */
export function mixxAccount(url: string, changes: Partial<Record<Section, object>> = {}) {
  const asking = { msisdn: '255650000002', pin: '1357' };
  return {
    push: {
      tokenUrl: url + MIXX_PATHS.token,
      url: url + MIXX_PATHS.push,
      username: 'malipo',
      password: 'a password',
      billerCode: MIXX_BILLER_CODE,
      billerMsisdn: MIXX_BILLER_MSISDN,
      ...changes.push,
    },
    payout: {
      url: url + MIXX_PATHS.payout,
      ...asking,
      senderName: 'Malipo',
      brandId: '1234',
      ...changes.payout,
    },
    status: { url: url + MIXX_PATHS.status, ...asking, notFoundCodes: ['GetSOError001'], ...changes.status },
    names: { url: url + MIXX_PATHS.payout, element: 'MESSAGE', ...changes.names },
    callback: { ...changes.callback },
  };
}

export function mixxChannel(url: string, changes: Parameters<typeof mixxAccount>[1] = {}): Channel {
  return mixxChannelOf(mixxSettings.parse(mixxAccount(url, changes)));
}

export function mixxChannelOf(settings: MixxSettings, now?: () => number, gate?: 'front'): Channel {
  return naming(createMixxChannel({ settings, http: httpOf(mixxProtocol, gate), ...(now ? { now } : {}) }));
}

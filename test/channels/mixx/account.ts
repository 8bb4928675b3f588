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
import { minor } from '../../../src/domain/money.ts';
import { httpOf } from '../http-of.ts';

export const mixxOrder = {
  transactionId: 't',
  reference: 'PY0123456789ABCDEF',
  amount: minor(1_500_000),
  currency: 'TZS',
  description: 'Shoes & more',
  party: { kind: 'wallet', msisdn: '255654000001' },
} as const;

/** What the simulator asks of the account below. */
export const mixxOptions: MixxOptions = { username: 'malipo', password: 'a password', pin: '1357' };

/** An account as channels.json would have it, all of it at one address. */
export function mixxAccount(
  url: string,
  changes: { callback?: object; status?: object; names?: object } = {},
) {
  return {
    push: {
      tokenUrl: url + MIXX_PATHS.token,
      url: url + MIXX_PATHS.push,
      username: 'malipo',
      password: 'a password',
      billerCode: MIXX_BILLER_CODE,
      billerMsisdn: MIXX_BILLER_MSISDN,
    },
    payout: {
      url: url + MIXX_PATHS.payout,
      msisdn: '255650000002',
      pin: '1357',
      senderName: 'Malipo',
      brandId: '1234',
    },
    status: {
      url: url + MIXX_PATHS.status,
      msisdn: '255650000002',
      pin: '1357',
      notFoundCodes: ['GetSOError001'],
      ...changes.status,
    },
    names: changes.names ?? { url: url + MIXX_PATHS.payout, element: 'MESSAGE' },
    callback: changes.callback ?? {},
  };
}

export function mixxChannel(url: string, changes: Parameters<typeof mixxAccount>[1] = {}): Channel {
  return mixxChannelOf(mixxSettings.parse(mixxAccount(url, changes)));
}

export function mixxChannelOf(settings: MixxSettings, now?: () => number, gate?: 'front'): Channel {
  return naming(createMixxChannel({ settings, http: httpOf(mixxProtocol, gate), ...(now ? { now } : {}) }));
}

import data from '../../data/networks.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { Channel } from '../domain/channel.ts';
import { networks } from '../domain/network.ts';
import { createGsmaClient, type GsmaSettings } from './gsma/client.ts';
import { createGsmaChannel } from './gsma/index.ts';
import { createHttpClient } from './http.ts';
import { type BankSettings, createIso20022Channel } from './iso20022/index.ts';

/** Where a channel notifies us: the path below PUBLIC_URL (`/channels/{door}/…`). */
export type NotificationDoor = 'gsma' | 'iso20022';

/** A channel that this deployment has, with what data/networks.json says of it. Durations are milliseconds. */
export type ConfiguredChannel = {
  id: string;
  protocol: 'gsma-mm-1.2' | 'iso20022';
  channel: Channel;
  doors: readonly NotificationDoor[];
  /** 0 where nobody is prompted */
  promptTtlMs: number;
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
};

export type Channels = {
  /** by network id (`m-pesa`), or `bank`; undefined when it is not configured */
  forChannel(channelId: string): ConfiguredChannel | undefined;
  /** which channel reads the notifications of a door */
  byDoor(door: NotificationDoor): Channel | undefined;
  /** whether a channel notifies through this door */
  serves(door: NotificationDoor, channelId: string): boolean;
  ids: string[];
};

export type ChannelSettings = {
  /** the address under which channels reach our notification doors, without a trailing slash */
  publicUrl: string;
  /** the per-transaction secrets in notification addresses are derived from it */
  notificationSecret: string;
  gsma?: GsmaSettings & { organisationId: string };
  bank?: BankSettings;
};

/** What the configuration says about channels: one that has no address is not there. */
export function channelSettingsOf(config: Config): ChannelSettings {
  const settings: ChannelSettings = {
    publicUrl: config.PUBLIC_URL,
    notificationSecret: config.NOTIFICATION_SECRET,
  };
  if (config.GSMA_URL !== undefined) {
    settings.gsma = {
      url: config.GSMA_URL,
      username: config.GSMA_USERNAME,
      password: config.GSMA_PASSWORD,
      authorisation: config.GSMA_AUTHORISATION,
      organisationId: config.GSMA_ORGANISATION_ID,
    };
  }
  if (config.BANK_URL !== undefined && config.BANK_SHARED_SECRET !== undefined) {
    settings.bank = {
      url: config.BANK_URL,
      secret: config.BANK_SHARED_SECRET,
      debtor: {
        name: config.BANK_DEBTOR_NAME,
        account: config.BANK_DEBTOR_ACCOUNT,
        bic: config.BANK_DEBTOR_BIC,
      },
    };
  }
  return settings;
}

/** All channels of this deployment. A new protocol is one more function here (docs/add-a-channel.md). */
export function createChannels(settings: ChannelSettings): Channels {
  const configured = new Map<string, ConfiguredChannel>(
    [...wallets(settings), ...bank(settings)].map((channel) => [channel.id, channel]),
  );
  return {
    forChannel: (channelId) => configured.get(channelId),
    byDoor: (door) => [...configured.values()].find((channel) => channel.doors.includes(door))?.channel,
    serves: (door, channelId) => configured.get(channelId)?.doors.includes(door) ?? false,
    ids: [...configured.keys()],
  };
}

/** Every wallet over GSMA: one connection pool and one token for all of them, the network named in a header. */
function wallets({ gsma, publicUrl, notificationSecret }: ChannelSettings): ConfiguredChannel[] {
  if (!gsma) return [];
  const client = createGsmaClient(gsma, createHttpClient());
  const { organisationId } = gsma;
  return networks.map((network) => ({
    id: network.id,
    protocol: 'gsma-mm-1.2',
    channel: createGsmaChannel({
      client,
      network: network.id,
      organisationId,
      publicUrl,
      notificationSecret,
    }),
    doors: ['gsma'],
    promptTtlMs: network.promptTtlMs,
    firstEnquiryAfterMs: network.firstEnquiryAfterMs,
    settleTimeMs: network.settleTimeMs,
  }));
}

function bank({ bank: rail }: ChannelSettings): ConfiguredChannel[] {
  const row = data.other_channels.find((channel) => channel.id === 'bank');
  if (!rail || row?.first_enquiry_after_seconds === undefined || row.settle_time_seconds === undefined)
    return [];
  return [
    {
      id: row.id,
      protocol: 'iso20022',
      channel: createIso20022Channel(rail),
      doors: ['iso20022'],
      promptTtlMs: 0,
      firstEnquiryAfterMs: row.first_enquiry_after_seconds * 1000,
      settleTimeMs: row.settle_time_seconds * 1000,
    },
  ];
}

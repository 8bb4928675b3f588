import type { Channel } from '../../domain/channel.ts';
import type { Capabilities } from '../kit/protocol.ts';
import { refusedHere } from '../kit/refused.ts';
import type { SelcomClient } from './client.ts';
import { createCheckout, createPushUssd } from './collect.ts';
import { createNotifications } from './notification.ts';
import { createPayouts } from './payout.ts';
import type { SelcomSettings } from './settings.ts';

export { notificationDoors } from './notification.ts';

export type SelcomChannelOptions = {
  client: SelcomClient;
  settings: SelcomSettings;
  /** network whose customers use it; `bank` for bank accounts */
  network: string;
  publicUrl: string;
  now?: () => number;
};

/** No page says that a repeated transid is safe, so each is sent only once. */
export const capabilities: Capabilities = {
  push: true,
  payouts: ['wallet', 'bank'],
  enquiry: true,
  deduplicates: { collection: false, payout: false },
};

export function createSelcomChannel(options: SelcomChannelOptions): Channel {
  const { settings, network } = options;
  const collection = settings.collect === 'checkout' ? createCheckout(options) : createPushUssd(options);
  const payouts = createPayouts(options);
  const notifications = createNotifications(settings, options.now);

  return {
    async requestPush(order, call) {
      if (network === 'bank') return { kind: 'not_sent', detail: 'a bank takes no pushes' };
      return refusedHere(order, settings.currency) ?? collection.push(order, call);
    },
    async requestPayout(order, call) {
      return refusedHere(order, settings.currency) ?? payouts.send(order, call);
    },
    enquire: (order, call) => (order.direction === 'collection' ? collection : payouts).enquire(order, call),
    lookupName: payouts.lookupName,
    verifyNotification: notifications.verify,
    translateNotification: notifications.translate,
  };
}

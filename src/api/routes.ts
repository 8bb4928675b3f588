import type { Database } from '../db/pool.ts';
import type { Channel } from '../domain/channel.ts';
import type { GatewayTiming } from '../domain/timing.ts';
import type { Route } from './app.ts';
import { createBankList, getBankList } from './bank.ts';
import { type BillSettings, createBill, createBillOrder } from './bill-order.ts';
import { createGetCallbacks, getCallbacks } from './callback-log.ts';
import { createResends, resendCallback, resendCallbacks, testCallback } from './callback-resend.ts';
import {
  type CallbackSettingsStore,
  createCallbackSettings,
  getCallbackSettings,
  putCallbackSettings,
} from './callback-settings.ts';
import { cancelPayment, cancelPayout, createCancel } from './cancel.ts';
import type { Endpoint, Handler } from './endpoint.ts';
import type { Flows } from './flows.ts';
import { getOpenApi, openApiText } from './openapi.ts';
import {
  type ChannelTiming,
  createBankPayout,
  createMobilePayout,
  initiateBankPayout,
  initiateMobilePayout,
} from './payout.ts';
import { createBankPreview, createMobilePreview, previewBankPayout, previewMobilePayout } from './preview.ts';
import { createQr, createQrPayment } from './qr-payment.ts';
import { createStart } from './start.ts';
import { createStatus, getStatus } from './status.ts';
import {
  createTransactionHandlers,
  getBalance,
  getEntries,
  getPayment,
  getPayout,
  getTransaction,
  getTransactions,
} from './transaction.ts';
import { createUssdPush, initiateUssdPush } from './ussd-push.ts';

/** The one table of routes: the router, the checks and the OpenAPI document are made from it. */
export const endpoints = {
  getStatus,
  getOpenApi,
  initiateUssdPush,
  createBill,
  createQr,
  getPayment,
  cancelPayment,
  previewMobilePayout,
  initiateMobilePayout,
  previewBankPayout,
  initiateBankPayout,
  getBankList,
  getPayout,
  cancelPayout,
  getTransactions,
  getTransaction,
  getEntries,
  getBalance,
  getCallbackSettings,
  putCallbackSettings,
  testCallback,
  getCallbacks,
  resendCallbacks,
  resendCallback,
} satisfies Record<string, Endpoint>;

export type OfferedChannel = ChannelTiming & { channel: Pick<Channel, 'lookupName'> };

export type RouteDeps = {
  database: Database;
  flows: Flows;
  timing: GatewayTiming;
  bills: BillSettings;
  /** a channel that is configured here, by its id */
  channelOf: (channelId: string) => OfferedChannel | undefined;
  callbackSettings: CallbackSettingsStore;
  isHealthy: () => Promise<boolean>;
  now?: () => Date;
};

export function createRoutes(deps: RouteDeps): Route[] {
  const now = deps.now ?? (() => new Date());
  const { database, flows, timing, channelOf } = deps;
  const document = openApiText(endpoints);
  const start = createStart({ database, flows });
  const isOffered = (channelId: string) => channelOf(channelId) !== undefined;
  const payout = { database, start, timing, isOffered, channelOf };
  const previews = { database, isOffered, channelOf: (channelId: string) => channelOf(channelId)?.channel };
  const handlers: Record<keyof typeof endpoints, Handler> = {
    getStatus: createStatus(deps.isHealthy),
    getOpenApi: async () => ({ body: document }),
    initiateUssdPush: createUssdPush({ start, timing, isOffered }),
    createBill: createBillOrder({ start, bills: deps.bills }),
    createQr: createQrPayment({ start, bills: deps.bills }),
    cancelPayment: createCancel({ database, flows, now }, 'payment'),
    previewMobilePayout: createMobilePreview(previews),
    initiateMobilePayout: createMobilePayout(payout),
    previewBankPayout: createBankPreview(previews),
    initiateBankPayout: createBankPayout(payout),
    getBankList: createBankList({ database }),
    cancelPayout: createCancel({ database, flows, now }, 'payout'),
    ...createTransactionHandlers({ database, now }),
    ...createCallbackSettings(deps.callbackSettings),
    getCallbacks: createGetCallbacks({ database }),
    ...createResends({ database, flows, now }),
  };
  return Object.entries(endpoints).map(([name, endpoint]) => ({
    name,
    endpoint,
    handler: handlers[name as keyof typeof endpoints],
  }));
}

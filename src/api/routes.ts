import type { SettingsDeps } from '../callbacks/settings.ts';
import type { Channels } from '../channels/registry.ts';
import type { Database } from '../db/pool.ts';
import type { Operation } from '../domain/kinds.ts';
import type { GatewayTiming } from '../domain/timing.ts';
import type { Gate } from '../traffic/gate.ts';
import { createTransactionList } from '../transactions/rows/list.ts';
import { createBankList, getBankList } from './bank.ts';
import { type BillSettings, createBill, createBillOrder } from './bill-order.ts';
import { createGetCallbacks, getCallbacks } from './callbacks/log.ts';
import { createResends, resendCallback, resendCallbacks, testCallback } from './callbacks/resend.ts';
import { createCallbackSettings, getCallbackSettings, putCallbackSettings } from './callbacks/settings.ts';
import { createGetCallback, getCallback, type SignCallback } from './callbacks/signed.ts';
import { cancelPayment, cancelPayout, createCancel } from './cancel.ts';
import { createFenceWatch } from './fence-watch.ts';
import type { Flows } from './flows.ts';
import type { Route } from './http/app.ts';
import type { Endpoint, Fitting, Handler } from './http/endpoint.ts';
import { createNetworks, getNetworks } from './networks.ts';
import { createBankPayout, createMobilePayout, initiateBankPayout, initiateMobilePayout } from './payout.ts';
import {
  createBankPreview,
  createMobilePreview,
  type PreviewSettings,
  previewBankPayout,
  previewMobilePayout,
} from './preview.ts';
import { createQr, createQrPayment } from './qr-payment.ts';
import { getOpenApi, openApiOf } from './reference/openapi.ts';
import { createRefund, refundPayment } from './refund.ts';
import { createStart } from './start.ts';
import { createGetStatement, getStatement } from './statements/statement.ts';
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

const table = {
  getStatus,
  getOpenApi,
  initiateUssdPush,
  createBill,
  createQr,
  getPayment,
  cancelPayment,
  refundPayment,
  previewMobilePayout,
  initiateMobilePayout,
  previewBankPayout,
  initiateBankPayout,
  getBankList,
  getNetworks,
  getPayout,
  cancelPayout,
  getTransactions,
  getTransaction,
  getEntries,
  getBalance,
  getStatement,
  getCallbackSettings,
  putCallbackSettings,
  testCallback,
  getCallbacks,
  getCallback,
  resendCallbacks,
  resendCallback,
} satisfies Record<string, Endpoint>;

/** The one table of routes: the router, the checks and the OpenAPI document are made from it. */
export const endpoints = table satisfies {
  [Name in keyof typeof table]: Fitting<(typeof table)[Name]>;
} & EveryOperation;

/** What the table of kinds can create has an endpoint that creates it. */
type EveryOperation =
  Exclude<Operation, Path> extends never ? unknown : { missing: Exclude<Operation, Path> };
type Path = (typeof table)[keyof typeof table]['paths'][number];

export type RouteDeps = {
  database: Database;
  flows: Flows;
  timing: GatewayTiming;
  bills: BillSettings;
  previews: PreviewSettings;
  /** what carries a network's payments or payouts here */
  routeOf: Channels['routeOf'];
  /** before every channel */
  gate: Pick<Gate, 'view' | 'mayTry' | 'states'>;
  callbackSettings: SettingsDeps;
  signCallback: SignCallback;
  isHealthy: () => Promise<boolean>;
  /** Postgres was restored and not yet recovered: nothing is started */
  isFenced?: () => Promise<boolean>;
  now?: () => Date;
};

/** The handler of every endpoint of the table. */
export function createRoutes(deps: RouteDeps): Route[] {
  const now = deps.now ?? (() => new Date());
  const { database, flows, timing } = deps;
  const document = openApiOf(endpoints);
  const isFenced = deps.isFenced ?? createFenceWatch(database);
  const start = createStart({ database, flows, isFenced });
  const paymentsOver = (channelId: string) => deps.routeOf(channelId, 'collection');
  const payoutsOver = (channelId: string) => deps.routeOf(channelId, 'payout');
  const listTransactions = createTransactionList(database);
  const payout = { database, start, timing, routeOf: payoutsOver };
  const previews = { database, routeOf: payoutsOver, previews: deps.previews };
  const handlers: Record<keyof typeof endpoints, Handler> = {
    getStatus: createStatus(deps.isHealthy),
    getOpenApi: async () => ({ body: document }),
    initiateUssdPush: createUssdPush({ start, timing, routeOf: paymentsOver, database, gate: deps.gate }),
    createBill: createBillOrder({ database, start, bills: deps.bills }),
    createQr: createQrPayment({ database, start, bills: deps.bills }),
    cancelPayment: createCancel({ database, flows, now }, 'payment'),
    refundPayment: createRefund(payout),
    previewMobilePayout: createMobilePreview(previews),
    initiateMobilePayout: createMobilePayout(payout),
    previewBankPayout: createBankPreview(previews),
    initiateBankPayout: createBankPayout(payout),
    getBankList: createBankList(listTransactions),
    getNetworks: createNetworks({ routeOf: deps.routeOf, gate: deps.gate }),
    cancelPayout: createCancel({ database, flows, now }, 'payout'),
    ...createTransactionHandlers({ database, now, listTransactions }),
    getStatement: createGetStatement({ database, now }),
    ...createCallbackSettings({ database, flows, now, callbackSettings: deps.callbackSettings }),
    getCallbacks: createGetCallbacks({ database }),
    getCallback: createGetCallback(deps.signCallback),
    ...createResends({ database, flows, now }),
  };
  return Object.entries(endpoints).map(([name, endpoint]) => ({
    name,
    endpoint,
    handler: handlers[name as keyof typeof endpoints],
  }));
}

import type { Operation } from '../domain/kinds.ts';
import { createTransactionList } from '../transactions/rows/list.ts';
import {
  cancelBatch,
  getBatch,
  getBatches,
  getBatchItems,
  pauseBatch,
  resumeBatch,
  startBatch,
} from './batches/batch-life.ts';
import { createBatch } from './batches/batches.ts';
import { getCallbacks } from './callbacks/log.ts';
import { resendCallback, resendCallbacks, testCallback } from './callbacks/resend.ts';
import { getCallbackSettings, putCallbackSettings } from './callbacks/settings.ts';
import { getCallback } from './callbacks/signed.ts';
import { getFees } from './fees.ts';
import type { Route } from './kit/call.ts';
import { createFenceWatch } from './kit/fence-watch.ts';
import type { Call, Deps } from './kit/gateway-call.ts';
import { createNumberMaker } from './kit/make-numbers.ts';
import { createStart } from './kit/start.ts';
import { getNetworks } from './networks.ts';
import { closeLink, createLink, getLink, getLinks } from './numbers/links.ts';
import {
  closeNumber,
  createNumber,
  createNumbers,
  getNumber,
  getNumbers,
  openNumber,
} from './numbers/numbers.ts';
import { getBankList } from './payments/bank.ts';
import { createBill } from './payments/bill-order.ts';
import { cancelPayment, cancelPayout } from './payments/cancel.ts';
import { initiateBankPayout, initiateMobilePayout } from './payments/payout.ts';
import { previewBankPayout, previewMobilePayout } from './payments/preview.ts';
import { createQr } from './payments/qr-payment.ts';
import { refundPayment } from './payments/refund.ts';
import { settle } from './payments/settlement.ts';
import {
  getBalance,
  getEntries,
  getPayment,
  getPayout,
  getTransaction,
  getTransactions,
} from './payments/transaction.ts';
import { initiateUssdPush } from './payments/ussd-push.ts';
import { getOpenApi, openApiOf } from './reference/openapi.ts';
import { getFeeStatement } from './statements/fees.ts';
import { getStatement } from './statements/statement.ts';
import { getStatus } from './status.ts';

const table = {
  getStatus,
  getOpenApi,
  initiateUssdPush,
  createBill,
  createQr,
  createNumber,
  createNumbers,
  createLink,
  getLinks,
  getLink,
  closeLink,
  getNumbers,
  getNumber,
  closeNumber,
  openNumber,
  getPayment,
  cancelPayment,
  refundPayment,
  previewMobilePayout,
  initiateMobilePayout,
  previewBankPayout,
  initiateBankPayout,
  settle,
  getBankList,
  getNetworks,
  getFees,
  createBatch,
  getBatches,
  getBatch,
  getBatchItems,
  startBatch,
  pauseBatch,
  resumeBatch,
  cancelBatch,
  getPayout,
  cancelPayout,
  getTransactions,
  getTransaction,
  getEntries,
  getBalance,
  getStatement,
  getFeeStatement,
  getCallbackSettings,
  putCallbackSettings,
  testCallback,
  getCallbacks,
  getCallback,
  resendCallbacks,
  resendCallback,
} satisfies Record<string, Call>;

/** The router, the checks and the OpenAPI document follow this table of merchants' calls. */
export const calls = table satisfies EveryOperation;

/** The compiler names an operation in `kinds` that has no call. */
type EveryOperation =
  Exclude<Operation, Path> extends never ? unknown : { missing: Exclude<Operation, Path> };
type Path = (typeof table)[keyof typeof table]['paths'][number];

type Made = 'start' | 'makeNumbers' | 'listTransactions' | 'paymentsOver' | 'payoutsOver' | 'openApi' | 'now';
export type RouteDeps = Omit<Deps, Made> & {
  /** true after a restore of Postgres, until `recover` has run: then no call starts anything */
  isFenced?: () => Promise<boolean>;
  now?: () => Date;
};

export function createRoutes({ isFenced, ...given }: RouteDeps): Route[] {
  const { database, flows, routeOf } = given;
  const tools = { database, flows, isFenced: isFenced ?? createFenceWatch(database) };
  const deps: Deps = {
    now: () => new Date(),
    ...given,
    start: createStart(tools),
    makeNumbers: createNumberMaker({ ...tools, bills: given.bills }),
    listTransactions: createTransactionList(database),
    paymentsOver: (accountId) => (channelId) => routeOf(channelId, 'collection', accountId),
    payoutsOver: (accountId) => (channelId) => routeOf(channelId, 'payout', accountId),
    openApi: openApiOf(calls),
  };
  return Object.entries<Call>(calls).map(([name, line]) => ({
    name,
    line,
    handle: (request) => line.handle(request, deps),
  }));
}

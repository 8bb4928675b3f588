import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { refusalOf } from '../../src/base/local-requests.ts';
import { createBillPayments } from './bills/bill-payments.ts';
import type { BillGateway } from './bills/bill-step.ts';
import { createBillSteps } from './bills/bill-steps.ts';
import { addPayBill } from './bills/pay-bill.ts';
import { type Book, openBook } from './core/book.ts';
import { refuseLacking } from './core/lacking.ts';
import { createOrders, type Orders } from './core/orders.ts';
import type { SimulatorTiming } from './core/scenario.ts';
import { createWireLog } from './core/wire-log.ts';
import { addNetworks, type NetworkOptions, ownSteps } from './networks.ts';
import { addCustomer, answerInJson } from './people/customer.ts';
import { addMerchant, type MerchantOptions } from './people/merchant.ts';
import { addPage } from './people/page.ts';
import { addPhone } from './people/phone.ts';
import { addReceiver } from './people/receiver.ts';
import { addStatements, type StatementOptions } from './statements/serve.ts';

export type SimulatorOptions = NetworkOptions & {
  timing?: Partial<SimulatorTiming>;
  /** a person answers ordinary pushes: at the phone page, or `POST /customer/prompts/{id}` */
  manual?: boolean;
  /** the merchant's name in prompts and messages; default: Malipo */
  business?: string | undefined;
  /** default: the book is in memory */
  bookFile?: string | undefined;
  /** the demo receiver verifies callbacks with it */
  receiverPassphrase?: string | undefined;
  /** allowed Host names; refuses pages of other sites; absent: any */
  hosts?: readonly string[] | undefined;
  statements?: StatementOptions;
  /** where networks ask about bills; without it no customer can pay one */
  gateway?: BillGateway | undefined;
  /** the merchant on the phone page; if absent, the phone only */
  merchant?: MerchantOptions | undefined;
  /** how long `POST /customer/pay-bill` waits for the final answer */
  payBillWaitMs?: number;
  /** PEM: also serves TLS, only for clients with a certificate of this CA */
  tls?: { key: string; cert: string; ca: string } | undefined;
};

export type Simulator = {
  /** Listens on loopback (or another host) and resolves to the port; 0 picks a free one. */
  listen(port: number, host?: string): Promise<number>;
  listenTls(port: number, host?: string): Promise<number>;
  close(): Promise<void>;
  /** `http://127.0.0.1:4010`, once it listens */
  readonly url: string;
  readonly book: Book;
  readonly orders: Orders;
};

const DEFAULT_TIMING: SimulatorTiming = {
  customerMs: 1_500,
  promptMs: 300_000,
  slowAnswerMs: 10_000,
  // The service has settled the failure by then, even on a busy machine.
  lateSuccessMs: 5_000,
};

const PAY_BILL_WAIT_MS = 20_000;

/** Plays customers, networks and banks over the real wire protocols, for development and tests only. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const book = openBook({ file: options.bookFile });
  const wire = createWireLog();
  const orders = createOrders({ book, timing, manual: options.manual ?? false, ask: wire.ask });
  const gateway = options.gateway && { ...options.gateway, ask: wire.ask };
  const router = new Router();
  addTruth(router, book);
  const receiver = addReceiver(router, { passphrase: options.receiverPassphrase });
  router.use(['/customer', '/phone', '/merchant'], answerInJson);
  addCustomer(router, orders);
  addPage(router);
  addPhone(router, { book, orders, wire, business: options.business ?? 'Malipo' });
  addMerchant(router, { receiver, merchant: options.merchant });
  const billPayments = createBillPayments({
    book,
    steps: gateway ? createBillSteps(gateway, ownSteps(router, gateway, options)) : null,
    waitMs: options.payBillWaitMs ?? PAY_BILL_WAIT_MS,
  });
  addPayBill(router, billPayments);
  const rails = { router, orders, timing, book };
  addNetworks(rails, options);
  addStatements(rails, options.statements ?? {});

  const app = new Koa();
  app.on('error', reportError);
  app.use(ownOnly(options.hosts)).use(wire.listen).use(refuseLacking).use(router.routes());
  app.use(router.allowedMethods());
  const server = createServer({ requestTimeout: 30_000 }, app.callback());
  const mutual = { requestCert: true, rejectUnauthorized: true, requestTimeout: 30_000 };
  const tlsServer = options.tls && createTlsServer({ ...options.tls, ...mutual }, app.callback());
  return {
    listen: (port, host = '127.0.0.1') => listen(server, port, host),
    listenTls: (port, host = '127.0.0.1') => {
      if (!tlsServer) throw new Error('the simulator was given no certificate');
      return listen(tlsServer, port, host);
    },
    async close() {
      await Promise.all([orders.close(), billPayments?.close()]);
      await closeServer(server);
      if (tlsServer) await closeServer(tlsServer);
      await book.close();
    },
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    book,
    orders,
  };
}

function ownOnly(hosts: readonly string[] | undefined): Koa.Middleware {
  return (context, next) => {
    const refusal = hosts && refusalOf(context.req, hosts);
    if (!refusal) return next();
    context.status = refusal === 'host' ? 421 : 403;
    context.body = { message: 'The simulator is for this machine: name other ones in ALLOWED_HOSTS' };
  };
}

/** Networks tolerate clients that disconnect; any other error is a fault of the simulator. */
function reportError(error: NodeJS.ErrnoException & { expose?: boolean }): void {
  if (error.expose || error.code === 'ECONNRESET' || error.code === 'EPIPE') return;
  console.error('simulator:', error);
}

function addTruth(router: Router, book: Book): void {
  router.get('/truth', (context) => {
    const { reference } = context.query;
    context.body = { movements: book.movements(typeof reference === 'string' ? reference : undefined) };
  });
  router.get('/livez', (context) => {
    context.body = { status: 'ok' };
  });
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

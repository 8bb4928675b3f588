import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { refusalOf } from '../../src/base/local-requests.ts';
import { type AirtelOpenapiOptions, addAirtelOpenapi } from './airtel-openapi/network.ts';
import { createAirtelPaybillSteps } from './airtel-paybill/bill.ts';
import { createBillPayments } from './bills/bill-payments.ts';
import type { BillGateway } from './bills/bill-step.ts';
import { createBillSteps, type OtherSteps } from './bills/bill-steps.ts';
import { addPayBill } from './bills/pay-bill.ts';
import { addClickpesa, type ClickpesaOptions } from './clickpesa/network.ts';
import { type Book, openBook } from './core/book.ts';
import { refuseLacking } from './core/lacking.ts';
import { createOrders, type Orders } from './core/orders.ts';
import type { SimulatorTiming } from './core/scenario.ts';
import { createWireLog } from './core/wire-log.ts';
import { addGsma, type GsmaOptions } from './gsma/network.ts';
import { createHalopesaBillSteps } from './halopesa/bill.ts';
import { addHalopesa, type HalopesaOptions } from './halopesa/network.ts';
import { addIso20022, type BankOptions } from './iso20022/network.ts';
import { createMixxBillSteps } from './mixx/bill.ts';
import type { MixxOptions } from './mixx/common.ts';
import { addMixx } from './mixx/network.ts';
import { createMpesaBrokerSteps, type MpesaBrokerOptions } from './mpesa-broker/bill.ts';
import { addCustomer, answerInJson } from './people/customer.ts';
import { addMerchant, type MerchantOptions } from './people/merchant.ts';
import { addPage } from './people/page.ts';
import { addPhone } from './people/phone.ts';
import { addReceiver } from './people/receiver.ts';
import { addSelcom, type SelcomOptions } from './selcom/network.ts';
import { addStatements, type StatementOptions } from './statements/serve.ts';
import { addVodacomOpenapi, type VodacomOpenapiOptions } from './vodacom-openapi/network.ts';

export type SimulatorOptions = {
  timing?: Partial<SimulatorTiming>;
  /** ordinary pushes wait for a person from the start: at the phone page, or `POST /customer/prompts/{id}` */
  manual?: boolean;
  /** the name under which networks know the merchant, which prompts and messages show; absent: Malipo */
  business?: string | undefined;
  /** where the book is kept; in memory when absent */
  bookFile?: string | undefined;
  /** with which the demo receiver verifies callbacks */
  receiverPassphrase?: string | undefined;
  gsma?: GsmaOptions;
  bank?: BankOptions;
  /** it takes these in the header Host only, and nothing that a page of another site can send; absent: any */
  hosts?: readonly string[] | undefined;
  /** absent: there is no M-Pesa OpenAPI */
  vodacomOpenapi?: VodacomOpenapiOptions | undefined;
  mixx?: MixxOptions;
  halopesa?: HalopesaOptions;
  airtelOpenapi?: AirtelOpenapiOptions;
  selcom?: SelcomOptions;
  clickpesa?: ClickpesaOptions;
  /** of the merchant's accounts, as files */
  statements?: StatementOptions;
  /** where networks ask about bills; without it no customer can pay one */
  gateway?: BillGateway | undefined;
  /** with which HaloPesa's bill payments are signed; no check sum without it */
  halopesaBillSecret?: string | undefined;
  /** absent: nobody pays bills over the M-Pesa broker */
  mpesaBroker?: MpesaBrokerOptions | undefined;
  /** whose side the phone page shows beside the phone; absent: it shows the phone only */
  merchant?: MerchantOptions | undefined;
  /** how long `POST /customer/pay-bill` waits for the final answer */
  payBillWaitMs?: number;
  /** PEM: with which it is served over TLS too, to clients with a certificate of this CA and to no others */
  tls?: { key: string; cert: string; ca: string } | undefined;
};

export type Simulator = {
  /** Listens on loopback (or another host) and resolves to the port; 0 picks a free one. */
  listen(port: number, host?: string): Promise<number>;
  /** The same over TLS, where it was given a certificate. */
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
  // The service has had time to settle the failure, on a busy machine too.
  lateSuccessMs: 5_000,
};

const PAY_BILL_WAIT_MS = 20_000;

/** Customers, networks and banks that speak the real wire protocols, for development and tests only. */
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
  addGsma(rails, options.gsma ?? {});
  addIso20022(rails, options.bank ?? {});
  if (options.vodacomOpenapi) addVodacomOpenapi(rails, options.vodacomOpenapi);
  addMixx(rails, options.mixx ?? {});
  addHalopesa(rails, options.halopesa ?? {});
  addAirtelOpenapi(rails, options.airtelOpenapi ?? {});
  addSelcom(rails, options.selcom ?? {});
  addClickpesa(rails, options.clickpesa ?? {});
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

/** Bills in the networks' own forms. */
function ownSteps(router: Router, gateway: BillGateway, options: SimulatorOptions): OtherSteps {
  const { mpesaBroker, halopesaBillSecret } = options;
  const airtel = gateway.credentials?.['airtel-money'];
  return {
    ...(mpesaBroker ? { 'mpesa-broker': createMpesaBrokerSteps(router, gateway, mpesaBroker) } : {}),
    'mixx-w2a': createMixxBillSteps(gateway),
    'halopesa-soap': createHalopesaBillSteps(gateway, halopesaBillSecret),
    ...(airtel ? { 'airtel-paybill': createAirtelPaybillSteps({ ...gateway, ...airtel }) } : {}),
  };
}

/** A client that went away is what networks live with; anything else is a fault of the simulator. */
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

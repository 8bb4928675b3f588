import type Router from '@koa/router';
import { addAirtelOpenapi } from './airtel-openapi/network.ts';
import { createAirtelPaybillSteps } from './airtel-paybill/bill.ts';
import type { BillGateway, BillSteps } from './bills/bill-step.ts';
import { addClickpesa } from './clickpesa/network.ts';
import type { RailContext } from './core/rail.ts';
import { addGsma } from './gsma/network.ts';
import { createHalopesaBillSteps } from './halopesa/bill.ts';
import { addHalopesa } from './halopesa/network.ts';
import { addIso20022 } from './iso20022/network.ts';
import { createMixxBillSteps } from './mixx/bill.ts';
import { addMixx } from './mixx/network.ts';
import { createMpesaBrokerSteps, type MpesaBrokerOptions } from './mpesa-broker/bill.ts';
import { addSelcom } from './selcom/network.ts';
import { addVodacomOpenapi, type VodacomOpenapiOptions } from './vodacom-openapi/network.ts';

/** Plays the network of each protocol; keys name its options. A new protocol is a folder and a line. */
const networks = {
  gsma: addGsma,
  bank: addIso20022,
  /** The M-Pesa OpenAPI needs options, because it has no default account. */
  vodacomOpenapi: (rail: RailContext, options: Partial<VodacomOpenapiOptions>) => {
    if (isWhole(options)) addVodacomOpenapi(rail, options);
  },
  mixx: addMixx,
  halopesa: addHalopesa,
  airtelOpenapi: addAirtelOpenapi,
  selcom: addSelcom,
  clickpesa: addClickpesa,
} satisfies Record<string, (rail: RailContext, options: never) => void>;

const isWhole = (options: Partial<VodacomOpenapiOptions>): options is VodacomOpenapiOptions =>
  Object.keys(options).length > 0;

/** The keys are bill protocols other than plain JSON and GSMA. */
const bills: Record<
  string,
  (router: Router, gateway: BillGateway, options: NetworkOptions) => BillSteps | undefined
> = {
  'mpesa-broker': (router, gateway, { mpesaBroker }) =>
    mpesaBroker && createMpesaBrokerSteps(router, gateway, mpesaBroker),
  'mixx-w2a': (_router, gateway) => createMixxBillSteps(gateway),
  'halopesa-soap': (_router, gateway, { halopesaBillSecret }) =>
    createHalopesaBillSteps(gateway, halopesaBillSecret),
  'airtel-paybill': (_router, gateway) => {
    const airtel = gateway.credentials?.['airtel-money'];
    return airtel && createAirtelPaybillSteps({ ...gateway, ...airtel });
  },
};

export const billForms = ['bill-json', 'gsma-mm-1.2', ...Object.keys(bills)] as const;

export type NetworkOptions = {
  [Name in keyof typeof networks]?: Parameters<(typeof networks)[Name]>[1] | undefined;
} & {
  /** signs HaloPesa's bill payments; without it they have no checksum */
  halopesaBillSecret?: string | undefined;
  /** absent: nobody pays bills over the M-Pesa broker */
  mpesaBroker?: MpesaBrokerOptions | undefined;
};

export function addNetworks(rail: RailContext, options: NetworkOptions): void {
  for (const [name, add] of Object.entries(networks) as [keyof typeof networks, AddNetwork][])
    add(rail, options[name] ?? {});
}

// The compiler cannot match an option with the function of the same name.
type AddNetwork = (rail: RailContext, options: object) => void;

export function ownSteps(
  router: Router,
  gateway: BillGateway,
  options: NetworkOptions,
): Record<string, BillSteps | undefined> {
  return Object.fromEntries(
    Object.entries(bills).map(([protocol, create]) => [protocol, create(router, gateway, options)]),
  );
}

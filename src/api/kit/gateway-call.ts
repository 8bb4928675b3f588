import type { SettingsDeps } from '../../callbacks/settings.ts';
import type { SignedCallback } from '../../callbacks/signed.ts';
import type { Channels } from '../../channels/kit/registry.ts';
import type { Gate } from '../../channels/traffic/gate.ts';
import type { Operations } from '../../domain/channel-health.ts';
import type { QrPayee } from '../../domain/operation.ts';
import type { GatewayTiming } from '../../domain/timing.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { Constant } from '../../platform/http/constant.ts';
import type { ListTransactions } from '../../transactions/rows/list.ts';
import type { AnswerOf, ApiRequest, MerchantLine } from './call.ts';
import type { Flows } from './flows.ts';
import type { MakeNumbers } from './make-numbers.ts';
import type { RouteOf } from './request-rules.ts';
import type { Start } from './start.ts';

export type Deps = {
  database: Database;
  flows: Flows;
  start: Start;
  makeNumbers: MakeNumbers;
  listTransactions: ListTransactions;
  timing: GatewayTiming;
  bills: BillSettings;
  previews: PreviewSettings;
  routeOf: Channels['routeOf'];
  paymentsOver(accountId: string): RouteOf;
  payoutsOver(accountId: string): RouteOf;
  gate: Pick<Gate, 'view' | 'mayTry' | 'states'>;
  callbackSettings: SettingsDeps;
  signCallback(asked: { eventId: string; keyId: string }): Promise<SignedCallback>;
  readOperations(): Promise<Operations>;
  openApi: Constant;
  now(): Date;
};

/** src/config/config.ts has the settings of a deployment's bills and QR codes. */
export type BillSettings = {
  controlNumberPrefix: string;
  billExpiryDays: number;
  qrExpirySeconds: number;
  /** bills and QR codes per account and day; 0: no limit */
  perDay: number;
  payee: QrPayee;
  /** address of the pay page; undefined without pages */
  payUrlOf(id: string): string | undefined;
  linkUrlOf(code: string): string | undefined;
};

export type PreviewSettings = {
  /** previews per account and day; 0: no limit */
  perDay: number;
  /** false if the channel was asked too often */
  mayLookUp(channelId: string): boolean;
  /** limit for all names of one batch; default 10 s */
  batchMs?: number;
};

export type Call = MerchantLine & { handle(request: ApiRequest, deps: Deps): Promise<unknown> };

export function call<const L extends MerchantLine>(
  line: L,
  handle: (request: ApiRequest, deps: Deps) => Promise<AnswerOf<NoInfer<L>>>,
): L & Call {
  return { ...line, handle };
}

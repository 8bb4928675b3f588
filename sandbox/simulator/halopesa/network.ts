import type { Context } from 'koa';
import { toDecimal } from '../../../src/domain/money.ts';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { readBody } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import { movedBy, type NewOrder } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import type { Refusal } from '../core/scenario.ts';
import { takeOrder } from '../core/take.ts';
import {
  CONTENT_TYPE,
  checkSumOf,
  type HaloFields,
  readRequest,
  returnXml,
  timeOf,
  timeText,
} from './wire.ts';

export type HalopesaOptions = {
  /** required if set; otherwise every caller is accepted */
  username?: string | undefined;
  password?: string | undefined;
  /** without it the checksum is not checked */
  secret?: string | undefined;
  /** if set, the only account and short code that may be paid */
  accountId?: string | undefined;
  businessNumber?: string | undefined;
  /** without it no callback is sent; `?callback=<token>` after HALOPESA_PATH replaces its last part */
  callbackUrl?: string | undefined;
  /** how far `request_time` may be from our clock */
  clockSkewMsMax?: number;
};

const RAIL = 'halopesa';
export const HALOPESA_PATH = '/halopesa/ServiceAPI';
const FUNCTION_CODE = 'ASYNC_PAYMENT_USSD_PUSH';
const CLOCK_SKEW_MS_MAX = 5 * 60_000;

const ACCEPTED = '0';
const DUPLICATE = '9004';
const GENERAL = '9012';

const endOfRefusal: Record<Refusal, readonly [code: string, message: string]> = {
  limit_reached: [GENERAL, 'Customer limit reached'],
  not_registered: [GENERAL, 'Customer is not registered'],
  declined: [GENERAL, 'Customer rejected the request'],
  insufficient_funds: ['9009', 'Balance is not enough'],
  expired: [GENERAL, 'Request timed out'],
  network_error: [GENERAL, 'Internal error'],
};

/** HaloPesa answers no enquiry. */
export function addHalopesa(rail: RailContext, options: HalopesaOptions): void {
  rail.orders.attach(RAIL, notify);
  rail.router.post(HALOPESA_PATH, take);

  async function take(context: Context): Promise<void> {
    const request = readRequest(await readBody(context));
    const wrong = request ? wrongIn(request, options) : '9001';
    if (request === null || wrong !== null) return answer(context, wrong ?? GENERAL, request);
    await takeOrder(context, rail, {
      wanted: orderOf(request, callbackOf(context, options)),
      say: {
        duplicate: () => answer(context, DUPLICATE, request),
        broken() {
          context.status = 500;
          answer(context, GENERAL, request);
        },
        taken: () => answer(context, ACCEPTED, request),
      },
    });
  }
}

/** Returns null if the push is right. */
function wrongIn(request: HaloFields, options: HalopesaOptions): string | null {
  const {
    username,
    password,
    secret,
    accountId,
    businessNumber,
    clockSkewMsMax = CLOCK_SKEW_MS_MAX,
  } = options;
  if (username !== undefined && (request.username !== username || request.password !== password))
    return '9003';
  if (!(Math.abs(Date.now() - timeOf(request.request_time)) <= clockSkewMsMax)) return '9006';
  if (secret !== undefined && request.check_sum !== checkSumOf(request, secret)) return '9007';
  if (request.function_code !== FUNCTION_CODE) return '9008';
  if (accountId !== undefined && request.beneficiary_accountid !== accountId) return '9010';
  if (businessNumber !== undefined && request.business_no !== businessNumber) return '9010';
  if (request.referenceid === '' || request.requestid === '') return '9005';
  const isReadable = /^[1-9]\d{0,11}$/.test(request.amount) && /^255[67]\d{8}$/.test(request.sender_msisdn);
  return isReadable ? null : '9001';
}

function answer(context: Context, code: string, request: HaloFields | null): void {
  context.set('Content-Type', CONTENT_TYPE);
  context.body = returnXml([
    ['response_code', code],
    ['message', code === ACCEPTED ? 'Request is being processed' : 'Request is not accepted'],
    ['referenceid', request?.referenceid ?? ''],
    ['response_time', timeText(Date.now())],
    ['response_type', 'ACK'],
    ['addition_data', ''],
  ]);
}

function callbackOf({ query }: Context, { callbackUrl }: HalopesaOptions): string | null {
  if (callbackUrl === undefined || typeof query.callback !== 'string') return callbackUrl ?? null;
  return new URL(encodeURIComponent(query.callback), callbackUrl).href;
}

function orderOf(request: HaloFields, callbackUrl: string | null): NewOrder {
  return {
    id: `${RAIL}/${request.requestid}`,
    rail: RAIL,
    clientId: request.requestid,
    reference: request.referenceid,
    direction: 'in',
    network: RAIL,
    party: parseMsisdn(request.sender_msisdn) ?? request.sender_msisdn,
    amount: Number(request.amount),
    callbackUrl,
  };
}

const notify = notifyBy((order) => {
  const [code, message] =
    order.state === 'succeeded' ? [ACCEPTED, 'Success'] : endOfRefusal[order.refusal ?? 'network_error'];
  const body = returnXml([
    ['response_code', code],
    ['message', message],
    // The real network writes this name differently in each direction.
    ['ReferenceID', order.reference],
    ['RequestID', order.receipt],
    ['SenderMsisdn', order.party],
    ['Amount', toDecimal(movedBy(order))],
    ['response_time', timeText(Date.now())],
    ['response_type', 'FIN'],
    ['addition_data', ''],
  ]);
  return { headers: { 'content-type': CONTENT_TYPE }, body };
});

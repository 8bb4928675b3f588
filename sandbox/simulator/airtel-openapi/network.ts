import type { Context } from 'koa';
import { z } from 'zod';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { parseJson, readBody } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import type { Notify } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { takeOrder } from '../core/take.ts';
import { addAirtelAccount } from './account.ts';
import { answer, createGate, type GateOptions, router as refuseAtRouter } from './gate.ts';
import { answerOf, callbackOf, enquiryOf, envelope, type HashForm, signedCallback } from './messages.ts';
import { PATHS } from './wire.ts';

export type AirtelOpenapiOptions = GateOptions & {
  /** v1 needs no signature; `everything` refuses unsigned requests */
  signing?: 'v2' | 'everything';
  /** the PIN of the merchant's wallet; default: any that can be decrypted */
  pin?: string;
  pinEncryption?: 'pkcs1' | 'oaep';
  /** without it no callback is sent */
  callbackUrl?: string | undefined;
  /** if set, callbacks carry a hash */
  callbackKey?: string | undefined;
  hashOf?: HashForm;
  hashIn?: 'body' | 'header';
  /** an enquiry's amount: in a sentence, or only "success" (the portal's sample) */
  enquiryMessage?: 'sentence' | 'word';
};

const RAIL = 'airtel-openapi';
const NETWORK = 'airtel-money';

const amount = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);
const msisdn = z.union([z.string(), z.number().transform(String)]);
const id = z.string().min(1).max(64);
const collectSchema = z.object({
  reference: z.string().min(1),
  subscriber: z.object({ msisdn }),
  transaction: z.object({ amount, id }),
});
const payoutSchema = z.object({
  payee: z.object({ msisdn, wallet_type: z.string().optional() }),
  reference: z.string().min(1),
  pin: z.string().min(1),
  transaction: z.object({ amount, id }),
});

export function addAirtelOpenapi(rail: RailContext, options: AirtelOpenapiOptions): void {
  const { router, orders } = rail;
  const gate = createGate(options);
  orders.attach(RAIL, createNotify(options));
  router.post(PATHS.token, gate.issue);
  router.get(PATHS.encryptionKeys, gate.guard, gate.showKey);
  router.post(PATHS.collectV1, gate.guard, (context) => collect(context, 'v1'));
  router.post(PATHS.collectV2, gate.guard, (context) => collect(context, 'v2'));
  for (const path of [PATHS.payoutV1, PATHS.payoutV2, PATHS.payoutV3])
    router.post(path, gate.guard, (context) => payOut(context, path === PATHS.payoutV3));
  router.get(`${PATHS.enquireCollection}:id`, gate.guard, (context) => enquire(context, 'in'));
  router.get(`${PATHS.enquirePayout}:id`, gate.guard, (context) => enquire(context, 'out'));
  addAirtelAccount(rail, { guard: gate.guard, rail: RAIL });

  async function collect(context: Context, version: 'v1' | 'v2'): Promise<void> {
    const bytes = await readBody(context);
    const mustBeSigned = version === 'v2' || options.signing === 'everything';
    if (mustBeSigned && !gate.isSigned(context, bytes))
      return refuse(context, 403, 'DP00800001026', 'X-signature and payload did not match');
    const parsed = collectSchema.safeParse(parseJson(bytes));
    if (!parsed.success) return refuse(context, 400, 'ESB000008', 'Field validation error');
    const { subscriber, transaction } = parsed.data;
    const party = parseMsisdn(subscriber.msisdn);
    if (party === null) return refuse(context, 400, 'ESB000033', 'Invalid MSISDN Length');
    if (!isAmount(transaction.amount)) return refuse(context, 400, 'DP00800001004', 'Invalid Amount');
    await receive(context, { direction: 'in', party, ...transaction });
  }

  async function payOut(context: Context, needsWalletType: boolean): Promise<void> {
    const bytes = await readBody(context);
    const isSigned = context.get('x-signature') !== '' || options.signing === 'everything';
    if (isSigned && !gate.isSigned(context, bytes))
      return refuse(context, 403, 'DP00900001018', 'X-signature and payload did not match');
    const parsed = payoutSchema.safeParse(parseJson(bytes));
    if (!parsed.success || (needsWalletType && !parsed.data.payee.wallet_type))
      return refuse(context, 400, 'ESB000008', 'Field validation error');
    const { payee, transaction } = parsed.data;
    const pin = gate.decryptPin(parsed.data.pin, options.pinEncryption ?? 'pkcs1');
    if (!/^\d{4,8}$/.test(pin ?? '')) return refuseAtRouter(context, 'ROUTER116', 'Incorrect Encrypted Pin');
    if (options.pin !== undefined && pin !== options.pin)
      return refuseAtRouter(context, 'ROUTER115', 'Incorrect Pin');
    const party = parseMsisdn(payee.msisdn);
    if (party === null) return refuse(context, 400, 'DP00900001012', 'Invalid mobile number');
    if (!isAmount(transaction.amount)) return refuse(context, 400, 'DP00900001004', 'Invalid Amount');
    await receive(context, { direction: 'out', party, ...transaction });
  }

  async function receive(
    context: Context,
    wanted: { direction: 'in' | 'out'; party: string; amount: number; id: string },
  ): Promise<void> {
    const { callbackUrl = null, currency = 'TZS' } = options;
    const { id, ...order } = wanted;
    const code = order.direction === 'in' ? 'ESB000041' : 'DP00900001017';
    await takeOrder(context, rail, {
      wanted: { ...order, rail: RAIL, clientId: id, reference: id, network: NETWORK, currency, callbackUrl },
      say: {
        duplicate: () => refuse(context, 400, code, 'Transaction with this id already exists'),
        // In the portal's sample a 500 has the code of a refusal, but refuses nothing.
        broken: () => refuse(context, 500, 'DP00800001005', 'Something Went Wrong'),
        taken: (taken) => answer(context, 200, answerOf(taken)),
      },
    });
  }

  async function enquire(context: Context, direction: 'in' | 'out'): Promise<void> {
    const order = orders.byReference(RAIL, String(context.params.id));
    if (order?.direction !== direction)
      return refuse(context, 404, 'ESB000045', 'No Transaction Found With Provided Transaction Id.');
    answer(context, 200, enquiryOf(order, options.enquiryMessage ?? 'sentence'));
    if (order.state === 'failed') await orders.noteFailureSeen(order);
  }
}

function createNotify({ callbackKey: key, hashOf = 'inner', hashIn = 'body' }: AirtelOpenapiOptions): Notify {
  return notifyBy((order) => signedCallback(callbackOf(order), { key, hashOf, hashIn }));
}

function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function refuse(context: Context, status: number, code: string, message: string): void {
  answer(context, status, envelope(code, message, status));
}

import type { Context } from 'koa';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { networkOfNumber } from '../../../src/domain/network.ts';
import { notifyBy } from '../core/notify.ts';
import type { NewOrder } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { isSlow, ownerOf } from '../core/scenario.ts';
import { pause, takeOrder } from '../core/take.ts';
import { type ClickpesaGateOptions, createClickpesaGate, refuse } from './gate.ts';
import { checkSum, previewOf, rowOf, webhookOf } from './wire.ts';

export type ClickpesaOptions = ClickpesaGateOptions & { callbackUrl?: string | undefined };

const RAIL = 'clickpesa';
const BASE = '/third-parties';
type Kind = 'push' | 'wallet' | 'bank';

export function addClickpesa(rail: RailContext, options: ClickpesaOptions): void {
  const { router, orders, timing } = rail;
  const { giveToken, guard } = createClickpesaGate(options);
  const { checksumKey: key, callbackUrl: url = null } = options;

  const notify = notifyBy((order) => {
    const message = webhookOf(order);
    return {
      body: JSON.stringify(key === undefined ? message : { ...message, checksum: checkSum(message, key) }),
    };
  });
  orders.attach(RAIL, notify);

  const take = (kind: Kind) => async (context: Context) => {
    const wanted = orderOf(context, kind, url);
    if (!wanted) return;
    const again = `Order reference ${wanted.reference} already used: Create a different reference`;
    await takeOrder(context, rail, {
      wanted,
      returns: kind !== 'push',
      say: {
        duplicate: () => refuse(context, 409, again),
        broken: () => refuse(context, 500, 'Error validating fee, try again later'),
        taken(order) {
          context.body = rowOf(order, kind === 'push' ? 'PROCESSING' : 'AUTHORIZED');
        },
      },
    });
  };

  const preview = (kind: Kind) => async (context: Context) => {
    const wanted = orderOf(context, kind, url);
    if (!wanted) return;
    if (isSlow(wanted.party)) await pause(timing.slowAnswerMs);
    const accountName = ownerOf(wanted.party);
    if (accountName === null) return refuse(context, 400, 'Invalid phone number');
    context.body = previewOf(wanted.amount, { accountNumber: wanted.party, accountName });
  };

  const show = (direction: 'in' | 'out', what: string) => async (context: Context) => {
    const reference = String(context.params.reference);
    const order = orders.byReference(RAIL, reference);
    if (order?.direction !== direction)
      return refuse(context, 404, `Invalid or missing ${what}: ${reference}`);
    // The pages print it as a number here, and as text everywhere else.
    const row = rowOf(order);
    context.body = [
      'collectedAmount' in row ? { ...row, collectedAmount: Number(row.collectedAmount) } : row,
    ];
    if (order.state === 'failed') await orders.noteFailureSeen(order);
  };

  router.post(`${BASE}/generate-token`, giveToken);
  router.post(`${BASE}/payments/initiate-ussd-push-request`, guard, take('push'));
  router.post(`${BASE}/payouts/preview-mobile-money-payout`, guard, preview('wallet'));
  router.post(`${BASE}/payouts/create-mobile-money-payout`, guard, take('wallet'));
  router.post(`${BASE}/payouts/preview-bank-payout`, guard, preview('bank'));
  router.post(`${BASE}/payouts/create-bank-payout`, guard, take('bank'));
  router.get(`${BASE}/payments/:reference`, guard, show('in', 'payment'));
  router.get(`${BASE}/payouts/:reference`, guard, show('out', 'payout'));
  router.get(`${BASE}/account/balance`, guard, (context) => {
    context.body = [{ currency: 'TZS', balance: 1_000_000 }];
  });
}

/** A push has its amount as text, a payout as a number. Returns null after a refusal. */
function orderOf(context: Context, kind: Kind, callbackUrl: string | null): NewOrder | null {
  const { orderReference: reference, phoneNumber, accountNumber, amount, currency } = context.state.fields;
  const party = kind === 'bank' ? accountNumber : parseMsisdn(String(phoneNumber));
  const isAmount = typeof amount === (kind === 'push' ? 'string' : 'number') && Number(amount) > 0;
  if (typeof reference !== 'string' || !/^[0-9A-Za-z]{1,20}$/.test(reference))
    refuse(context, 400, 'Invalid Order Reference, should only contain alphanumeric characters');
  else if (typeof party !== 'string') refuse(context, 400, 'Invalid phone number');
  else if (!isAmount || typeof currency !== 'string') refuse(context, 400, 'Invalid amount');
  else {
    const network = kind === 'bank' ? 'bank' : (networkOfNumber(party)?.id ?? 'unknown');
    const direction = kind === 'push' ? 'in' : 'out';
    const names = { rail: RAIL, clientId: reference, reference };
    return { ...names, direction, network, party, amount: Number(amount), currency, callbackUrl };
  }
  return null;
}

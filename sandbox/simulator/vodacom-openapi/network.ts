import type { Context } from 'koa';
import { breakConnection, readJson } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import type { Order } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { newReceipt } from '../core/receipt.ts';
import { isSlow, ownerOf } from '../core/scenario.ts';
import { pause, takeOrder } from '../core/take.ts';
import { createVodacomGate, type VodacomGate, type VodacomGateOptions, type VodacomSession } from './gate.ts';
import {
  answerOf,
  callbackOf,
  codeOf,
  enquiryAnswerOf,
  type Fields,
  RAIL,
  readPayment,
  statusOfCode,
  textOf,
} from './messages.ts';
import { contextPath, ENVIRONMENTS, PATHS, PATTERNS } from './wire.ts';

export type VodacomOpenapiOptions = VodacomGateOptions & {
  /** set in the portal */
  mode: 'synchronous' | 'asynchronous';
  /** where an asynchronous application's results go */
  callbackUrl?: string | undefined;
  /** default: any */
  serviceProviderCode?: string | undefined;
  /** an enquiry's state for an undecided payment */
  statusWhilePending?: 'In Progress' | 'N/A' | undefined;
  /** true if the market has `queryBeneficiaryName` */
  beneficiaryName?: boolean | undefined;
  /** INS-993 after this many payments of one session */
  paymentsPerSession?: number | undefined;
};

/** Reversals are separate orders, so that they are stored, run and deduplicated like all others. */
const REVERSALS = `${RAIL}-reversals`;
const LOOK_EVERY_MS = 20;

type Desk = {
  rail: RailContext;
  options: VodacomOpenapiOptions;
  gate: VodacomGate;
  /** null: results are not sent */
  callbackUrl: string | null;
};

export function addVodacomOpenapi(rail: RailContext, options: VodacomOpenapiOptions): void {
  const { router, orders } = rail;
  const callbackUrl = options.mode === 'asynchronous' ? (options.callbackUrl ?? null) : null;
  const desk: Desk = { rail, options, gate: createVodacomGate(options), callbackUrl };
  orders.attach(RAIL, notify);
  orders.attach(REVERSALS, async () => {});

  for (const environment of ENVIRONMENTS) {
    const base = contextPath(environment);
    router.get(`${base}${PATHS.session}`, (context) => openSession(desk, context));
    router.post(`${base}${PATHS.collect}`, (context) => pay(desk, context, 'in'));
    router.post(`${base}${PATHS.payOut}`, (context) => pay(desk, context, 'out'));
    router.put(`${base}${PATHS.reverse}`, (context) => reverse(desk, context));
    router.get(`${base}${PATHS.enquire}`, (context) => enquire(desk, context));
    router.get(`${base}${PATHS.name}`, (context) => showName(desk, context));
  }
}

function openSession({ gate }: Desk, context: Context): void {
  const session = gate.open(context);
  if (!session) return;
  context.body = { ...answerOf('INS-0', ''), output_SessionID: session.id };
}

async function pay(desk: Desk, context: Context, direction: 'in' | 'out'): Promise<void> {
  const { gate, rail, options, callbackUrl } = desk;
  const session = gate.enter(context);
  if (!session) return;
  const fields = fieldsOf(await readJson(context));
  const wanted = readPayment(fields, direction, callbackUrl);
  const conversationId = textOf(fields, 'ThirdPartyConversationID');
  if (typeof wanted === 'string') return say(context, wanted, conversationId);
  if (!isOurCode(options, fields)) return say(context, 'INS-13', conversationId);
  if (isUsedUp(options, session)) return say(context, 'INS-993', conversationId);
  await takeOrder(context, rail, {
    wanted,
    // Only the conversation id is documented as unique.
    repeats: true,
    say: {
      duplicate: () => say(context, 'INS-10', conversationId),
      broken: () => say(context, 'INS-1', conversationId),
      async taken(order) {
        // An acknowledgement has no transaction id.
        if (options.mode === 'asynchronous') return say(context, 'INS-0', conversationId);
        await decided(order);
        const code = codeOf(order);
        const receipt = code === 'INS-0' ? { output_TransactionID: order.receipt } : {};
        say(context, code, conversationId, receipt);
      },
    },
  });
}

/** A synchronous call blocks while the customer types, at most as long as the prompt lives. */
async function decided(order: Order): Promise<void> {
  while (order.state === 'pending' && Date.now() < order.expiresAt) await pause(LOOK_EVERY_MS);
}

async function reverse({ gate, rail, options }: Desk, context: Context): Promise<void> {
  const { orders } = rail;
  if (!gate.enter(context)) return;
  const fields = fieldsOf(await readJson(context));
  const conversationId = textOf(fields, 'ThirdPartyConversationID');
  const original = orders.byReceipt(RAIL, textOf(fields, 'TransactionID'));
  const amount = Number(textOf(fields, 'ReversalAmount') || original?.movedAmount);
  if (!isOurCode(options, fields)) return say(context, 'INS-13', conversationId);
  if (!PATTERNS.conversationId.test(conversationId)) return say(context, 'INS-19', conversationId);
  if (original?.state !== 'succeeded') return say(context, 'INS-18', conversationId);
  if (!(amount > 0 && amount <= (original.movedAmount ?? 0))) return say(context, 'INS-15', conversationId);
  const reception = await orders.receive(
    {
      ...original,
      id: newReceipt(),
      rail: REVERSALS,
      clientId: conversationId,
      reference: `reversal of ${original.receipt}`,
      direction: original.direction === 'in' ? 'out' : 'in',
      amount,
      callbackUrl: null,
      receipt: newReceipt(),
    },
    { returns: false },
  );
  if (reception.kind === 'dropped') return breakConnection(context);
  if (reception.kind === 'duplicate') return say(context, 'INS-10', conversationId);
  await reception.done;
  const code = codeOf(reception.order);
  say(context, code, conversationId, { output_TransactionID: reception.order.receipt });
}

async function enquire({ gate, rail, options }: Desk, context: Context): Promise<void> {
  if (!gate.enter(context)) return;
  const fields = queryOf(context);
  const conversationId = textOf(fields, 'ThirdPartyConversationID');
  const reference = textOf(fields, 'QueryReference');
  if (reference === '' || conversationId === '') return say(context, 'INS-20', conversationId);
  if (!PATTERNS.queryReference.test(reference)) return say(context, 'INS-21', conversationId);
  if (!isOurCode(options, fields)) return say(context, 'INS-13', conversationId);
  const order = orderNamed(rail, reference);
  if (!order) return say(context, 'INS-23', conversationId);
  const reversal = rail.orders.byReference(REVERSALS, `reversal of ${order.receipt}`);
  context.body = enquiryAnswerOf(order, {
    conversationId,
    whilePending: options.statusWhilePending ?? 'In Progress',
    reversed: reversal?.state === 'succeeded',
  });
  if (order.state === 'failed') await rail.orders.noteFailureSeen(order);
}

/** Finds an order by M-Pesa's transaction id, its conversation id, or the client's. */
function orderNamed({ orders }: RailContext, reference: string): Order | undefined {
  const byId = orders.byId(reference);
  if (byId?.rail === RAIL) return byId;
  return orders.byReceipt(RAIL, reference) ?? orders.byClientId(RAIL, reference);
}

async function showName({ gate, rail, options }: Desk, context: Context): Promise<void> {
  if (!gate.enter(context)) return;
  const fields = queryOf(context);
  const conversationId = textOf(fields, 'ThirdPartyConversationID');
  if (options.beneficiaryName === false) return say(context, 'INS-997', conversationId);
  const type = textOf(fields, 'KycQueryType') || textOf(fields, 'KYCQueryType');
  if (type !== 'Name') return say(context, 'INS-32', conversationId);
  const number = textOf(fields, 'CustomerMSISDN');
  if (isSlow(number)) await pause(rail.timing.slowAnswerMs);
  const owner = PATTERNS.msisdn.test(number) ? ownerOf(number) : null;
  if (owner === null) return say(context, 'INS-2051', conversationId);
  const [first = '', ...rest] = owner.split(' ');
  context.body = {
    ...answerOf('INS-0', conversationId),
    output_CustomerFirstName: first,
    output_CustomerLastName: rest.join(' '),
  };
}

function isOurCode({ serviceProviderCode }: VodacomOpenapiOptions, fields: Fields): boolean {
  return serviceProviderCode === undefined || textOf(fields, 'ServiceProviderCode') === serviceProviderCode;
}

function isUsedUp({ paymentsPerSession }: VodacomOpenapiOptions, session: VodacomSession): boolean {
  session.payments += 1;
  return session.payments > (paymentsPerSession ?? Number.POSITIVE_INFINITY);
}

const notify = notifyBy((order) => ({ body: JSON.stringify(callbackOf(order)) }));

function say(context: Context, code: string, conversationId: string, more: object = {}): void {
  context.status = statusOfCode(code);
  context.body = { ...answerOf(code, conversationId), ...more };
}

function fieldsOf(body: unknown): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}

function queryOf(context: Context): Fields {
  return Object.fromEntries(new URLSearchParams(context.querystring));
}

import type { Context, Next } from 'koa';
import {
  CONTENT_TYPE,
  type ReceivedPayment,
  readPaymentInitiation,
  readVerificationRequest,
  type StatusReport,
  writePaymentReturn,
  writeStatusReport,
  writeVerificationReport,
} from '../../../src/channels/iso20022/wire.ts';
import {
  isSignedRequest,
  SIGNATURE_HEADER,
  signAnswer,
  signRequest,
} from '../../../src/channels/kit/signature.ts';
import { bankByBic } from '../../../src/domain/bank.ts';
import { toUnits } from '../../../src/domain/money.ts';
import { readBody } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import { movedBy, type NewOrder, type Order } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { newReceipt } from '../core/receipt.ts';
import { endingOf, isSlow, ownerOf, type Refusal } from '../core/scenario.ts';
import { pause, takeOrder } from '../core/take.ts';

export type BankOptions = {
  /** both sides sign with it; without it every caller is accepted and notifications are unsigned */
  secret?: string | undefined;
  /** where pain.002 and pacs.004 are posted; without it none is sent */
  callbackUrl?: string | undefined;
};

const RAIL = 'iso20022';

const reasonOfRefusal: Record<Refusal, string> = {
  limit_reached: 'AM14',
  not_registered: 'AC01',
  declined: 'AC06',
  insufficient_funds: 'AM04',
  expired: 'AB08',
  network_error: 'MS03',
};

export function addIso20022(rail: RailContext, options: BankOptions): void {
  const { router, orders, timing } = rail;
  const { answer, refuse, notify } = createVoice(options);
  orders.attach(RAIL, notify);
  router.post('/verifications', guard, verify);
  router.post('/payments', guard, pay);
  router.get('/payments/:reference', guard, enquire);

  async function guard(context: Context, next: Next): Promise<void> {
    const body = context.method === 'GET' ? Buffer.alloc(0) : await readBody(context);
    const { method, path } = context;
    const signer = { secrets: [options.secret ?? ''], now: new Date() };
    if (options.secret && !isSignedRequest(context.get(SIGNATURE_HEADER), { method, path, body }, signer))
      return answer(context, 401, '');
    context.state.bytes = body;
    await next();
  }

  async function verify(context: Context): Promise<void> {
    const request = readVerificationRequest(context.state.bytes as Buffer);
    if (!request) return refuse(context, 'FF01', null);
    if (isSlow(request.accountNumber)) await pause(timing.slowAnswerMs);
    const fullName = ownerOf(request.accountNumber);
    const report = {
      messageId: newId(),
      createdAt: new Date(),
      originalId: request.messageId,
      bic: request.bic,
      verified: fullName !== null,
      reason: fullName === null ? 'AC01' : null,
      fullName,
    };
    answer(context, 200, writeVerificationReport(report));
  }

  async function pay(context: Context): Promise<void> {
    const payment = readPaymentInitiation(context.state.bytes as Buffer);
    if (!payment) return refuse(context, 'FF01', null);
    if (payment.currency !== 'TZS' || payment.amount <= 0) return refuse(context, 'AM12', payment);
    if (!bankByBic(payment.creditorBic)) return refuse(context, 'RC04', payment);
    await takeOrder(context, rail, {
      wanted: orderOf(payment, options.callbackUrl ?? null),
      returns: true,
      say: {
        duplicate: (order) => answer(context, 202, firstStatusXml(order)),
        broken() {
          context.status = 500;
        },
        taken: (order) => answer(context, 202, firstStatusXml(order)),
      },
    });
  }

  async function enquire(context: Context): Promise<void> {
    const order = orders.byReference(RAIL, String(context.params.reference));
    if (!order) {
      // The signed reference proves that the bank itself never received it.
      answer(context, 404, String(context.params.reference));
      context.set('Content-Type', 'text/plain');
      return;
    }
    answer(context, 200, statusXml(order));
    if (order.state === 'failed') await orders.noteFailureSeen(order);
  }
}

function createVoice(options: BankOptions) {
  function answer(context: Context, status: number, xml: string): void {
    context.status = status;
    context.set('Content-Type', CONTENT_TYPE);
    context.body = xml;
    if (!options.secret) return;
    const { method, path } = context;
    const message = { method, path, status, request: context.get(SIGNATURE_HEADER), body: xml };
    context.set(SIGNATURE_HEADER, signAnswer(message, { secrets: [options.secret], now: new Date() }));
  }

  function refuse(context: Context, reason: string, payment: ReceivedPayment | null): void {
    const report: StatusReport = {
      messageId: newId(),
      originalMessageId: payment?.messageId ?? 'NOTPROVIDED',
      groupStatus: 'RJCT',
      reference: payment?.reference ?? null,
      status: payment ? 'RJCT' : null,
      reasons: [reason],
      bankReference: null,
      money: null,
    };
    answer(context, 400, writeStatusReport({ ...report, createdAt: new Date() }));
  }

  const notify = notifyBy((order, url) => {
    const body = order.returned ? returnXml(order) : statusXml(order);
    const headers: Record<string, string> = { 'content-type': CONTENT_TYPE };
    const message = { method: 'POST', path: new URL(url).pathname, body } as const;
    if (options.secret)
      headers[SIGNATURE_HEADER.toLowerCase()] = signRequest(message, {
        secrets: [options.secret],
        now: new Date(),
      });
    return { headers, body };
  });

  return { answer, refuse, notify };
}

function orderOf(payment: ReceivedPayment, callbackUrl: string | null): NewOrder {
  return {
    rail: RAIL,
    clientId: payment.reference,
    reference: payment.reference,
    direction: 'out',
    network: 'bank',
    party: payment.creditorAccount,
    amount: toUnits(payment.amount),
    currency: payment.currency,
    callbackUrl,
    receipt: newId(),
    detail: { messageId: payment.messageId, bic: payment.creditorBic, name: payment.creditorName },
  };
}

/** Every send of a payment gets this answer, because the rail deduplicates. */
function firstStatusXml(order: Order): string {
  return statusXml({ ...order, state: 'pending' }, 'ACTC');
}

function statusXml(order: Order, pending = 'PDNG'): string {
  const status = { pending, succeeded: 'ACSC', failed: 'RJCT' }[order.state];
  return writeStatusReport({
    messageId: newId(),
    createdAt: new Date(),
    originalMessageId: String(order.detail.messageId),
    groupStatus: null,
    reference: order.reference,
    status,
    reasons: order.state === 'failed' ? [reasonOf(order)] : [],
    bankReference: order.receipt,
    money: { amount: movedBy(order), currency: order.currency },
  });
}

/** Ending 059 is a time-out, which a careful client confirms by a second enquiry; the others are certain. */
function reasonOf({ party, refusal }: Order): string {
  if (refusal === 'expired' && endingOf(party) === '059') return 'AB05';
  return reasonOfRefusal[refusal ?? 'network_error'];
}

/** The account was closed, so the money comes back. Every delivery has the same RtrId. */
function returnXml(order: Order): string {
  return writePaymentReturn({
    messageId: newId(),
    createdAt: new Date(),
    returnId: `R${order.receipt}`,
    reference: order.reference,
    amount: movedBy(order),
    currency: order.currency,
    reason: 'AC04',
  });
}

/** Makes a unique id that looks like a bank's. */
const newId = () => `BK${newReceipt()}`;

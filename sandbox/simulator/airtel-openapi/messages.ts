import { createHmac } from 'node:crypto';
import { formatMoney } from '../../../src/domain/money.ts';
import { movedBy, type Order } from '../core/order.ts';
import type { Refusal } from '../core/scenario.ts';
import { HASH_HEADER } from './wire.ts';

const codeOfRefusal: Record<Refusal, { in: string; out: string }> = {
  limit_reached: { in: 'DP00800001003', out: 'DP00900001003' },
  not_registered: { in: 'DP00800001010', out: 'DP00900001012' },
  declined: { in: 'DP00800001008', out: 'DP00900001019' },
  insufficient_funds: { in: 'DP00800001007', out: 'DP00900001007' },
  expired: { in: 'DP00800001029', out: 'DP00900001005' },
  network_error: { in: 'DP00800001009', out: 'DP00900001005' },
};

/** Airtel does not document the hashed text, so all readings are supported. */
export type HashForm = 'inner' | 'outer' | 'spaced outer';

export function envelope(code: string, message: string, status: number) {
  const isOk = status < 300;
  return {
    status: {
      code: String(status),
      message,
      result_code: isOk ? 'ESB000010' : code.startsWith('ESB') ? code : 'ESB000011',
      response_code: code.startsWith('ESB') ? null : code,
      success: isOk,
    },
  };
}

export function answerOf(order: Order) {
  const family = familyOf(order);
  if (order.direction === 'in')
    return {
      data: { transaction: { id: false, status: 'SUCCESS' } },
      ...envelope(`${family}006`, 'SUCCESS', 200),
    };
  const isPaid = order.state === 'succeeded';
  return {
    data: {
      transaction: {
        reference_id: order.id,
        airtel_money_id: isPaid ? order.receipt : '',
        id: order.reference,
        status: isPaid ? 'TS' : 'TIP',
        ...(isPaid ? { message: sentenceOf(order) } : {}),
      },
    },
    ...envelope(`${family}${isPaid ? '001' : '006'}`, 'SUCCESS', 200),
  };
}

function stateOf(order: Order): 'TS' | 'TF' | 'TE' | 'TIP' {
  if (order.state === 'pending') return 'TIP';
  if (order.state === 'succeeded') return 'TS';
  return order.refusal === 'expired' ? 'TE' : 'TF';
}

export function enquiryOf(order: Order, message: 'sentence' | 'word') {
  const status = stateOf(order);
  const code = order.state === 'failed' ? failureCodeOf(order) : `${familyOf(order)}006`;
  const paid = {
    message: message === 'word' ? 'success' : sentenceOf(order),
    airtel_money_id: order.receipt,
  };
  return {
    data: { transaction: { id: order.reference, status, ...(status === 'TS' ? paid : {}) } },
    ...envelope(code, 'SUCCESS', 200),
  };
}

/** A callback knows only paid and failed. */
export function callbackOf(order: Order) {
  const isPaid = order.state === 'succeeded';
  return {
    id: order.reference,
    message: isPaid ? sentenceOf(order) : 'Transaction failed',
    status_code: isPaid ? 'TS' : 'TF',
    airtel_money_id: isPaid ? order.receipt : '',
    ...(isPaid ? {} : { code: failureCodeOf(order) }),
  };
}

export function signedCallback(
  transaction: ReturnType<typeof callbackOf>,
  how: { key?: string | undefined; hashOf: HashForm; hashIn: 'body' | 'header' },
): { body: string; headers: Record<string, string> } {
  const inner = JSON.stringify(transaction);
  const texts = {
    inner,
    outer: `{"transaction":${inner}}`,
    'spaced outer': JSON.stringify({ transaction }, null, 1),
  };
  const outer = how.hashOf === 'spaced outer' ? texts['spaced outer'] : texts.outer;
  if (how.key === undefined) return { body: outer, headers: {} };
  const hash = createHmac('sha256', how.key).update(texts[how.hashOf]).digest('base64');
  if (how.hashIn === 'header') return { body: outer, headers: { [HASH_HEADER]: hash } };
  return { body: outer.replace(/\s*}$/, `,"hash":"${hash}"$&`), headers: {} };
}

function failureCodeOf(order: Order): string {
  return codeOfRefusal[order.refusal ?? 'network_error'][order.direction];
}

function familyOf(order: Order): string {
  return order.direction === 'in' ? 'DP00800001' : 'DP00900001';
}

/** The portal shows this sentence for collections; for payouts it is our guess. */
function sentenceOf(order: Order): string {
  const amount = formatMoney(movedBy(order)).replace(/\.00$/, '');
  const to = order.direction === 'in' ? 'MALIPO' : order.party;
  return `Paid ${order.currency} ${amount} to ${to} Charge ${order.currency} 0, Trans ID ${order.receipt}.`;
}

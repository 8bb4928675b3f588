import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer, TestApi } from './api.ts';
import { billTokenOf } from './bill-networks.ts';

let billsMade = 0;

/** A bill made over the API: its transaction and its control number. Amounts are TZS. */
export async function makeBill(
  api: TestApi,
  bill: { amount?: number; mode?: 'exact' | 'flexible' } = {},
): Promise<{ id: string; number: string }> {
  billsMade += 1;
  const { status, body, text } = await api.call('POST', 'payments/billpay', {
    body: {
      amount: bill.amount ?? 25_000,
      payment_number: `INV-${billsMade}-${randomUUID().slice(0, 8)}`,
      payment_mode: bill.mode ?? 'exact',
      description: 'School fees, term 1',
    },
  });
  assert.equal(status, 200, text);
  return { id: body.transaction_id, number: body.bill.reference };
}

/** A message of a network at a bill door, with its own token unless another is given. */
export function tell(
  api: TestApi,
  message: {
    method?: string;
    path: string;
    network?: string;
    token?: string;
    body?: unknown;
    raw?: string | Buffer;
  },
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { method = 'POST', path, network = 'tigo-pesa', token, body, raw } = message;
  return api.call(method, `/channels/${path}`, {
    key: token ?? billTokenOf(network),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(raw === undefined ? {} : { raw }),
  });
}

/** A number that no check digit of ours ends. */
export function mistyped(number: string): string {
  return number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
}

/** The balance of the merchant, in TZS. */
export async function moneyOf(api: TestApi): Promise<number> {
  return (await api.call('GET', 'balance')).body.balance.current;
}

export async function statusOf(api: TestApi, id: string): Promise<string> {
  return (await api.call('GET', `payments/${id}`)).body.status;
}

/** What nobody can read as a request: hostile, broken or foreign. */
export const hostileBodies: readonly (string | Buffer)[] = [
  '',
  'null',
  '[]',
  '"text"',
  '{',
  '{"transid":"a","transid":"b"}',
  '{"__proto__":{"x":1}}',
  '{"transid":"\\u0000","utilityref":"1","amount":"1"}',
  '{"transid":"\\ud800","utilityref":"1","amount":"1"}',
  '{"amount":1e400}',
  '{"transid":{"$gt":""},"utilityref":["1"],"amount":true}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
];

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Gateway } from '../support/gateway.ts';
import { mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import type { Parts } from '../support/parts.ts';
import { until } from '../support/wait.ts';
import { payOnce } from './payer.ts';
import { assertToldOnce } from './told-once.ts';

type Asked = { what: 'push' | 'payout' | 'bill'; key: string; number: string };
type Answered = Asked & { id: string; text: string; controlNumber: string | null };
type Request = Gateway['request'];

const BILL_TZS = 25_000;
const EVERY_MS = 150;
/** With so many unanswered none begins: a machine that is slower than the stream would only fall further behind. */
const UNANSWERED_MAX = 9;
const asked = {
  push: { path: 'payments/ussd', lookup: 'payments', success: 'completed', body: () => pushBody() },
  payout: {
    path: 'payouts/mobile',
    lookup: 'payouts',
    success: 'paid',
    body: () => mobilePayoutBody('456', 1_000),
  },
  bill: {
    path: 'payments/billpay',
    lookup: 'payments',
    success: 'completed',
    body: (payment_number: string) => ({ amount: BILL_TZS, payment_number, description: 'School fees' }),
  },
} as const;

/**
 * One request after the other begins, each goes to every API that `apis` has by then, at once, until it is told to stop.
 * `more(count)` waits until so many more are answered.
 */
export function startStream(apis: readonly Request[]) {
  let isOver = false;
  let answered = 0;
  async function one(index: number): Promise<Answered> {
    const what = (['push', 'payout', 'bill'] as const)[index % 3] ?? 'push';
    const request = { what, key: newKey(), number: newKey() };
    const answer = await submit(apis, request);
    answered += 1;
    return answer;
  }
  const done = (async () => {
    const begun: Promise<Answered>[] = [];
    while (!isOver) {
      await pause(EVERY_MS);
      if (begun.length - answered >= UNANSWERED_MAX) continue;
      const next = one(begun.length);
      // Whoever waits for more learns of it at once.
      next.catch(() => {
        isOver = true;
      });
      begun.push(next);
    }
    return Promise.all(begun);
  })();
  done.catch(() => {});
  return {
    done,
    more: (count: number) => {
      const wanted = answered + count;
      const more = until(() => answered >= wanted, `${count} more are answered`);
      return Promise.race([more, done]);
    },
    stop() {
      isOver = true;
    },
  };
}

/** The same key to every API at once, and again while none of them answers. All who answer say the same bytes. */
async function submit(apis: readonly Request[], { what, key, number }: Asked): Promise<Answered> {
  const { path, body } = asked[what];
  const answers = await until(async () => {
    const given = await Promise.allSettled(
      apis.map((request) => request('POST', path, { key, body: body(number) })),
    );
    const come = given.flatMap((one): Answer[] => (one.status === 'fulfilled' ? [one.value] : []));
    for (const { status, json, text } of come) assert.ok(status === 200 || json.retryable, text);
    const good = come.filter(({ status }) => status === 200);
    return good.length > 0 ? good : null;
  }, `${path} is answered`);
  const [first] = answers as [Answer, ...Answer[]];
  for (const { text } of answers) assert.equal(text, first.text);
  const { transaction_id: id, bill } = first.json;
  return { what, key, number, id, text: first.text, controlNumber: bill?.reference ?? null };
}

/** Customers pay the bills; each transaction then ends well, moved money once and was told once. */
export async function assertAllDoneOnce(parts: Parts, all: readonly Answered[]): Promise<void> {
  const receipts = new Map<string, string>();
  await Promise.all(all.map(async (one) => receipts.set(one.id, await payWhereAsked(parts, one))));
  for (const one of all) await assertDoneOnce(parts, one, receipts.get(one.id) ?? '');
}

/** A bill's customer pays it; its receipt. */
async function payWhereAsked(parts: Parts, { controlNumber }: Answered): Promise<string> {
  if (controlNumber === null) return '';
  return payOnce(parts, { control_number: controlNumber, amount: BILL_TZS, network: 'm-pesa' });
}

async function assertDoneOnce(parts: Parts, one: Answered, receipt: string): Promise<void> {
  const { path, lookup, success, body } = asked[one.what];
  const what = `${one.what} ${one.id}`;
  const { status } = await parts.outcome(lookup, one.id);
  assert.equal(status, success, what);
  const { rows } = await parts.database.query('SELECT reference FROM transactions WHERE id = $1', [one.id]);
  const moved = one.controlNumber === null ? rows[0].reference : receipt;
  assert.equal((await parts.simulator(`truth?reference=${moved}`)).movements.length, 1, what);
  await assertToldOnce(parts, one.id, what);
  const again = await parts.request('POST', path, { key: one.key, body: body(one.number) });
  assert.deepEqual([again.status, again.text], [200, one.text], what);
}

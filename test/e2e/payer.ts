import assert from 'node:assert/strict';
import { newKey } from '../support/gateway.ts';
import type { Parts } from '../support/parts.ts';
import { customer } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

/** A page to pay on. `url`: of the page, and once its question was asked, of the question. */
export type Page = { id: string; url: string; promptId: string };
type Said = { outcome: 'paid'; receipt: string } | { outcome: 'failed' };

/** A payer who sends the same form until the browser is led to the question's page. Returns its address. */
export async function askOnPage(url: string, form: Record<string, string>): Promise<string> {
  const to = await until(
    async () => {
      const sent = { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' } as const;
      const answer = await fetch(url, sent).catch(() => null);
      return answer?.status === 303 ? answer.headers.get('location') : null;
    },
    // No more often: an address sends 100 forms a minute.
    { deadlineMs: 90_000, what: `the form of ${url} is taken`, everyMs: 5_000 },
  );
  return new URL(to, url).href;
}

/** What the page says, once it says how it went. */
export function readPage(url: string): Promise<Said> {
  return until(
    async () => {
      const text = await fetch(`${url}&lang=sw`).then(
        (answer) => answer.text(),
        () => '',
      );
      const [, receipt] = text.match(/Imelipwa: 25,000 TZS[^<]*<\/p><dl><dt>[^<]*<\/dt><dd>([^<]+)/) ?? [];
      if (receipt !== undefined) return { outcome: 'paid', receipt } as const;
      // Without a word from the network it is not over.
      const isOver = /class="x"/.test(text) && !text.includes('Mtandao wako haujajibu bado');
      return isOver ? ({ outcome: 'failed' } as const) : null;
    },
    { deadlineMs: 80_000, what: `${url} says what happened`, everyMs: 200 },
  );
}

/** The network's book, ours, the events and the page agree: its money counts once, as a payment of what it pays, or not at all. */
export async function assertPaidOnce(
  parts: Pick<Parts, 'database' | 'simulator'>,
  { id, promptId }: Page,
  said: Said,
): Promise<void> {
  const { rows: prompts } = await parts.database.query(
    'SELECT reference, status, channel_reference FROM transactions WHERE id = $1',
    [promptId],
  );
  const { movements } = await parts.simulator(`truth?reference=${prompts[0]?.reference}`);
  const counted = async () => {
    const { rows } = await parts.database.query(
      `SELECT r.receipt, r.outcome, count(DISTINCT x.id)::int AS transfers, count(DISTINCT e.id)::int AS events,
         count(DISTINCT e.id) FILTER (WHERE e.state = 'delivered')::int AS delivered
       FROM bill_receipts r LEFT JOIN transactions t ON t.id = r.transaction_id
       LEFT JOIN transfers x ON x.transaction_id = t.id LEFT JOIN callback_events e ON e.transaction_id = t.id
       WHERE t.id = $1 OR t.number_id = $1 GROUP BY 1, 2`,
      [id],
    );
    return rows;
  };
  if (said.outcome === 'failed') {
    assert.deepEqual([prompts[0]?.status, movements.length, await counted()], ['failed', 0, []]);
    return;
  }
  assert.deepEqual([prompts[0]?.status, movements.length], ['completed', 1]);
  assert.equal(said.receipt, prompts[0]?.channel_reference);
  const paid = await until(async () => {
    const rows = await counted();
    return rows.every(({ events, delivered }) => events === delivered) ? rows : null;
  }, `the payment of ${id} is told`);
  const once = { outcome: 'accepted', transfers: 1, events: 1, delivered: 1 };
  assert.deepEqual(paid, [{ receipt: said.receipt, ...once }]);
}

/** A customer who pays a control number once, whatever it takes. Returns the receipt. */
export async function payOnce(
  parts: Pick<Parts, 'simulator'> & Parameters<typeof customer>[0],
  payment: { control_number: string; amount: number; network: string },
): Promise<string> {
  const receipt = `R${newKey()}`;
  await until(
    async () => {
      const { payments } = await parts.simulator(`customer/pay-bill/${receipt}`);
      const state = payments[0]?.state;
      assert.notEqual(state, 'returned', payments[0]?.message);
      if (state !== 'taken' && state !== 'kept')
        await customer(parts, 'pay-bill', { ...payment, receipt, phone_number: '0754123456' });
      return state === 'kept';
    },
    { deadlineMs: 90_000, what: `${receipt} is paid`, everyMs: 200 },
  );
  return receipt;
}

// tests: long
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { newKey, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { askOnPage, assertPaidOnce, readPage } from './payer.ts';
import { type Part, strike } from './strike.ts';

const blows: [Part, NodeJS.Signals?][] = [
  ['API'],
  ['worker'],
  ['Postgres', 'SIGQUIT'],
  ['Temporal'],
  ['Postgres'],
  ['simulator'],
  ['API'],
];
/** Together they send fewer forms than the 100 a minute of an address. */
const PAYERS = 3;
const PAYMENTS_MAX = 200;

describe('questions to phones under processes that die and are started again', () => {
  const gateway = useGateway();
  let phones = 4_100;

  /** A bill or a number, made again until there is an answer. */
  function make(what: 'bill' | 'number'): Promise<{ id: string; url: string }> {
    const name = newKey();
    return until(
      async () => {
        const [path, body] =
          what === 'bill'
            ? ['payments/billpay', { amount: 25_000, payment_number: name, description: 'Ada' }]
            : ['payments/numbers', { customer_reference: name }];
        const { status, json } = await gateway.request('POST', String(path), { body });
        if (status !== 200) return null;
        if (what === 'number') return { id: json.number.id, url: json.number.pay_url };
        return { id: json.transaction_id, url: json.pay_url };
      },
      { deadlineMs: 90_000, what: `the ${what} is made`, everyMs: 500 },
    );
  }

  /** Asked, answered, and right everywhere: whether it was paid. */
  async function payOnce(what: 'bill' | 'number'): Promise<boolean> {
    const { id, url } = await make(what);
    phones += 1;
    const form = { once: newKey(), phone: `075${phones}456`, amount: '25000' };
    const prompt = await askOnPage(url, form);
    const said = await readPage(prompt);
    const ids = await until(
      async () => {
        const { rows } = await gateway.database.query('SELECT id FROM transactions WHERE pays = $1', [id]);
        return rows;
      },
      { deadlineMs: 60_000, what: 'Postgres answers', everyMs: 500 },
    );
    assert.equal(ids.length, 1, 'one form is one question');
    await until(
      async () => {
        await assertPaidOnce(gateway, { id, url: prompt, promptId: ids[0]?.id }, said);
        return true;
      },
      {
        deadlineMs: 60_000,
        what: `${what} ${id}, of which the page says ${said.outcome}, counts once`,
        everyMs: 1_000,
      },
    );
    return said.outcome === 'paid';
  }

  it('counts the money of each once, and its page tells the truth', async () => {
    let paid = 0;
    let isOver = false;
    const payers = Array.from({ length: PAYERS }, async (_, index) => {
      for (let i = index; !isOver && i < PAYMENTS_MAX; i += 1)
        if (await payOnce(i % 2 === 0 ? 'bill' : 'number')) paid += 1;
    });
    const all = Promise.all(payers);
    all.catch(() => {});
    for (const [part, signal = 'SIGKILL'] of blows) {
      await strike(gateway, { part, signal, wellWithinMs: 90_000 });
      const before = paid;
      await Promise.race([
        all,
        until(() => paid >= before + PAYERS, {
          deadlineMs: 90_000,
          what: `payers pay on after the death of ${part}`,
        }),
      ]);
    }
    isOver = true;
    await all;
    assert.ok(paid >= blows.length * PAYERS, `${paid} were paid`);
    assert.deepEqual((await gateway.database.query('SELECT reason, detail FROM attention')).rows, []);
    assert.deepEqual(await checkInvariants(gateway.database), []);
  }).timeout(600_000);
});

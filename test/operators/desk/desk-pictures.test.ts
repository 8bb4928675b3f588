import assert from 'node:assert/strict';
import type { DeskClient } from '../../support/desk-client.ts';
import { tradeOf } from '../../support/desk-trade.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { pick } from '../../support/pick.ts';
import { importMoves, walletAccount } from '../../support/statements-of-accounts.ts';
import { useSignedIn } from '../api/signed-in.ts';

const HOSTILE = '</text><script>alert(1)</script>';

/** The pictures of a page as they are drawn, each panel with the heights of its bars and lines, and the table below. */
function drawnOn(text: string) {
  const panels = [...text.matchAll(/<figure>([\s\S]*?)<\/figure>/g)].map(([, figure = '']) => ({
    title: /<title>([^<]*)</.exec(figure)?.[1] ?? '',
    series: [
      [...(/ class="s0" d="([^"]*)"/.exec(figure)?.[1] ?? '').matchAll(/v-([\d.]+)h8v\1h2/g)].map(
        ([, height]) => Number(height),
      ),
      ...[...figure.matchAll(/ class="line s\d" d="([^"]*)"/g)].map(([, path = '']) =>
        [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => 100 - Number(y)),
      ),
    ].filter((one) => one.length > 0),
  }));
  const [, table = ''] = /<table class="plain">([\s\S]*?)<\/table>/.exec(text) ?? [];
  const rows = [...table.matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/gs)].map(([, , cells = '']) =>
    [...cells.matchAll(/<td>([^<]*)<\/td>/g)].map(([, cell = '']) =>
      cell === '' ? null : Number(cell.replaceAll(/[, %]/g, '')),
    ),
  );
  return { panels, rows };
}

/** Every height is its number's share of the panel's largest one; returns how many numbers there were. */
function requireTrue(text: string): number {
  const { panels, rows } = drawnOn(text);
  let column = 0;
  let numbers = 0;
  for (const { series, title } of panels) {
    const first = column;
    const columns = series.map((_, nth) => rows.map((row) => row[first + nth] ?? null));
    column += series.length;
    const most = text.includes(' %</td>') ? 100 : Math.max(1, ...columns.flat().map((value) => value ?? 0));
    for (const [nth, heights] of series.entries()) {
      const values = (columns[nth] ?? []).filter((value) => value !== null);
      assert.equal(heights.length, values.length, title);
      for (const [at, value] of values.entries())
        assert.ok(
          Math.abs((heights[at] ?? -1) - (Math.max(0, value) / most) * 100) < 0.2,
          `${title}: ${value} is ${heights[at]}`,
        );
      numbers += values.filter((value) => value > 0).length;
    }
  }
  assert.equal(column, rows[0]?.length, 'every column of the table is drawn');
  return numbers;
}

describe('the pictures of the desk', () => {
  const { test, money, asha, desk } = useSignedIn();
  let merchant: string;
  before(async () => {
    merchant = await tradeOf(test.database, { name: HOSTILE });
  });

  const pageOf = async (path: string, client: DeskClient = asha) => {
    const { status, text } = await client.get(`/desk/${path}`);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /<script|style="/, path);
    return text;
  };

  it('draws today beside the same weekday by hour as its table says, and four numbers', async () => {
    const text = await pageOf('');
    assert.ok(requireTrue(text) >= 7);
    assert.match(text, /Collected, today, TZS<\/dt><dd>45,000\.00/);
    assert.match(text, /Pushes that succeeded in 24 hours<\/dt><dd>\d\d(\.\d)? %/);
    assert.match(text, /Waits for you<\/dt><dd>0/);
    const { body } = await desk.call('asha', 'GET', 'figures/today');
    assert.deepEqual(
      body.series.map(({ values }: { values: number[] }) => values.slice(0, 4)),
      [
        [13_000_00, 0, 15_000_00, 17_000_00],
        [5_000_00, 7_000_00, 9_000_00, 11_000_00],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
    );
  });

  it('draws which share of the pushes of each network succeeded, and says why others failed', async () => {
    const text = await pageOf('networks');
    assert.ok(requireTrue(text) > 100);
    assert.match(text, /airtel-money: network error|m-pesa: network error/);
    const { body } = await desk.call('asha', 'GET', 'figures/networks');
    const { rows } = await test.database.query(
      "SELECT channel || ': ' || failure_code AS name, count(*) AS value FROM transactions WHERE mode = 'ussd' AND status = 'failed' AND created_at > now() - interval '1 day' GROUP BY 1 ORDER BY 1",
    );
    const byName = (list: { name: string; value: number }[]) =>
      Object.fromEntries(list.map(({ name, value }) => [name, value]));
    assert.deepEqual(byName(body.numbers), byName(rows));
  });

  it('draws what accounts have, their low, and when they run dry', async () => {
    requireTrue(await pageOf('float'));
  });

  it('draws money in suspense by its age, owed and missed apart', async () => {
    const text = await pageOf('suspense');
    assert.ok(requireTrue(text) >= 1);
    const { body } = await desk.call('asha', 'GET', 'figures/suspense');
    const rows = await test.sql`SELECT sum(amount)::bigint AS owed FROM suspense_items WHERE is_open
      AND amount > 0`;
    assert.deepEqual(pick(body.series, 'values'), [
      [rows[0].owed, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ]);
  });

  it('draws a square for each account and day, as its table says', async () => {
    const text = await pageOf('days');
    const squares = [...text.matchAll(/<rect class="(\w+)"[^>]*><title>([\d-]+): (\w+)</g)];
    assert.equal(squares.length % 35, 0);
    assert.ok(squares.length >= 35);
    const rows = [...text.matchAll(/<tr><th scope="row">([\d-]+)<\/th><td>(\w+)<\/td>/g)].map(
      ([, day, state]) => [day, state],
    );
    assert.deepEqual(
      squares.slice(0, 35).map(([, is, day, words]) => [day, is === words && is]),
      rows,
    );
  });

  it('draws the balance of a merchant, whatever its name is, and lists its newest transactions', async () => {
    const text = await pageOf(`merchants/${merchant}`);
    assert.ok(text.includes('&lt;/text&gt;&lt;script&gt;'));
    requireTrue(text);
    const { body } = await desk.call('asha', 'GET', `accounts/${merchant}`);
    const { body: figure } = await desk.call('asha', 'GET', `figures/merchants/${merchant}`);
    assert.equal(figure.at.length, 30);
    assert.equal(figure.series[0].values[29], Number(body.balance.available.replaceAll(',', '')) * 100);
    // Its three pushes of today came from 00:01 to 03:01: none of them is yesterday's.
    const [yesterday, today] = figure.series[0].values.slice(-2);
    const rows =
      await test.sql`SELECT sum(e.amount)::bigint AS moved FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
      WHERE a.code = 'available:' || ${merchant} || ':TZS' AND e.at >= date_trunc('day', now(), 'Africa/Dar_es_Salaam')`;
    assert.equal(today - yesterday, rows[0].moved);
    assert.equal(figure.last.length, 10);
    await pageOf(`merchants/${money.accountId}`);
  });
});

describe('the float of seven days', () => {
  const { test, desk } = useOperatorDesk();

  it('is as statements say at the end of each day that they show, and today what moved since, too', async () => {
    const moves = [4, 3, 1].map((days) => ({
      receipt: `QF${days}`,
      amount: 100 * days,
      minutes: days * 24 * 60,
    }));
    const wallet = walletAccount();
    await importMoves(test.database, wallet, moves);
    const { body } = await desk.call('asha', 'GET', 'figures/float');
    const [there] = body.series;
    assert.deepEqual([there.panel, there.name], ['m-pesa', 'balance']);
    // Nobody says what was there before the first statement.
    const ahead = Array.from({ length: 7 }, () => null);
    assert.deepEqual(there.values, [null, null, 400_00, 700_00, 700_00, 800_00, 800_00, ...ahead]);
    await importMoves(test.database, wallet, [{ receipt: 'QF0', amount: 50, minutes: 1 }], 800);
    const again = (await desk.call('asha', 'GET', 'figures/float')).body.series[0].values;
    assert.deepEqual(again, [null, null, 400_00, 700_00, 700_00, 800_00, 850_00, ...ahead]);
  });
});

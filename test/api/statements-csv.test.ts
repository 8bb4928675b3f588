// tests: slow
import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { cellOf } from '../../src/base/csv.ts';
import { minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { happenedAt, plantLines } from '../ledger/statement-support.ts';
import { asRole } from '../support/database.ts';
import { until } from '../support/wait.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('GET statements as CSV', () => {
  const { test: own, api: shop } = useTestApi({ poolMax: 1, balance: 1_000 });
  const RANGE = 'from=2000-01-01&to=2000-03-01';
  const LINES = 5_000;

  before(async () => {
    const add = (note: string, amount: number, dedupeKey: string) =>
      topUp(own.database, {
        accountId: shop.accountId,
        amount: minor(amount),
        actor: 'test',
        dedupeKey,
        note,
      });
    await add('cash, "counted" twice\nby Asha', 50_050, '=SUM(A1)');
    // One statement that moves one balance so often would take ever longer.
    for (let first = 3; first <= LINES; first += 500)
      await own.database.query(
        `WITH t AS (INSERT INTO transfers (kind, dedupe_key, reference)
         SELECT 'top_up', 'many-' || n, 'many-' || n FROM generate_series($2::int, $3::int) n RETURNING id),
       m AS (INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, told_by)
         SELECT t.id, a.id, 'test', 'itself', 700, 'TZS', 'people' FROM t, ledger_accounts a WHERE a.kind = 'settlement' RETURNING id)
       INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id)
       SELECT m.id, a.id, x.amount, CASE x.kind WHEN 'settlement' THEN m.id END
       FROM m, (VALUES ('settlement', -700), ('available', 700)) AS x (kind, amount)
       JOIN ledger_accounts a ON a.kind = x.kind WHERE a.account_id IS NULL OR a.account_id = $1`,
        [shop.accountId, first, Math.min(LINES, first + 499)],
      );
    const at = (index: number) => new Date(Date.UTC(2000, 0, 2) + index * 1_000).toISOString();
    await happenedAt(
      own.database,
      shop.accountId,
      Array.from({ length: LINES }, (_, index) => at(index)),
    );
  });

  const csv = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await shop.call('GET', `statements?${query}`, { headers });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };

  it('has a header row and every line of the range, whatever page was asked for', async () => {
    const { text, headers } = await csv(`${RANGE}&format=csv&page=2&per_page=10`);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(headers['content-disposition'], 'attachment; filename="statement.csv"');
    assert.equal(headers['cache-control'], 'no-store');
    const [header, first, second, ...rest] = text.split('\r\n');
    assert.equal(header, 'line,at,day,type,transaction_id,reference,description,amount,balance,receipt_url');
    const topUp = `first ${shop.accountId}`;
    assert.equal(
      first,
      `1,2000-01-02T03:00:00.000000+03:00,2000-01-02,top_up,,${topUp},Top-up,1000.00,1000.00,`,
    );
    assert.equal(
      second,
      `2,2000-01-02T03:00:01.000000+03:00,2000-01-02,top_up,,'=SUM(A1),"Top-up: cash, ""counted"" twice\nby Asha",500.50,1500.50,`,
    );
    assert.equal(rest.pop(), '', 'the last line is ended, too');
    const cells = rest.map((line) => line.split(','));
    assert.deepEqual(
      cells.map(([line]) => Number(line)),
      Array.from({ length: LINES - 2 }, (_, index) => index + 3),
    );
    const sum = cells.reduce((total, row) => total + Number(row.at(-3)) * 100, 150_050);
    assert.equal(Number(cells.at(-1)?.at(-2)) * 100, sum);
  });

  it('has the day of Dar es Salaam beside a moment, which is in UTC for who wants it so', async () => {
    await happenedAt(own.database, shop.accountId, ['2000-01-02T21:00:00Z', '2000-01-02T21:00:00.5Z']);
    const firstOf = async (query: string) => {
      const line = (await csv(`${RANGE}&format=csv${query}`)).text.split('\r\n')[1] ?? '';
      return line.split(',').slice(1, 3);
    };
    assert.deepEqual(await firstOf(''), ['2000-01-03T00:00:00.000000+03:00', '2000-01-03']);
    assert.deepEqual(await firstOf('&timezone=UTC'), ['2000-01-02T21:00:00.000000Z', '2000-01-03']);
    const wrong = await shop.call('GET', `statements?${RANGE}&format=csv&timezone=Europe/Berlin`);
    assertRefused(wrong, 422, 'validation_failed', ['timezone']);
  });

  it('is what Accept prefers, and format decides', async () => {
    const typeOf = async (query: string, accept?: string) =>
      String((await csv(query, accept === undefined ? {} : { accept })).headers['content-type']).split(
        ';',
      )[0];
    const day = 'from=2000-02-02&to=2000-02-03';
    assert.equal(await typeOf(day, 'text/csv'), 'text/csv');
    assert.equal(await typeOf(day, 'text/csv;q=0.9, application/json;q=0.5'), 'text/csv');
    assert.equal(await typeOf(day, 'application/json, text/csv;q=0.5'), 'application/json');
    assert.equal(await typeOf(day, '*/*'), 'application/json');
    assert.equal(await typeOf(day, 'text/html'), 'application/json');
    assert.equal(await typeOf(day), 'application/json');
    assert.equal(await typeOf(`${day}&format=json`, 'text/csv'), 'application/json');
    assert.equal(await typeOf(`${day}&format=csv`, 'application/json'), 'text/csv');
    assert.equal((await shop.call('GET', 'balance', { headers: { accept: 'text/csv' } })).status, 200);
    assert.equal((await shop.call('HEAD', `statements?${day}&format=csv`)).text, '');
  });

  it('refuses in JSON', async () => {
    const refused = await shop.call('GET', 'statements?to=x', { headers: { accept: 'text/csv' } });
    assertRefused(refused, 422, 'validation_failed', ['to']);
  });
});

describe('a CSV that is not read to its end', () => {
  const { test: own, api: shop } = useTestApi({ poolMax: 1 });
  /** 20 batches of a megabyte: more than the sockets hold. */
  const LINES = 20_000;
  const RANGE = 'from=2000-01-01&to=2000-03-01';

  before(() => plantLines(own.database, shop.accountId, { lines: LINES, noteCharacters: 1_000 }));

  it('costs no connection, and is read no further', async () => {
    const batches = countBatches();
    try {
      const response = await openCsv();
      // Nothing takes what it sends: the sockets fill, and it waits in the middle.
      await until(() => batches.count > 0, 'the first batch is read');
      const stands = await untilSteady(() => batches.count);
      assert.ok(stands < 15, `${stands} batches were read ahead`);
      assert.equal((await shop.call('GET', 'balance')).status, 200, 'the only connection is free');
      response.destroy();
      assert.equal((await shop.call('GET', 'balance')).status, 200);
      assert.ok((await untilSteady(() => batches.count)) <= stands + 1, 'it was read on for nobody');
      const pool = asRole(own.database, 'api');
      assert.equal(pool.idleCount, pool.totalCount);
    } finally {
      batches.restore();
    }
  });

  it('breaks off when the database fails in the middle, so that no part is taken for the whole', async () => {
    const batches = countBatches({ failAt: 3 });
    try {
      await assert.rejects(linesOf(await openCsv()), /aborted/);
    } finally {
      batches.restore();
    }
    assert.equal(await linesOf(await openCsv()), LINES + 2, 'a header row, the first top-up and the rest');
  });

  function countBatches({ failAt = 0 } = {}) {
    const pool = asRole(own.database, 'api');
    const { query } = pool;
    const counted = {
      count: 0,
      restore: () => {
        pool.query = query;
      },
    };
    pool.query = ((...args: Parameters<typeof query>) => {
      if (String(args[0]).includes('FROM entries')) counted.count += 1;
      const fails = failAt > 0 && counted.count === failAt;
      return fails ? Promise.reject(new Error('gone')) : query.apply(pool, args);
    }) as typeof query;
    return counted;
  }

  async function untilSteady(count: () => number): Promise<number> {
    let last = -1;
    while (count() !== last) {
      last = count();
      await pause(300);
    }
    return last;
  }

  async function linesOf(response: IncomingMessage): Promise<number> {
    let count = 0;
    for await (const chunk of response) for (const byte of chunk) if (byte === 10) count += 1;
    return count;
  }

  function openCsv(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = {
        port: shop.port,
        host: '127.0.0.1',
        path: `/api/v1/statements?${RANGE}&format=csv`,
        headers: { authorization: `Bearer ${shop.apiKey}` },
      };
      httpRequest(options, resolve).on('error', reject).end();
    });
  }
});

describe('a cell of the CSV', () => {
  for (const [text, cell] of [
    ['plain', 'plain'],
    ['-5', '-5'],
    ['-1500.50', '-1500.50'],
    ['-5+2', "'-5+2"],
    ['=1+1', "'=1+1"],
    ['+255754123456', "'+255754123456"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['a,b', '"a,b"'],
    ['a\r\nb', '"a\r\nb"'],
    ['', ''],
  ] as const) {
    it(`is ${JSON.stringify(cell)} for ${JSON.stringify(text)}`, () => assert.equal(cellOf(text), cell));
  }
});

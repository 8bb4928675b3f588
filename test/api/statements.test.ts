import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { cellOf } from '../../src/api/statements/csv.ts';
import { statementAnswer } from '../../src/contract/statement-schemas.ts';
import { minor } from '../../src/domain/money.ts';
import { topUp, withdraw } from '../../src/ledger/transfer.ts';
import { happenedAt, plantLines } from '../ledger/statement-support.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

/** 00:30 of 21 November in Dar es Salaam. */
const NOW = '2026-11-20T21:30:00.000Z';
const { test, api } = useTestApi({ now: () => new Date(NOW) });

let references = 0;
async function fund(amount: number, move: typeof topUp = topUp, note?: string): Promise<void> {
  references += 1;
  const dedupeKey = `=line-${references}`;
  const { accountId } = api;
  await move(test.database, { accountId, amount: minor(amount * 100), actor: 'test', dedupeKey, note });
}

describe('GET statements', () => {
  // 2,000,000 of the first top-up; then the two sides of midnight in Dar es Salaam, and a line of today.
  before(async () => {
    await fund(5_000);
    await fund(1_500.5, withdraw);
    await fund(700);
    await fund(300);
    await happenedAt(test.database, api.accountId, [
      '2026-11-01T09:00:00Z',
      '2026-11-19T20:59:59.999999Z',
      '2026-11-19T21:00:00Z',
      '2026-11-20T20:59:59.999999Z',
      '2026-11-20T21:00:00Z',
    ]);
  });

  const read = async (query: string) => {
    const answer = await api.call('GET', `statements${query}`);
    assert.equal(answer.status, 200, answer.text);
    return statementAnswer.parse(answer.body);
  };

  it('answers the lines of a day of Dar es Salaam, from midnight to midnight', async () => {
    assert.deepEqual(await read('?from=2026-11-20&to=2026-11-21'), {
      success: true,
      message: 'Statement retrieved successfully',
      currency: 'TZS',
      from: '2026-11-19T21:00:00.000000Z',
      to: '2026-11-20T21:00:00.000000Z',
      opening_balance: '2,005,000.00',
      closing_balance: '2,004,199.50',
      final: true,
      data: [
        {
          line: 3,
          at: '2026-11-19T21:00:00.000000Z',
          type: 'withdrawal',
          reference: '=line-2',
          description: 'Withdrawal',
          amount: '-1,500.50',
          balance: '2,003,499.50',
        },
        {
          line: 4,
          at: '2026-11-20T20:59:59.999999Z',
          type: 'top_up',
          reference: '=line-3',
          description: 'Top-up',
          amount: '700.00',
          balance: '2,004,199.50',
        },
      ],
      pagination: { current_page: 1, last_page: 1, per_page: 20, total_items: 2 },
    });
  });

  it('is of today without a range, and ends with the balance of now', async () => {
    const today = await read('');
    assert.deepEqual(
      [today.from, today.to, today.opening_balance, today.closing_balance],
      ['2026-11-20T21:00:00.000000Z', '2026-11-21T21:00:00.000000Z', '2,004,199.50', '2,004,499.50'],
    );
    assert.equal((await api.call('GET', 'balance')).body.balance.current, 2_004_499.5);
    const since = await read('?from=2026-11-20');
    assert.deepEqual([since.to, since.data.length], [today.to, 3]);
  });

  it('takes moments with their zone as well as days', async () => {
    const moments = await read('?from=2026-11-20T00:00:00%2B03:00&to=2026-11-20T21:00:00Z');
    assert.deepEqual(moments, await read('?from=2026-11-20&to=2026-11-21'));
    assert.equal(
      (await read('?from=2026-11-19T21:00:00.000001Z&to=2026-11-20T20:59:59.999999Z')).data.length,
      0,
    );
  });

  it('has the balances of the whole range on every page, and all lines on one of them', async () => {
    const range = 'from=2026-11-01&to=2026-12-01';
    const numbers: number[] = [];
    for (const page of [1, 2, 3]) {
      const answer = await read(`?${range}&page=${page}&per_page=2`);
      assert.deepEqual([answer.opening_balance, answer.closing_balance], ['0.00', '2,004,499.50']);
      assert.deepEqual(answer.pagination, { current_page: page, last_page: 3, per_page: 2, total_items: 5 });
      numbers.push(...answer.data.map(({ line }) => line));
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
    assert.deepEqual((await read(`?${range}&page=4&per_page=2`)).data, []);
  });

  it('is not final while its end is to come', async () => {
    assert.equal((await read('?from=2026-11-20&to=2026-11-21')).final, true);
    const [day] = new Date(Date.now() + 2 * 86_400_000).toISOString().split('T');
    const [start] = new Date(Date.now() - 2 * 86_400_000).toISOString().split('T');
    assert.equal((await read(`?from=${start}&to=${day}`)).final, false);
  });

  for (const [query, fields] of Object.entries({
    'from=yesterday': ['from'],
    'from=2026-02-30&to=2026-03-01': ['from'],
    'from=2026-11-20&to=2026-11-20': ['to'],
    'from=2026-11-21&to=2026-11-20': ['to'],
    'from=2026-01-01&to=2026-04-04': ['to'],
    'from=2026-01-01': ['to'],
    'to=2026-11-21': ['from'],
    'page=0': ['page'],
    'per_page=101': ['per_page'],
    'format=xlsx': ['format'],
    'type=payment': ['type'],
    'from=2026-11-20&from=2026-11-21': ['from'],
    'from=x&page=x': ['from', 'page'],
  })) {
    it(`refuses ${query}`, async () => {
      assertRefused(await api.call('GET', `statements?${query}`), 422, 'validation_failed', fields);
    });
  }

  it('takes 92 days and not a moment more', async () => {
    assert.equal((await api.call('GET', 'statements?from=2026-01-01&to=2026-04-03')).status, 200);
    const beyond = await api.call('GET', 'statements?from=2026-01-01&to=2026-04-03T00:00:01%2B03:00');
    assertRefused(beyond, 422, 'validation_failed', ['to']);
  });

  it('is for keys that may read payments and payouts, of the account alone', async () => {
    const scopes = ['payments:read', 'payouts:read'] as const;
    const both = await api.createKey({ scopes: [...scopes] });
    assert.equal((await api.call('GET', 'statements', { key: both.apiKey })).status, 200);
    const one = await api.createKey({ scopes: ['payments:read'] });
    const refused = await api.call('GET', 'statements', { key: one.apiKey });
    assertRefused(refused, 403, 'forbidden');
    assert.equal(refused.body.message, 'This API key lacks the scope payouts:read');
    assertRefused(await api.call('GET', 'statements', { key: null }), 401, 'unauthorized');
  });
});

describe('GET statements as CSV', () => {
  const { test: own, api: shop } = useTestApi({ poolMax: 1, balance: 1_000, now: () => new Date(NOW) });
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
         SELECT 'top_up', 'many-' || n, 'many-' || n FROM generate_series($2::int, $3::int) n RETURNING id)
       INSERT INTO entries (transfer_id, ledger_account_id, amount) SELECT t.id, a.id, x.amount
       FROM t, (VALUES ('settlement', -700), ('available', 700)) AS x (kind, amount)
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
    assert.equal(header, 'line,at,type,transaction_id,reference,description,amount,balance');
    assert.equal(first, '1,2000-01-02T00:00:00.000000Z,top_up,,first,Top-up,1000.00,1000.00');
    assert.equal(
      second,
      `2,2000-01-02T00:00:01.000000Z,top_up,,'=SUM(A1),"Top-up: cash, ""counted"" twice\nby Asha",500.50,1500.50`,
    );
    assert.equal(rest.pop(), '', 'the last line is ended, too');
    const cells = rest.map((line) => line.split(','));
    assert.deepEqual(
      cells.map(([line]) => Number(line)),
      Array.from({ length: LINES - 2 }, (_, index) => index + 3),
    );
    const sum = cells.reduce((total, row) => total + Number(row.at(-2)) * 100, 150_050);
    assert.equal(Number(cells.at(-1)?.at(-1)) * 100, sum);
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
      const stands = await untilSteady(() => batches.count);
      assert.ok(stands > 0 && stands < 15, `${stands} batches were read ahead`);
      assert.equal((await shop.call('GET', 'balance')).status, 200, 'the only connection is free');
      response.destroy();
      assert.equal((await shop.call('GET', 'balance')).status, 200);
      assert.ok((await untilSteady(() => batches.count)) <= stands + 1, 'it was read on for nobody');
      assert.equal(own.database.idleCount, own.database.totalCount);
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
    const { query } = own.database;
    const counted = {
      count: 0,
      restore: () => {
        own.database.query = query;
      },
    };
    own.database.query = ((...args: Parameters<typeof query>) => {
      if (String(args[0]).includes('FROM entries')) counted.count += 1;
      const fails = failAt > 0 && counted.count === failAt;
      return fails ? Promise.reject(new Error('gone')) : query.apply(own.database, args);
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

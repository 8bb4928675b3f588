import assert from 'node:assert/strict';
import { statementAnswer } from '../../src/contract/statement-schemas.ts';
import { minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { happenedAt } from '../ledger/statement-support.ts';
import { withdraw } from '../support/withdraw.ts';
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
});

import assert from 'node:assert/strict';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import type { Statement } from '../../../src/reconciliation/statement.ts';
import { pick } from '../../support/pick.ts';
import { openSimulator } from '../../support/simulator.ts';

const deposit = { reference: 'demo', amountTzs: 1_000_000 };
const accounts = {
  'm-pesa': { format: 'csv', mapping: 'mpesa-legacy', theirs: '600100' },
  'airtel-money': { format: 'csv', mapping: 'mpesa-newer', theirs: '700100' },
  bank: { format: 'csv', mapping: 'crdb', theirs: '0100000000001' },
} as const;

describe('the statements of the simulator', () => {
  let simulator: Simulator;
  let count = 0;

  beforeEach(async () => {
    simulator = await openSimulator({ statements: { deposit } });
  });
  afterEach(() => simulator.close());

  /** Its receipt is `R` and four digits. */
  async function move(
    network: string,
    ending: string,
    others: { direction?: 'in' | 'out'; control_number?: string } = {},
  ) {
    count += 1;
    const party = network === 'bank' ? `0150000000${ending}` : `255754000${ending}`;
    const reference = `PO${String(count).padStart(16, '0')}`;
    await simulator.book.move({
      direction: 'in',
      network,
      party,
      amount: 5_000,
      receipt: `R${1_000 + count}`,
      reference,
      ...others,
    });
    return { receipt: `R${1_000 + count}`, reference };
  }

  async function download(account: keyof typeof accounts, query = ''): Promise<Statement> {
    const response = await fetch(`${simulator.url}/statements/${account}.csv${query}`);
    assert.equal(response.status, 200);
    return parseStatement(
      { proves: [], ...accounts[account], currency: 'TZS' },
      Buffer.from(await response.arrayBuffer()),
    );
  }

  it('of M-Pesa are the newest line first, and their balances prove themselves', async () => {
    const bill = await move('m-pesa', '001', { control_number: '881234567890' });
    const payout = await move('m-pesa', '002', { direction: 'out' });
    const { opening, closing, totals, lines } = await download('m-pesa');
    assert.deepEqual(
      { opening, closing, totals },
      { opening: 0, closing: 0, totals: { lines: null, paidIn: 500_000, paidOut: 500_000 } },
    );
    assert.deepEqual(pick(lines, 'receipt', 'amount', 'balanceAfter', 'reference'), [
      [payout.receipt, -500_000, 0, null],
      [bill.receipt, 500_000, 500_000, '881234567890'],
    ]);
  });

  it('of Airtel Money have the newer layout', async () => {
    const { receipt } = await move('airtel-money', '001');
    const { lines } = await download('airtel-money');
    assert.deepEqual(pick(lines, 'receipt', 'amount'), [[receipt, 500_000]]);
  });

  it('of the bank begin with the deposit and name our reference, as CSV and as camt.053', async () => {
    const { receipt, reference } = await move('bank', '001', { direction: 'out' });
    const csv = await download('bank');
    const xml = Buffer.from(await (await fetch(`${simulator.url}/statements/bank.xml`)).arrayBuffer());
    const camt = parseStatement(
      { proves: [], format: 'camt', mapping: null, theirs: '0100000000001', currency: 'TZS' },
      xml,
    );
    for (const { lines } of [csv, camt])
      assert.deepEqual(pick(lines, 'receipt', 'amount', 'reference'), [
        ['demo', 100_000_000, csv.lines[0]?.reference],
        [receipt, -500_000, reference],
      ]);
    assert.equal(camt.opening, 0);
    assert.equal(camt.closing, 99_500_000);
  });

  it('of GSMA are entries, page by page with their number, and the balance that they lead to', async () => {
    const moves = [
      await move('m-pesa', '001'),
      await move('m-pesa', '449'),
      await move('airtel-money', '001'),
    ];
    const get = async (path: string) => {
      const response = await fetch(`${simulator.url}/accounts/600100/${path}`);
      return { headers: response.headers, body: (await response.json()) as never };
    };
    const from = new Date(Date.now() - 60_000).toISOString();
    const page = (offset: number) => get(`statemententries?fromDateTime=${from}&limit=2&offset=${offset}`);
    const [first, second] = [await page(0), await page(2)];
    assert.deepEqual(
      [first, second].map(({ headers }) => [
        headers.get('x-records-available-count'),
        headers.get('x-records-returned-count'),
      ]),
      [
        ['3', '2'],
        ['3', '1'],
      ],
    );
    const { body: balance } = await get('balance');
    assert.deepEqual(balance, { currentBalance: '9950.00' });
    const document = {
      theirs: '600100',
      from,
      to: new Date(Date.now() + 60_000).toISOString(),
      balance: '9950.00',
      later: [],
      entries: [...(first.body as unknown[]), ...(second.body as unknown[])],
    };
    const { opening, lines } = parseStatement(
      { proves: [], format: 'gsma', mapping: null, theirs: '600100', currency: 'TZS' },
      Buffer.from(JSON.stringify(document)),
    );
    assert.equal(opening, 0);
    assert.deepEqual(lines.map(({ receipt, amount, kind }) => [receipt, amount, kind]).reverse(), [
      [moves[0]?.receipt, 500_000, 'unknown'],
      [moves[1]?.receipt, 500_000, 'unknown'],
      [moves[1]?.receipt, -5_000, 'fee'],
    ]);
    assert.equal((await fetch(`${simulator.url}/accounts/other/balance`)).status, 404);
  });

  const planted = {
    409: '',
    419: 'R unknown 490000',
    429: 'R unknown 500000, R unknown 500000',
    439: 'R unknown 500000, XR unknown 500000',
    449: 'R fee -5000, R unknown 500000',
  };
  for (const [ending, shows] of Object.entries(planted))
    it(`plant a break for the ending ${ending}`, async () => {
      await move('m-pesa', ending);
      const { lines } = await download('m-pesa');
      const shown = lines.map(
        ({ receipt, kind, amount }) => `${receipt?.replace(/\d+$/, '')} ${kind} ${amount}`,
      );
      assert.equal(shown.sort().join(', '), shows);
    });

  it('begin with the balance of the day before', async () => {
    await move('m-pesa', '001');
    const tomorrow = new Date(Date.now() + 27 * 3_600_000).toISOString().slice(0, 10);
    const { opening, closing, lines } = await download('m-pesa', `?from=${tomorrow}`);
    assert.deepEqual([opening, closing, lines.length], [500_000, 500_000, 0]);
  });

  it('are named, and there are no others', async () => {
    const { statements } = (await (await fetch(`${simulator.url}/statements`)).json()) as {
      statements: string[];
    };
    assert.deepEqual(statements, [
      '/statements/m-pesa.csv',
      '/statements/airtel-money.csv',
      '/statements/bank.csv',
      '/statements/bank.xml',
    ]);
    for (const path of ['/statements/m-pesa.xml', '/statements/other.csv', '/statements/constructor.csv'])
      assert.equal((await fetch(`${simulator.url}${path}`)).status, 404, path);
    assert.equal((await fetch(`${simulator.url}/statements/bank.csv?from=today`)).status, 400);
  });
});

import assert from 'node:assert/strict';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import { StatementRefused } from '../../../src/reconciliation/statement.ts';
import { pick } from '../../support/pick.ts';
import { SAYS_WHAT_TO_DO } from './samples.ts';

const read = (format: 'gsma' | 'airtel', entries: unknown[], others = {}) =>
  parseStatement(
    {
      proves: ['clearing:airtel-money:TZS'],
      format,
      mapping: null,
      currency: 'TZS',
      theirs: format === 'gsma' ? 'malipo' : '255780000000',
    },
    Buffer.from(
      JSON.stringify({
        theirs: format === 'gsma' ? 'malipo' : '255780000000',
        from: '2026-01-03T21:00:00.000Z',
        to: '2026-01-04T21:00:00.000Z',
        balance: '1,000.00',
        later: [],
        entries,
        ...others,
      }),
    ),
  );

const ours = [{ key: 'accountid', value: 'malipo' }];
const customer = [{ key: 'msisdn', value: '255754000111' }];
const entry = {
  transactionReference: 'GS1',
  transactionStatus: 'completed',
  amount: '5000.00',
  currency: 'TZS',
  creditParty: ours,
  debitParty: customer,
  requestingOrganisationTransactionReference: 'PY0000000000000001',
  creationDate: '2026-01-04T10:00:00.000Z',
};
const listed = {
  payer: { msisdn: 754000111, name: 'ASHA' },
  payee: { msisdn: '780000000' },
  service: { type: 'MERCHPAY' },
  transaction: { airtel_money_id: 'MP1', amount: '5000', created_at: '1767520800', id: 'PY1', status: 'TS' },
};

/** What the lines below have alike. */
const known = {
  no: 1,
  kind: 'unknown',
  status: 'done',
  amount: 500_000,
  currency: 'TZS',
  names: [],
  sweepTo: null,
  at: new Date('2026-01-04T10:00:00Z'),
  balanceAfter: null,
};

describe('a statement that was fetched', () => {
  it('has the period that was asked for and the balance of the API, before and after its lines', () => {
    const { lines, ...others } = read('gsma', []);
    assert.deepEqual(lines, []);
    assert.deepEqual(others, {
      theirs: 'malipo',
      currency: null,
      period: { from: new Date('2026-01-03T21:00:00Z'), to: new Date('2026-01-04T21:00:00Z') },
      opening: 100_000,
      closing: 100_000,
      totals: { lines: null, paidIn: null, paidOut: null },
      isFetched: true,
    });
    assert.equal(read('gsma', [], { balance: null }).closing, null);
    assert.equal(read('gsma', [], { balance: '-5.00' }).closing, -500);
    const failed = { ...entry, transactionStatus: 'failed' };
    assert.equal(read('gsma', [entry, failed]).opening, 100_000 - 500_000);
  });

  it('ends where it was asked to: later entries only lead from the balance of now to the one of its end', () => {
    const at = (creationDate: string, amount = '5000.00') => ({ ...entry, creationDate, amount });
    const outside = [at('2026-01-03T20:59:59.999Z'), entry, at('2026-01-04T21:00:00.000Z', '1.00')];
    const later = [at('2026-01-04T20:59:59.000Z'), at('2026-01-04T21:00:00.000Z', '1.00')];
    const { opening, closing, lines } = read('gsma', outside, { later });
    assert.deepEqual(pick(lines, 'amount'), [500_000]);
    assert.deepEqual([opening, closing], [100_000 - 100 - 500_000, 100_000 - 100]);
  });

  it('ends before the first entry that is still pending, for a day', () => {
    const pending = { ...entry, transactionStatus: 'pending' };
    const before = { ...entry, creationDate: '2026-01-04T09:00:00.000Z', amount: '7.00' };
    const after = { ...entry, creationDate: '2026-01-04T11:00:00.000Z', amount: '9.00' };
    const { period, closing, lines } = read('gsma', [before, pending, after]);
    assert.deepEqual(period?.to, new Date('2026-01-04T10:00:00Z'));
    assert.deepEqual([lines.length, closing], [1, 100_000 - 900]);
    const old = { from: '2026-01-03T09:00:00.000Z', to: '2026-01-05T10:00:00.000Z' };
    assert.deepEqual(read('gsma', [before, pending, after], old).lines.length, 3);
  });

  it('reads a statement entry of GSMA with its sign from the parties', () => {
    const [line, out] = read('gsma', [entry, { ...entry, creditParty: customer, debitParty: ours }]).lines;
    const { raw, ...others } = line as NonNullable<typeof line>;
    assert.deepEqual(JSON.parse(raw), entry);
    const own = {
      receipt: 'GS1',
      alsoKnownAs: [],
      reference: 'PY0000000000000001',
      party: '255754000111',
      text: '',
    };
    assert.deepEqual(others, { ...known, ...own });
    assert.equal(out?.amount, -500_000);
  });

  it("reads a line of Airtel's list with its sign from payer and payee", () => {
    const [line, out] = read('airtel', [
      listed,
      { ...listed, payer: listed.payee, payee: listed.payer },
    ]).lines;
    const { raw, ...others } = line as NonNullable<typeof line>;
    assert.deepEqual(JSON.parse(raw), listed);
    const own = {
      receipt: 'MP1',
      alsoKnownAs: ['PY1'],
      reference: 'PY1',
      party: '754000111 - ASHA',
      text: 'MERCHPAY',
    };
    assert.deepEqual(others, { ...known, ...own });
    assert.equal(out?.amount, -500_000);
  });

  it('takes a status that it does not know as pending', () => {
    const long = { to: '2026-01-05T21:00:00.000Z' };
    assert.equal(read('gsma', [{ ...entry, transactionStatus: 'onHold' }], long).lines[0]?.status, 'pending');
    const unknown = { ...listed, transaction: { ...listed.transaction, status: 'TIP' } };
    assert.equal(read('airtel', [unknown], long).lines[0]?.status, 'pending');
  });

  const neither = /line 1: account "malipo" must be one/;
  const refused: [what: string, format: 'gsma' | 'airtel', rows: unknown[], and: object, says: RegExp][] = [
    ['names us on neither side', 'gsma', [{ ...entry, creditParty: customer }], {}, neither],
    ['names us on both sides', 'gsma', [{ ...entry, debitParty: ours }], {}, neither],
    ['names us on neither side', 'airtel', [{ ...listed, payee: undefined }], {}, /line 1: account/],
    ['is in another currency', 'gsma', [{ ...entry, currency: 'KES' }], {}, /line 1 is in KES/],
    ['has no amount', 'gsma', [{ ...entry, amount: '5e3' }], {}, /line 1: amount "5e3" is no amount/],
    ['has no time', 'gsma', [{ ...entry, creationDate: undefined }], {}, /line 1: creationDate/],
    ['has no time', 'airtel', [{ ...listed, transaction: { amount: 1 } }], {}, /line 1: created_at/],
    ['is no object', 'airtel', ['x'], {}, /line 1/],
    [
      'is of another account',
      'gsma',
      [],
      { theirs: 'other' },
      /a statement of other; you chose Airtel Money malipo: choose/,
    ],
    ['has a balance that is none', 'gsma', [], { balance: 'much' }, /the balance "much" is no amount/],
    [
      'has an entry of another time',
      'gsma',
      [{ ...entry, creationDate: '2026-01-02T10:00:00.000Z' }],
      {},
      /line 1: 2026-01-02T10:00:00.000Z is not of the time that was asked for/,
    ],
    ['has no period', 'gsma', [], { from: undefined }, /no statement that was fetched/],
  ];
  for (const [what, format, entries, others, says] of refused)
    it(`is refused where it ${what} (${format})`, () => {
      assert.throws(
        () => read(format, entries, others),
        (error: Error) =>
          error instanceof StatementRefused &&
          says.test(error.message) &&
          SAYS_WHAT_TO_DO.test(error.message),
      );
    });
});

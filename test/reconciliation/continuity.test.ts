// tests: generated
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minor } from '../../src/domain/money.ts';
import { prove } from '../../src/reconciliation/continuity.ts';
import { type Statement, type StatementLine, StatementRefused } from '../../src/reconciliation/statement.ts';
import { portion } from '../support/generated.ts';
import { pick } from '../support/pick.ts';

const BEGIN = Date.parse('2026-11-20T21:00:00Z');

/** Lines that follow each other from `opening`, at these seconds. */
function statementOf(opening: number, moves: readonly { amount: number; second: number }[]): Statement {
  let balance = opening;
  const lines = moves.map(({ amount, second }, index): StatementLine => {
    balance += amount;
    return {
      no: index + 1,
      raw: '',
      receipt: `R${index}`,
      kind: amount > 0 ? 'payment' : 'payout',
      status: 'done',
      amount: minor(amount),
      currency: 'TZS',
      at: new Date(BEGIN + second * 1_000),
      reference: null,
      names: [],
      sweepTo: null,
      party: null,
      balanceAfter: minor(balance),
      text: '',
    };
  });
  const paid = (sign: number) =>
    minor(moves.reduce((sum, { amount }) => sum + Math.max(0, amount * sign), 0));
  return {
    theirs: '100100',
    currency: 'TZS',
    period: { from: new Date(BEGIN), to: new Date(BEGIN + 86_400_000) },
    opening: minor(opening),
    closing: minor(balance),
    totals: { lines: lines.length, paidIn: paid(1), paidOut: paid(-1) },
    lines,
  };
}

const moves = fc
  .array(
    fc.record({
      amount: fc.integer({ min: -500, max: 500 }).filter((amount) => amount !== 0),
      second: fc.integer({ min: 0, max: 5 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.sort((a, b) => a.second - b.second));
const noTotals = { lines: null, paidIn: null, paidOut: null };
const balancesOf = (statement: Statement) => prove(statement).lines.map(({ running }) => running);

describe('the proof of a statement', () => {
  it('follows the balances in either order, and lines of one second in any', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), moves, fc.func(fc.integer()), (opening, list, mix) => {
        const statement = statementOf(opening, list);
        const straight = balancesOf(statement);
        assert.deepEqual(balancesOf({ ...statement, lines: [...statement.lines].reverse() }), straight);
        const mixed = [...statement.lines].sort(
          (a, b) => a.at.getTime() - b.at.getTime() || mix(a.no) - mix(b.no),
        );
        const proven = prove({ ...statement, lines: mixed });
        for (const [index, { line, running }] of proven.lines.entries()) {
          assert.equal(running, line.balanceAfter);
          assert.equal((proven.lines[index - 1]?.running ?? opening) + line.amount, running);
        }
        assert.deepEqual([proven.opening, proven.closing], [statement.opening, statement.closing]);
      }),
    );
  });

  it('follows them where they end as they began, and could begin with any of them', () => {
    const statement = statementOf(0, [
      { amount: 495, second: 0 },
      { amount: -2, second: 0 },
      { amount: -493, second: 5 },
    ]);
    const [first, second, third] = statement.lines as [StatementLine, StatementLine, StatementLine];
    for (const opening of [statement.opening, null]) {
      const { lines } = prove({ ...statement, opening, lines: [second, first, third] });
      assert.deepEqual(pick(lines, 'line'), [first, second, third]);
    }
  });

  it('refuses a statement in which one amount, balance or total is another, or a line is missing or doubled', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000 }),
        moves,
        fc.nat(),
        fc.integer({ min: -900, max: 900 }).filter((by) => by !== 0),
        fc.constantFrom(
          'amount',
          'balance',
          'opening',
          'closing',
          'in',
          'out',
          'count',
          'missing',
          'twice',
          'status',
        ),
        (opening, list, which, by, what) => {
          const statement = statementOf(opening, list);
          const at = which % statement.lines.length;
          const change = (line: Partial<StatementLine>) =>
            statement.lines.map((old, index) => (index === at ? { ...old, ...line } : old));
          const old = statement.lines[at] as StatementLine;
          const { totals } = statement;
          const plus = (value: number | null) => minor((value ?? 0) + by);
          const changed: Partial<Statement> = {
            amount: { lines: change({ amount: plus(old.amount) }) },
            balance: { lines: change({ balanceAfter: plus(old.balanceAfter) }) },
            opening: { opening: plus(statement.opening) },
            closing: { closing: plus(statement.closing) },
            in: { totals: { ...totals, paidIn: minor((totals.paidIn ?? 0) + Math.abs(by)) } },
            out: { totals: { ...totals, paidOut: minor((totals.paidOut ?? 0) + Math.abs(by)) } },
            count: { totals: { ...totals, lines: (totals.lines ?? 0) + by } },
            missing: { lines: statement.lines.filter((line) => line !== old), totals: noTotals },
            twice: { lines: [...statement.lines, old], totals: noTotals },
            status: { lines: change({ status: 'failed' }), totals: noTotals },
          }[what];
          assert.throws(() => prove({ ...statement, ...changed }), StatementRefused);
        },
      ),
      { numRuns: portion(2_000) },
    );
  });

  it('names the line and the difference', () => {
    const statement = statementOf(1_000, [
      { amount: 500, second: 1 },
      { amount: -200, second: 2 },
      { amount: 300, second: 3 },
    ]);
    const lines = statement.lines.map((line) => (line.no === 2 ? { ...line, amount: minor(-100) } : line));
    assert.throws(
      () => prove({ ...statement, lines, totals: noTotals }),
      /line 2: the balance after it is 13\.00, but the line before it makes it 14\.00: the difference is -1\.00/,
    );
  });

  it('needs no balances beside the lines where opening and closing are there, and proves nothing without any', () => {
    const statement = statementOf(1_000, [{ amount: 500, second: 1 }]);
    const bare = { ...statement, lines: statement.lines.map((line) => ({ ...line, balanceAfter: null })) };
    assert.deepEqual(balancesOf(bare), [1_500]);
    assert.deepEqual(balancesOf({ ...statement, opening: null, closing: null }), [1_500]);
    assert.deepEqual(balancesOf({ ...bare, opening: null, closing: null }), [null]);
    assert.throws(() => prove({ ...bare, closing: minor(1) }), StatementRefused);
  });

  it('counts no line that failed, and refuses one outside its period', () => {
    const statement = statementOf(1_000, [{ amount: 500, second: 1 }]);
    const failed = {
      ...(statement.lines[0] as StatementLine),
      no: 2,
      receipt: 'R9',
      status: 'failed' as const,
    };
    assert.deepEqual(balancesOf({ ...statement, totals: noTotals, lines: [...statement.lines, failed] }), [
      1_500,
      null,
    ]);
    const early = statement.lines.map((line) => ({ ...line, at: new Date(BEGIN - 1) }));
    assert.throws(() => prove({ ...statement, lines: early }), /line 1: .* is not within its period/);
  });
});

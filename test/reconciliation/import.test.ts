import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { StatementRefused } from '../../src/reconciliation/statement.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { handedOver } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  digestOf,
  driftOf,
  importMoves,
  importOf,
  type Move,
  statementOf,
} from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

describe('the import of a statement', () => {
  const { test, wallet, database, answer } = useLines();

  /** A push that was paid, for so many shillings. */
  async function paid(receipt: string, shillings = 1_000): Promise<void> {
    const { id } = await handedOver(test.database, pushRequest(shillings), { balance: 0 });
    assert.equal((await answer(id, succeeded(shillings, receipt))).status, 'completed');
  }
  const three: Move[] = [
    { receipt: 'R1', amount: 1_000, minutes: 30 },
    { receipt: 'R2', amount: 2_000, minutes: 20 },
    { receipt: 'C2', amount: -20, kind: 'fee', minutes: 20 },
  ];

  it('takes the same bytes once, and shows what came of them then', async () => {
    await paid('R1');
    const statement = statementOf(wallet, 0, three);
    const first = await importOf(database(), wallet, statement, { bytes: 'the file' });
    assert.deepEqual(first.outcome, {
      lines: 3,
      added: 3,
      known: 0,
      classes: { charge: 1, receipt: 1, theirs_only: 1 },
      notes: [],
    });
    assert.equal(await driftOf(test.database, wallet), 0);
    const digest = await digestOf(test.database);
    const again = await importOf(database(), wallet, statement, { bytes: 'the file' });
    assert.deepEqual(again, { ...first, isRepeated: true });
    assert.equal(await digestOf(test.database), digest);
  });

  it('is of the account, however the digits of its number are grouped', async () => {
    const grouped = { ...statementOf(wallet, 0, three), theirs: '100 100' };
    assert.equal((await importOf(database(), wallet, grouped)).outcome.added, 3);
  });

  it('knows its lines in another file, in reverse order, and where two files overlap', async () => {
    const statement = statementOf(wallet, 500, three);
    await importOf(database(), wallet, statement);
    const digest = await digestOf(test.database);
    const reversed = { ...statement, lines: [...statement.lines].reverse() };
    const { outcome } = await importOf(database(), wallet, reversed);
    assert.deepEqual([outcome.added, outcome.known], [0, 3]);
    assert.equal(await digestOf(test.database), digest);
    const more = statementOf(wallet, 500, [...three, { receipt: 'R3', amount: 3_000, minutes: 10 }]);
    const overlapping = { ...more, lines: [...statement.lines, more.lines[3]] as typeof more.lines };
    assert.deepEqual((await importOf(database(), wallet, overlapping)).outcome.added, 1);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('is refused whole where it does not go on from what is stored', async () => {
    const statement = statementOf(wallet, 500, three);
    await importOf(database(), wallet, statement);
    const digest = await digestOf(test.database);
    const refused = async (moves: Move[], opening: number, sentence: RegExp) => {
      await assert.rejects(importMoves(database(), wallet, moves, opening), (error) => {
        assert.ok(error instanceof StatementRefused, String(error));
        assert.match(error.message, sentence);
        return true;
      });
      assert.equal(await digestOf(test.database), digest);
    };
    // Without the lines that are stored already.
    await refused(
      [{ receipt: 'R4', amount: 5, minutes: 5 }],
      3_480,
      /show 3 lines within its period, and it has 0 of them: download .* or void the statement before it/,
    );
    const [, ...rest] = statement.lines;
    await assert.rejects(
      importOf(database(), wallet, { ...statement, opening: minor(150_000), lines: rest }),
      /show 3 lines/,
    );
    const other = { ...statement, theirs: '200200' };
    await assert.rejects(
      importOf(database(), wallet, other),
      /a statement of 200200; you chose M-Pesa 100100: choose the account that it is of/,
    );
    await assert.rejects(importOf(database(), wallet, { ...statement, currency: 'USD' }), /in USD/);
    const early = statement.lines.map((line) => ({
      ...line,
      at: new Date(line.at.getTime() - 3 * 86_400_000),
    }));
    const gap = {
      ...statement,
      opening: minor(348_000),
      period: { from: new Date(Date.now() + 1), to: new Date(Date.now() + 9) },
      lines: [],
      closing: minor(348_000),
    };
    await assert.rejects(
      importOf(database(), wallet, gap, { now: new Date(Date.now() + 86_400_000) }),
      /import what is between them first, or download the file again/,
    );
    await assert.rejects(importOf(database(), wallet, { ...statement, lines: early }), StatementRefused);
    assert.equal(await digestOf(test.database), digest);
  });

  it('goes on from the closing of the day before, and from nothing else', async () => {
    const yesterday = statementOf(wallet, 500, three);
    const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() - 60_000) };
    await importOf(database(), wallet, { ...yesterday, period });
    const next = { from: period.to, to: new Date() };
    const today = (opening: number) => ({
      ...statementOf(wallet, opening, [{ receipt: 'R4', amount: 5, minutes: 0.5 }]),
      period: next,
    });
    await assert.rejects(
      importOf(database(), wallet, today(3_481)),
      /opening is 3,481\.00, but the statement before it leaves 3,480\.00: the difference is 1\.00: download the file again, or void/,
    );
    const { outcome } = await importOf(database(), wallet, today(3_480));
    assert.equal(outcome.added, 1);
  });

  it('keeps what was there before its first line as one item of its own', async () => {
    await importMoves(database(), wallet, [{ receipt: 'R1', amount: 10, minutes: 5 }], 750);
    assert.deepEqual(await test.sql`SELECT receipt, amount FROM suspense_items ORDER BY receipt`, [
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'opening:m-pesa', amount: 75_000 },
    ]);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('is refused while the fence is closed, with its reason', async () => {
    await closeFence(test.database, 'a standby took over');
    await assert.rejects(importMoves(database(), wallet, three), /a standby took over/);
  });

  it('is imported once by two people at once', async () => {
    await paid('R1');
    const statement = statementOf(wallet, 0, three);
    const both = await Promise.all(
      ['same', 'same'].map((bytes) => importOf(database(), wallet, statement, { bytes })),
    );
    assert.deepEqual(both.map(({ isRepeated }) => isRepeated).sort(), [false, true]);
    const others = await Promise.all([1, 2].map(() => importOf(database(), wallet, statement)));
    assert.deepEqual(
      others.map(({ outcome }) => outcome.added),
      [0, 0],
    );
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('is all there or not at all, wherever its connection breaks', async () => {
    await paid('R1');
    const statement = statementOf(wallet, 200, three);
    const before = await digestOf(test.database);
    for (let at = 1; ; at += 1) {
      const failing = failingDatabase(database(), { at, answerLost: at % 2 === 0 });
      const broken = await importOf(failing.database, wallet, statement, { bytes: 'one file' }).then(
        () => false,
        (error) => {
          assert.ok(error instanceof ConnectionLost, String(error));
          return true;
        },
      );
      if (!broken) {
        assert.ok(at > 12, `${at} statements`);
        break;
      }
      const isCommitted = (await test.database.query('SELECT FROM statements')).rowCount === 1;
      if (isCommitted) break;
      assert.equal(await digestOf(test.database), before, `statement ${at}`);
    }
    assert.equal((await importOf(database(), wallet, statement, { bytes: 'one file' })).isRepeated, true);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('seals what its lines say of people, and its bytes', async () => {
    await importOf(database(), wallet, statementOf(wallet, 0, three), { bytes: 'JANE DOE paid' });
    const rows =
      await test.sql`SELECT (SELECT string_agg(l::text, '') FROM statement_lines l) || s::text AS text
        FROM statements s`;
    assert.doesNotMatch(rows[0].text, /JANE|Pay Bill/);
    assert.doesNotMatch(rows[0].text, new RegExp(Buffer.from('JANE').toString('hex')));
  });
});

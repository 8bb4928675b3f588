import assert from 'node:assert/strict';
import { dayOf } from '../../src/domain/day.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { keptOf } from '../../src/reconciliation/formats/bytes.ts';
import { parseStatement } from '../../src/reconciliation/formats/parse.ts';
import { importStatement } from '../../src/reconciliation/import.ts';
import { StatementRefused } from '../../src/reconciliation/statement.ts';
import { pick } from '../support/pick.ts';
import {
  bankAccount,
  digestOf,
  driftOf,
  importOf,
  keys,
  statementOf,
} from '../support/statements-of-accounts.ts';
import { camtEntry, camtFile } from './formats/samples.ts';
import { useLines } from './lines.ts';

const account = bankAccount({ theirs: '0150123', format: 'camt', mapping: null });

type Day = {
  day: number;
  opening: number;
  amounts: number[];
  closing?: number;
  id?: string;
  inside?: string;
};

/** One Stmt of a day of January 2026, in whole shillings. */
function dayStatement({ day, opening, amounts, id = `S${day}`, inside = '', ...also }: Day): string {
  const closing = also.closing ?? amounts.reduce((sum, amount) => sum + amount, opening);
  const entries = amounts.map((amount, n) =>
    camtEntry({
      amount: `${Math.abs(amount)}.00`,
      direction: amount < 0 ? 'DBIT' : 'CRDT',
      receipt: `R${day}-${n}`,
    }),
  );
  const [, one = ''] =
    /(<Stmt>.*<\/Stmt>)/s.exec(camtFile(entries, { closing: `${closing}.00`, inside })) ?? [];
  return one
    .replaceAll('2026-01-04', `2026-01-${String(day).padStart(2, '0')}`)
    .replace('<Id>S1</Id>', `<Id>${id}</Id>`)
    .replace('>0.00<', `>${opening}.00<`);
}
const fileOf = (...statements: string[]) =>
  camtFile([]).replace(/<Stmt>.*<\/Stmt>/s, () => statements.join('\n'));
const read = (text: string) => parseStatement(account, Buffer.from(text));
const refused = (text: string, says: RegExp) =>
  assert.throws(
    () => read(text),
    (error: Error) => error instanceof StatementRefused && says.test(error.message),
  );
/** Each statement in a document of its own, as banks send the days of a weekend. */
const apart = (...statements: string[]) =>
  `<Envelope>${statements.map((one) => fileOf(one).replace(/<\?xml[^>]*>/, '')).join('\n')}</Envelope>`;
const page = (number: number, isLast: boolean) =>
  `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`;

const fourth: Day = { day: 4, opening: 0, amounts: [500, -200, 500] };
const fifth: Day = { day: 5, opening: 800, amounts: [] };
const sixth: Day = { day: 6, opening: 800, amounts: [500, -100] };

describe('a file of several statements', () => {
  it('is all of them, in the order of their days', () => {
    const { period, opening, closing, lines, parts } = read(
      fileOf(...[sixth, fourth, fifth].map((one) => dayStatement(one))),
    );
    assert.deepEqual(
      [opening, closing, lines.map(({ receipt }) => receipt), parts?.map(({ name }) => name)],
      [
        0,
        120_000,
        ['R4-0', 'R4-1', 'R4-2', 'R6-0', 'R6-1'],
        ['S4 of 2026-01-04', 'S5 of 2026-01-05', 'S6 of 2026-01-06'],
      ],
    );
    assert.deepEqual(period, {
      from: new Date('2026-01-03T21:00:00Z'),
      to: new Date('2026-01-06T21:00:00Z'),
    });
    assert.deepEqual(pick(lines, 'no'), [3, 4, 5, 1, 2], 'lines are named by their places in the file');
  });

  it('says the same in several documents of one envelope, and is refused for one of another account', () => {
    const [first, second, third] = [fourth, fifth, sixth].map((one) => dayStatement(one));
    const days = [third, first, second] as [string, string, string];
    assert.deepEqual(read(apart(...days)), read(fileOf(...days)));
    refused(
      apart(days[0], days[1].replace('0150123', '0150999')),
      /statements of 0150123 and 0150999: ask the bank for a file of each/,
    );
    refused(apart(days[0], days[1]), /what is between them is missing/);
  });

  it('is refused for one that is not whole, or does not go on, or is missing, or there twice', () => {
    const [first, second, third] = [fourth, fifth, sixth].map((one) => dayStatement(one)) as [
      string,
      string,
      string,
    ];
    const other = (of: Day, also: Partial<Day>) => dayStatement({ ...of, ...also });
    refused(
      fileOf(first, other(fifth, { closing: 801 }), third),
      /the statement S5 .*the difference is 1\.00/,
    );
    refused(
      fileOf(first, other(fifth, { opening: 801 }), other(sixth, { opening: 801 })),
      /S5 of 2026-01-05: its opening is 801.00, but the statement before it leaves 800.00/,
    );
    refused(fileOf(first, other(fifth, { opening: 799 })), /its opening is 799.00, but the statement before/);
    refused(
      fileOf(first, third),
      /S6 of 2026-01-06 follows S4 of 2026-01-04, and what is between them is missing: ask the bank for it/,
    );
    // Its lines sum to nothing: no balance would tell.
    const balanced = other(fifth, { amounts: [5, -5] });
    refused(
      fileOf(first, balanced, balanced, third),
      /S5 of 2026-01-05 and S5 of 2026-01-05 are of the same days/,
    );
    refused(
      fileOf(first, second.replace('0150123', '0150999')),
      /statements of 0150123 and 0150999: ask the bank for a file of each/,
    );
    const nameless = second.replace('<Othr><Id>0150123</Id></Othr>', '');
    refused(fileOf(first, nameless), /statements of 0150123 and an ?account ?without ?a ?number/);
    refused(fileOf(first, second.replaceAll('TZS', 'USD')), /statements of 0150123 and 0150123 in USD/);
  });

  it('has the pages of one statement as one, and needs all of them', () => {
    const pages = (...last: boolean[]) =>
      last.map((isLast, index) =>
        dayStatement({
          ...fourth,
          amounts: [[500], [-200, 500], [5, -5]][index] ?? [],
          closing: 800,
          inside: page(index + 1, isLast),
        })
          .replaceAll('Id>S4<', 'Id>S<')
          .replace(/R4-/g, `R${index}-`),
      );
    const [first, second, third] = pages(false, false, true) as [string, string, string];
    for (const order of [
      [first, second, third],
      [third, first, second],
    ])
      assert.deepEqual(pick(read(fileOf(...order)).lines, 'receipt'), [
        'R0-0',
        'R1-0',
        'R1-1',
        'R2-0',
        'R2-1',
      ]);
    const without = (text: string) => text.replace('<Cd>CLBD', '<Cd>ITBD');
    assert.equal(read(fileOf(without(first), without(second), third)).closing, 80_000);
    refused(fileOf(first, second), /the pages 1, 2, not all of them/);
    refused(fileOf(first, third), /the pages 1, 3, not all of them/);
    refused(fileOf(first, first, second, third), /the pages 1, 1, 2, 3, not all/);
    refused(fileOf(dayStatement({ ...fourth, inside: page(1, false) })), /the pages 1, not all/);
    refused(fileOf(second, third.replace('800.00', '801.00')), /pages 2, 3/);
  });
});

describe('the import of several statements', () => {
  const { test, database } = useLines();
  const importFile = (...days: Day[]) => {
    const bytes = Buffer.from(fileOf(...days.map((one) => dayStatement(one))));
    return importStatement(database(), {
      account,
      ...keptOf(bytes),
      statement: parseStatement(account, bytes),
      keys,
      actor: 'test',
    });
  };

  it('takes all or none, and passes over what is there already, by name', async () => {
    await importFile(fourth);
    const digest = await digestOf(test.database);
    await assert.rejects(
      importFile({ ...fifth, opening: 900 }, { ...sixth, opening: 900 }),
      /its opening is 900.00, but the statement before it leaves 800.00/,
    );
    await assert.rejects(importFile({ ...fourth, amounts: [500, -200, 499, 1] }, fifth), StatementRefused);
    assert.equal(await digestOf(test.database), digest);
    const { outcome } = await importFile(fourth, fifth, sixth);
    assert.deepEqual(
      [outcome.added, outcome.known, outcome.notes],
      [2, 3, ['the statement S4 of 2026-01-04 was imported before, and is passed over']],
    );
    const after = await digestOf(test.database);
    const again = await importFile(sixth);
    assert.deepEqual([again.outcome.added, again.outcome.known], [0, 2]);
    assert.equal(await digestOf(test.database), after);
    assert.equal(await driftOf(test.database, account), 0);
  });

  it('comes to the same as each of them alone', async () => {
    for (const one of [fourth, fifth, sixth]) await importFile(one);
    const alone = await digestOf(test.database);
    assert.equal((await importFile(fourth, fifth, sixth)).outcome.added, 0);
    assert.equal(await digestOf(test.database), alone);
  });
});

describe('a line that moved nothing, in a file without balances', () => {
  const { test, wallet, database } = useLines();
  const now = Date.now();
  const minutes = (count: number) => new Date(now - count * 60_000);

  it('leaves its day unproven, and is named, until a statement after it is proven', async () => {
    await importOf(database(), wallet, {
      ...statementOf(wallet, 0, [{ receipt: 'R1', amount: 100, at: minutes(50) }]),
      period: { from: minutes(60), to: minutes(40) },
    });
    const today = dayOf(minutes(20));
    const balances = async () => {
      const days = await daysOf(test.database, [wallet]);
      const { closing, holds } = days.at(-1) ?? {};
      return [closing, holds];
    };
    assert.deepEqual(await balances(), [10_000, true]);
    const declined = (from: number, to: number) => ({
      ...statementOf(wallet, 0, [
        { receipt: `D${from}`, amount: 5, status: 'failed', at: minutes(from - 1) },
      ]),
      period: { from: minutes(from), to: minutes(to) },
      opening: null,
      closing: null,
    });
    const { outcome } = await importOf(database(), wallet, declined(40, 20));
    assert.match(
      outcome.notes.join(),
      /^line 1 moved nothing by its status, and no balance in the file proves it/,
    );
    assert.deepEqual(await balances(), [null, false], today);
    const proven = { ...statementOf(wallet, 100, []), period: { from: minutes(20), to: minutes(10) } };
    assert.deepEqual((await importOf(database(), wallet, proven)).outcome.notes, []);
    assert.deepEqual(await balances(), [10_000, true]);
  });
});

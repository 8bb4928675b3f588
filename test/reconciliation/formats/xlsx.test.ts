import assert from 'node:assert/strict';
import { readTable } from '../../../src/platform/tables/read-table.ts';
import { prove } from '../../../src/reconciliation/continuity.ts';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import { readStatement } from '../../../src/reconciliation/formats/read.ts';
import { StatementRefused } from '../../../src/reconciliation/statement.ts';
import { pick } from '../../support/pick.ts';
import { type TestCell, workbookOf } from '../../support/workbook.ts';
import { legacyFile, legacyRow, SAYS_WHAT_TO_DO } from './samples.ts';

const settings = {
  proves: ['clearing:m-pesa:TZS'],
  format: 'csv',
  mapping: 'mpesa-legacy',
  currency: 'TZS',
  theirs: '123456',
} as const;
const read = (bytes: Buffer) => parseStatement(settings, bytes);
const refusal = (bytes: Buffer, of: Parameters<typeof parseStatement>[0] = settings) => {
  try {
    parseStatement(of, bytes);
    return 'it was read';
  } catch (error) {
    assert.ok(error instanceof StatementRefused, String(error));
    for (const problem of error.problems) assert.match(problem, SAYS_WHAT_TO_DO);
    return error.problems.join('\n');
  }
};

const csv = legacyFile([
  legacyRow(),
  legacyRow({ receipt: 'TEST0000A2', at: '04-01-2026 18:00:00', account: 'A-7' }),
]);
const table = readTable(Buffer.from(csv), { known: (cells) => cells.length, rowsMax: 20, unpackedMax: 0 });
type Change = (text: string, place: { row: number; column: number }) => TestCell;
/** The file as a workbook, each cell a text unless it is changed. */
const workbook = (change: Change = (text) => text) =>
  workbookOf(
    table.rows.map(({ cells }, row) => cells.map((text, column) => change(text, { row, column }))),
    { formats: ['dd-mm-yyyy hh:mm:ss', 'dd-mm-yyyy'] },
  );
const [receipt, at, paidIn, account] = [0, 1, 5, 12];
const inColumn =
  (wanted: number, cell: (text: string, row: number) => TestCell): Change =>
  (text, { row, column }) =>
    row > 6 && column === wanted ? cell(text, row) : text;
/** `04-01-2026 17:16:40` as the days of a spreadsheet */
const days = (text: string) => {
  const [, day, month, year, clock] = /^(\d\d)-(\d\d)-(\d{4}) (.*)$/.exec(text) ?? [];
  const value = Date.parse(`${year}-${month}-${day}T${clock}Z`) / 86_400_000 + 25_569;
  return { inside: `<v>${value}</v>`, attributes: 's="1"' };
};
const linesOf = (bytes: Buffer) => {
  const { lines, ...others } = read(bytes);
  return { ...others, lines: lines.map(({ raw: _, ...line }) => line) };
};

describe('a statement as a workbook', () => {
  const expected = linesOf(Buffer.from(csv));
  it('says what its CSV says, and keeps each row as it came', () => {
    assert.deepEqual(linesOf(workbook()), expected);
    assert.match(read(workbook()).lines[0]?.raw ?? '', /^TEST0000A1\t04-01-2026 17:16:40\t/);
  });

  it('says the same where its amounts are numbers and its times are dates', () => {
    const typed = workbook((text) => {
      if (/^\d\d-\d\d-\d{4} /.test(text)) return days(text);
      return /^[\d,]+\.\d\d$/.test(text) ? Number(text.replaceAll(',', '')) : text;
    });
    assert.deepEqual(linesOf(typed), expected);
  });

  it('is read in its thread, too', async () => {
    const { statement, raw } = await readStatement(settings, workbook());
    assert.equal(statement.lines.length, 2);
    assert.ok(raw.length > 0);
  });

  it('takes a receipt that is a whole number of at most 15 digits, as banks have them', () => {
    const { lines } = read(workbook(inColumn(receipt, (_, row) => 123456789012340 + row)));
    assert.deepEqual(pick(lines, 'receipt'), ['123456789012347', '123456789012348']);
  });

  const refused: [what: string, change: Change, says: RegExp][] = [
    [
      'a reference that is a number',
      inColumn(account, () => 850060),
      /^line 8: A\/C No\. "850060" was made a number by Excel, leading zeros .*\nline 9: /,
    ],
    [
      'a receipt of 16 digits',
      inColumn(receipt, () => ({ inside: '<v>1234567890123450</v>' })),
      /Receipt No\. "1234567890123450" was made a number/,
    ],
    ['a receipt with decimals', inColumn(receipt, () => 12.5), /Receipt No\. "12.5" was made a number/],
    ['a receipt that is a date', inColumn(receipt, () => days('04-01-2026 00:00:00')), /was made a date/],
    [
      'an amount that is computed',
      inColumn(paidIn, () => ({ inside: '<f>A1</f><v>7800</v>' })),
      /^line 8: Paid In "7800" is computed by a formula, and may be old/,
    ],
    [
      'a balance above the header that is computed',
      (text, { row, column }) => (row === 5 && column === 3 ? { inside: '<f>A1</f><v>7800</v>' } : text),
      /^line 6: Closing Balance: "7800" is computed/,
    ],
    [
      'an amount that is a date',
      inColumn(paidIn, () => days('04-01-2026 00:00:00')),
      /Paid In "2026-01-04 00:00:00" is no amount/,
    ],
    [
      'times of which only some are dates',
      inColumn(at, (text, row) => (row === 7 ? days(text) : text)),
      /^line 9: Completion Time "04-01-2026 18:00:00" is a text, and others are dates/,
    ],
    ['a time that is a number', inColumn(at, () => 46026.5), /Completion Time "46026.5" is no time/],
  ];
  for (const [what, change, says] of refused)
    it(`is refused for ${what}`, () => assert.match(refusal(workbook(change)), says));

  it('is refused where its lines are outside of its period, as days that Excel took for months are', () => {
    const swapped = workbook(inColumn(at, (text) => days(text.replace(/^(\d\d)-(\d\d)/, '$2-$1'))));
    assert.throws(
      () => prove({ ...read(swapped), totals: { lines: null, paidIn: null, paidOut: null } }),
      /line 8: 2026-04-01T\S* is not within its period.*a spreadsheet .* may have taken its days for months/,
    );
  });

  it('is no statement of an account of camt.053', () => {
    assert.match(refusal(workbook(), { ...settings, format: 'camt', mapping: null }), /zip .*unpack it/);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inEnglish } from '../../../src/domain/messages.ts';
import { plainNumber } from '../../../src/platform/tables/cell-values.ts';
import { readTable } from '../../../src/platform/tables/read-table.ts';
import { TableRefused } from '../../../src/platform/tables/table.ts';
import { pick } from '../../support/pick.ts';
import { inSheet, textSpellings, workbookOf, zipOf } from '../../support/workbook.ts';

const read = (bytes: Buffer, rowsMax = 1_000) =>
  readTable(bytes, { known: () => 0, rowsMax, unpackedMax: 4 * 1024 * 1024 }).rows;
const refusal = (bytes: Buffer, rowsMax?: number) => {
  try {
    read(bytes, rowsMax);
    return 'it was read';
  } catch (error) {
    assert.ok(error instanceof TableRefused, String(error));
    return inEnglish(error.say);
  }
};
/** The second row of a sheet with these cells, as text and kind. */
const cellsOf = (cells: Parameters<typeof workbookOf>[0][number][] | object, options = {}) =>
  read(workbookOf([['phone'], cells] as never, options))
    .slice(1)
    .flatMap(({ cells: texts, kinds }) => texts.map((text, at) => [text, kinds?.[at]]));
/** Columns from this one on are hidden. */
const withHidden = (column: number) =>
  workbookOf(rows, {
    change: (parts) =>
      parts.map((part) => {
        const cols = `<cols><col min="${column}" max="16384" hidden="1"/></cols>`;
        return { ...part, content: String(part.content).replace(/(<\w*:?sheetData)/, `${cols}$1`) };
      }),
  });
const inRow = (inside: string) => workbookOf([{ xml: inSheet(inside) }]);

const rows = [
  ['phone', 'amount', 'name'],
  ['0754000001', 10_000, 'Ng’ombe "Mama" & Asha'],
  [],
  ['0754000002', 5_000, null],
];
const texts = [
  [1, ['phone', 'amount', 'name']],
  [2, ['0754000001', '10000', 'Ng’ombe "Mama" & Asha']],
  [4, ['0754000002', '5000']],
];

describe('a table as a workbook', () => {
  for (const spelling of textSpellings)
    for (const options of [
      {},
      { prefix: 'x' },
      { isPlaced: false },
      { main: 'workbook.xml' },
      { main: 'a/b/c.xml' },
    ])
      it(`gives the same rows with ${spelling} texts and ${JSON.stringify(options)}`, () => {
        const read_ = read(workbookOf(rows, { texts: spelling, ...options }));
        assert.deepEqual(
          read_.map(({ line, cells }) => [line, cells.filter((_, at) => at < 3)]),
          texts,
        );
        assert.deepEqual(read_[1]?.kinds, ['text', 'number', 'text']);
        assert.equal(read_[1]?.raw, '0754000001\t10000\tNg’ombe "Mama" & Asha');
      });

  it('gives any texts back that stand on one line each', () => {
    const cell = fc
      .string({ maxLength: 8 })
      .map((text) => text.replace(/[\p{Cc}\uFFFE\uFFFF]|_x/gu, ''))
      .filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...textSpellings),
        (all, spelling) => {
          assert.deepEqual(pick(read(workbookOf(all, { texts: spelling })), 'cells'), all);
        },
      ),
    );
  });

  it('makes one line of a cell with several, and reads what XML has no place for', () => {
    assert.deepEqual(cellsOf(['Amount\n(TZS)', 'a_x000D_\nb', '_x005F_x0041_', '_xD800_', '_x0000_x']), [
      ['Amount (TZS)', 'text'],
      ['a  b', 'text'],
      ['_x0041_', 'text'],
      ['_xD800_', 'text'],
      [' x', 'text'],
    ]);
  });

  it('leaves out cells and rows that only have a style, also beyond the last column', () => {
    const styled = '<c r="A2" s="1"/><c r="XFD2" s="1"/>';
    const bytes = inRow(`<row r="1"><c r="A1"><v>1</v></c></row><row r="2">${styled}</row>`);
    assert.deepEqual(pick(read(bytes), 'line'), [1]);
  });

  it('reads the digits of a number, never a double', () => {
    const written: [own: string, says: string][] = [
      ['9007199254740993', '9007199254740993'],
      ['5000.0', '5000'],
      ['1.5E7', '15000000'],
      ['7.54123456E8', '754123456'],
      ['1100.5499999999999', '1100.55'],
      ['4999.9999999999991', '5000'],
      ['-12.50', '-12.5'],
      ['1E+300', '1E+300'],
    ];
    for (const [own, says] of written)
      assert.deepEqual(cellsOf([{ inside: `<v>${own}</v>` }]), [[says, 'number']]);
  });

  it('says of any number of at most 15 digits what it says, however a spreadsheet writes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.nat(12), (digits, places) => {
        const number = digits / 10 ** places;
        const exact = Number(number.toPrecision(15));
        for (const own of [number.toPrecision(17), number.toExponential(16)])
          assert.equal(Number(plainNumber(own)), exact, own);
      }),
    );
  });

  it('knows dates by their style, and when they were', () => {
    const formats = [14, 22, 'dd/mm/yyyy hh:mm', '"TSh" #,##0', '[$-409]d-mmm-yy', '[Magenta]0.00', '[h]:mm'];
    const day = (style: number, days = '46346') => ({ inside: `<v>${days}</v>`, attributes: `s="${style}"` });
    const all = [day(1), day(2), day(3, '46346.438252314816'), day(4), day(5), day(6), day(7, '60')];
    assert.deepEqual(cellsOf(all, { formats }), [
      ['2026-11-20', 'date'],
      ['2026-11-20 00:00:00', 'date'],
      ['2026-11-20 10:31:05', 'date'],
      ['46346', 'number'],
      ['2026-11-20', 'date'],
      ['46346', 'number'],
      ['60', 'date'],
    ]);
    assert.deepEqual(cellsOf([day(1, '44884')], { formats, is1904: true }), [['2026-11-20', 'date']]);
    assert.deepEqual(cellsOf([{ inside: '<v>2026-11-20T10:31:05</v>', attributes: 't="d"' }]), [
      ['2026-11-20 10:31:05', 'date'],
    ]);
  });

  it('computes nothing: what a formula came to, or its error, is said to be computed', () => {
    assert.deepEqual(
      cellsOf([
        { inside: '<f>B1*2</f><v>10</v>' },
        { inside: '<f t="shared" ref="B2:B9" si="0">A1</f><v>x</v>', attributes: 't="str"' },
        { inside: '<f>SUM(A1:A9)</f>' },
        { inside: '<v>#N/A</v>', attributes: 't="e"' },
        { inside: '<v>1</v>', attributes: 't="b"' },
      ]),
      [
        ['10', 'computed'],
        ['x', 'computed'],
        ['=SUM(A1:A9)', 'computed'],
        ['#N/A', 'computed'],
        ['TRUE', 'text'],
      ],
    );
  });

  it('passes over hidden columns without cells', () => assert.equal(read(withHidden(4)).length, 3));

  it('passes over hidden sheets, and those without cells', () => {
    const sheets = [
      { name: 'Lists', rows: [['x']], state: 'hidden' },
      { name: 'Pay', rows },
      { name: 'Notes', xml: inSheet('<row r="1"><c r="A1" s="1"/></row>') },
      { name: 'Old', rows: [['x']], state: 'veryHidden' },
    ];
    assert.equal(read(workbookOf(sheets)).length, 3);
  });

  const lying = (name: RegExp, lie: object) =>
    workbookOf(rows, {
      change: (parts) => parts.map((part) => (name.test(part.name) ? { ...part, ...lie } : part)),
    });
  const sheet = /sheet1/;
  const cell = (place: string) => inRow(`<row r="1"><c r="${place}"><v>1</v></c></row>`);
  const damaged = /^The workbook is damaged \(.*\): open it in a spreadsheet/;
  const refused: [what: string, bytes: Buffer, says: RegExp][] = [
    [
      'a second sheet with cells',
      workbookOf([{ name: 'Nov', rows }, { rows: [[]] }, { name: 'Dec', rows }]),
      /two sheets with cells, Nov and Dec: hide or delete/,
    ],
    [
      'a hidden row',
      workbookOf(rows, { rowAttributes: { 1: 'hidden="1"' } }),
      /^Row 2 .*is hidden, by a filter/,
    ],
    ['a hidden column', withHidden(2), /^Column B .*is hidden and has cells/],
    [
      'a formula of many cells',
      inRow('<row r="1"><c r="A1"><f t="array" ref="A1:A9">B1</f><v>1</v></c></row>'),
      /^Row 1 .*fills several cells: .*paste them as values/,
    ],
    [
      'a password',
      Buffer.from(`\xd0\xcf\x11\xe0${[...'EncryptedPackage'].join('\0')}\0`, 'latin1'),
      /password/,
    ],
    ['a password of a zip', lying(sheet, { flags: 1 }), /remove the password/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /\.xls workbook: .*\.xlsx/],
    ['a page', Buffer.from('<!DOCTYPE html>\n<html><table>'), /web page .* save it as \.xlsx/],
    [
      'XML of an old Excel',
      Buffer.from('<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>\n<Workbook>'),
      /web page/,
    ],
    [
      'a zip in a zip',
      zipOf([{ name: 'pay.xlsx', content: workbookOf(rows) }]),
      /zip without a workbook .*unpack it/,
    ],
    ['another document', workbookOf(rows, { main: 'xl/workbook.bin' }), /zip without a workbook/],
    ['an empty zip', zipOf([]), /zip without a workbook/],
    ['a zip that was cut', workbookOf(rows).subarray(0, -5), damaged],
    ['no cells', workbookOf([]), /^The file is empty: send the one that has the rows$/],
    [
      'no sheets that can be seen',
      workbookOf([{ rows, state: 'hidden' }]),
      /^The file is empty: send the one that has the rows$/,
    ],
    ['a missing sheet', lying(sheet, { name: 'x' }), damaged],
    ['a part twice', lying(sheet, { name: 'XL/workbook.xml' }), damaged],
    ['a size that is less', lying(sheet, { saidBytes: 100 }), damaged],
    ['a size that is more', lying(sheet, { saidBytes: 10_000 }), damaged],
    ['another sum', lying(sheet, { saidCrc: 1 }), damaged],
    ['other bytes than XML', lying(sheet, { content: Buffer.from([0xff, 0xfe]) }), damaged],
    ['XML that does not end', lying(sheet, { content: inSheet('').slice(0, -3) }), damaged],
    ['a document type', lying(sheet, { content: `<!DOCTYPE x>${inSheet('')}` }), damaged],
    ['an entity', lying(sheet, { content: inSheet('<row><c><v>&x;</v></c></row>') }), damaged],
    ['too deep elements', lying(sheet, { content: inSheet('<a>'.repeat(63)) }), damaged],
    [
      'many attributes',
      inRow(`<row ${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(' ')}/>`),
      damaged,
    ],
    ['a size too large', lying(sheet, { content: ' '.repeat(4 * 1024 * 1024) }), /more than 4 MiB of cells/],
    ['one long text in many cells', repeated(), /more than 4 MiB of cells/],
    ['a far cell', cell('XFD1'), /^Row 1 .*more than 200 cells/],
    ['a cell of another row', cell('A2'), damaged],
    ['a cell of no place', cell('1A'), damaged],
    ['a cell twice', inRow('<row r="1"><c r="A1"/><c r="A1"/></row>'), damaged],
    ['a row twice', inRow('<row r="2"/><row r="2"/>'), damaged],
    ['a value twice', inRow('<row><c><v>1</v><v>2</v></c></row>'), damaged],
    ['a number that is none', inRow('<row><c><v>1,500</v></c></row>'), damaged],
    ['a text that is not there', inRow('<row><c t="s"><v>7</v></c></row>'), damaged],
    ['a kind that is none', inRow('<row><c t="x"><v>7</v></c></row>'), damaged],
    ['a long row', workbookOf([['x'.repeat(40_000), 'y'.repeat(40_000)]]), /^Row 1 .*65,536 characters/],
  ];
  for (const [what, bytes, says] of refused)
    it(`is refused for ${what}`, () => assert.match(refusal(bytes), says));

  /** 50 rows, each of a text of 60,000 characters. */
  function repeated() {
    const text = { inside: '<v>0</v>', attributes: 't="s"' };
    return workbookOf([['x'.repeat(60_000)], ...Array.from({ length: 50 }, () => [text])]);
  }

  it('is refused at the first row too many', () => {
    assert.equal(refusal(workbookOf(rows), 3), 'it was read');
    assert.match(refusal(workbookOf(rows), 2), /more than 2 rows/);
  });

  it('is read or refused, whatever of its bytes is another', () => {
    const whole = workbookOf(rows);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        try {
          for (const { cells } of read(bytes)) assert.ok(cells.length > 0);
        } catch (error) {
          assert.ok(error instanceof TableRefused, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inEnglish } from '../../../src/domain/messages.ts';
import { readTable } from '../../../src/platform/tables/read-table.ts';
import { TableRefused } from '../../../src/platform/tables/table.ts';
import { pick } from '../../support/pick.ts';

const HEADER = ['phone', 'amount', 'name'];
const known = (cells: readonly string[]) => cells.filter((cell) => HEADER.includes(cell)).length;
const read = (content: string | Uint8Array, rowsMax = 1_000) =>
  readTable(Buffer.from(content), { known, rowsMax, unpackedMax: 0 }).rows;
const cellsOf = (content: string | Uint8Array) => read(content).map(({ cells }) => cells);
const refusal = (content: string | Uint8Array, rowsMax?: number) => {
  try {
    read(content, rowsMax);
    return 'it was read';
  } catch (error) {
    assert.ok(error instanceof TableRefused, String(error));
    return inEnglish(error.say);
  }
};

const rows = [HEADER, ['0754000001', '10,000', 'Ng’ombe "Mama" Asha'], ['0754000002', '5;000', '']];
const quoted = (cell: string) => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const written = (separator: string, end: string, all: readonly string[][] = rows) =>
  all.map((row) => row.map(quoted).join(separator) + end).join('');
const big = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();

describe('a table as text', () => {
  const spellings: Record<string, (text: string) => Uint8Array> = {
    'UTF-8': (text) => Buffer.from(text),
    'UTF-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
    'UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    'UTF-16, big end first': big,
    'windows-1252': (text) => Buffer.from(text.replaceAll('’', '\x92'), 'latin1'),
  };
  for (const [name, encode] of Object.entries(spellings))
    for (const separator of [',', ';', '\t'])
      it(`gives the same rows in ${name} between ${JSON.stringify(separator)}, whatever ends its lines`, () => {
        for (const end of ['\n', '\r\n', '\r'])
          for (const first of ['', `sep=${separator}${end}`]) {
            const table = encode(`${first}${written(separator, end)}`);
            assert.deepEqual(cellsOf(table), rows);
            assert.deepEqual(read(table)[0]?.line, first === '' ? 1 : 2);
          }
      });

  it('gives any cells back that stand on one line each', () => {
    const cell = fc.string({ maxLength: 8 }).map((text) => text.replace(/[\0\r\n\uFEFF]/g, ''));
    const row = fc.tuple(cell, cell, cell).filter((cells) => cells.some((one) => one.trim() !== ''));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.constantFrom(',', ';', '\t'), (body, separator) => {
        const all = [HEADER, ...body];
        assert.deepEqual(cellsOf(written(separator, '\r\n', all)), all);
      }),
    );
  });

  it('takes letters that a zip begins with as letters', () => {
    assert.deepEqual(cellsOf('PKR,amount\n1,2\n')[0], ['PKR', 'amount']);
  });

  it('leaves blank rows out and counts them', () => {
    assert.deepEqual(pick(read('phone,amount\n\n,\n1,2'), 'line', 'cells'), [
      [1, ['phone', 'amount']],
      [4, ['1', '2']],
    ]);
  });

  it('never makes one row of two: a quote that is not closed on its line breaks only that row', () => {
    const broken = (text: string) => read(text).map(({ isBroken }) => isBroken === true);
    assert.deepEqual(broken('phone,amount\n1,"2\n3,4"\n5,6\n'), [false, true, false, false]);
    assert.deepEqual(broken('phone,amount\n"1"x,2\n"1" ,2\n"1""2",2\n'), [false, true, true, false]);
  });

  it('takes a quote inside a cell as text', () => {
    assert.deepEqual(cellsOf('phone,amount\n="1",Asha "Mama" Juma\n')[1], ['="1"', 'Asha "Mama" Juma']);
  });

  const refused: [what: string, content: string | Uint8Array, says: RegExp][] = [
    [
      'one broken byte among letters in UTF-8',
      Buffer.concat([Buffer.from('phone\nNg’ombe\nx'), Buffer.from([0xff])]),
      /^Row 3 of the file has letters/,
    ],
    [
      'a byte that Windows has no letter for',
      Buffer.from('phone\nNg\x92ombe\n\x81', 'latin1'),
      /^Row 3 of the file has letters that are neither/,
    ],
    ['half a letter of UTF-16', Buffer.from([0xff, 0xfe, 0x41]), /neither UTF-8 nor Windows text/],
    ['a zero byte', 'phone\n\n1\0', /^Row 3 of the file has a zero byte/],
    ['UTF-16 without a mark', Buffer.from('phone', 'utf16le'), /zero byte: save it as "CSV UTF-8/],
    ['nothing', '', /^The file is empty: send the one that has the rows$/],
    ['a header in two ways', 'phone,amount,x;phone;amount\n', /two separators/],
    ['a row of a thousand cells', `phone,amount\n${',x'.repeat(1_000)}`, /^Row 2 .*more than 200 cells/],
    ['a row without an end', `phone,amount\n${'x'.repeat(70_000)}`, /^Row 2 .*65,536 characters/],
    ['a PDF', '%PDF-1.7', /PDF/],
    ['a compressed file', Buffer.from('1f8b0800', 'hex'), /unpack it/],
  ];
  for (const [what, content, says] of refused)
    it(`is refused for ${what}`, () => assert.match(refusal(content), says));

  it('is refused at the first row too many', () => {
    assert.equal(refusal('phone\n1\n2\n', 3), 'it was read');
    assert.match(refusal('phone\n1\n2\n3\n', 3), /more than 3 rows/);
  });
});

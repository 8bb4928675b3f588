import assert from 'node:assert/strict';
import { pick } from '../support/pick.ts';
import {
  inSheet,
  type TestCell,
  textSpellings,
  type WorkbookOptions,
  workbookOf,
} from '../support/workbook.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('the workbook of a batch', () => {
  const { api } = useTestApi({ balance: 10_000_000 });
  let made = 0;
  /** a number that no other test pays */
  const phone = () => `0764${String(++made).padStart(6, '0')}`;
  const send = (content: Buffer, { number = `W-${++made}`, type = XLSX, query = '', language = 'en' } = {}) =>
    api.call('POST', `payouts/batches?batch_number=${number}${query}`, {
      raw: content,
      headers: { 'content-type': type, 'accept-language': language },
    });
  const checked = async (rows: TestCell[][], options: WorkbookOptions & { number?: string } = {}) => {
    const { status, body, text } = await send(workbookOf(rows, options), options);
    assert.equal(status, 200, text);
    return body;
  };
  type Wrong = { row: number; field: string; message: string };
  const wrongRows = async (rows: TestCell[][], options: WorkbookOptions & { number?: string } = {}) =>
    (await checked(rows, options)).batch.errors.map(
      ({ row, field, message }: Wrong) => `${row} ${field} ${message}`,
    );
  const itemsOf = async (id: string, query = '') => api.call('GET', `payouts/batches/${id}/items${query}`);

  for (const type of [XLSX, `${XLSX}; charset=binary`, 'text/csv'])
    it(`is taken as ${type}, by its bytes`, async () => {
      const rows = [
        ['Mishahara Novemba'],
        ['Phone Number', 'Amount (TZS)', 'Name', 'Dept'],
        [phone(), 5_000, 'Asha', 7],
        [Number(`255${phone().slice(1)}`), '2,500/=', 'Juma', 'x'],
        [Number(phone().slice(1)), { inside: '<v>1.5E3</v>' }, 'Neema'],
        ['Jumla', 9_000],
      ];
      const { status, body, text } = await send(workbookOf(rows), { type });
      assert.equal(status, 200, text);
      assert.deepEqual(body.batch.errors, []);
      assert.deepEqual([body.batch.totals.items, body.batch.totals.amount], [3, '9,000.00']);
      assert.deepEqual(body.notes, [
        'Row 1 of the file stands above the columns and was left out: Mishahara Novemba',
      ]);
      const { body: items } = await itemsOf(body.batch.id);
      assert.deepEqual(pick(items.data, 'amount'), ['5,000.00', '2,500.00', '1,500.00']);
      const csv = await itemsOf(body.batch.id, '?format=csv');
      assert.match(csv.text, /Phone Number,Amount \(TZS\),Name,Dept/);
      assert.match(csv.text, /,5000,Asha,7,/);
    });

  it('is the same batch as its CSV, and in every spelling', async () => {
    const rows = [
      ['phone', 'amount', 'name'],
      [phone(), '5000', 'Asha Ng’ombe'],
      [phone(), '2500', ''],
    ];
    const number = `SAME-${++made}`;
    const csv = await send(Buffer.from(rows.map((row) => row.join(',')).join('\n')), { number });
    for (const texts of textSpellings) {
      const { batch } = await checked(rows, { texts, number });
      assert.deepEqual([batch.id, batch.items_hash], [csv.body.batch.id, csv.body.batch.items_hash]);
    }
  });

  it('names each cell that Excel has changed, in the words of its row', async () => {
    const header = ['Account Number', 'Bank', 'Name', 'Amount', 'Ref'];
    const day = { inside: '<v>46346</v>', attributes: 's="1"' };
    const rows = [
      header,
      ['0150123456789', 'CRDB', 'Asha Juma', 5_000, 'A-1'],
      [150123456789, 'CRDB', 'Asha Juma', 5_000, 7],
      ['0150123456788', 'CRDB', 'Asha Juma', { inside: '<f>D2*2</f><v>10000</v>' }, day],
      ['0150123456787', 'CRDB', { inside: '<v>#N/A</v>', attributes: 't="e"' }, day, 'A-4'],
      ['0150123456786', 'CRDB', { inside: '<f>A1</f>' }, -5, 'A-5'],
    ];
    assert.deepEqual(await wrongRows(rows, { formats: [14] }), [
      '2 account_number was made a number by Excel, leading zeros may be lost: format the column as Text and type it again (row 3 of the file)',
      '2 reference was made a number by Excel, leading zeros may be lost: format the column as Text and type it again (row 3 of the file)',
      '3 amount is computed by a formula: copy the column, and paste it as values in its place (row 4 of the file)',
      '3 reference was made a date by Excel: format the column as Text or Number and type it again (row 4 of the file)',
      '4 full_name is computed by a formula: copy the column, and paste it as values in its place (row 5 of the file)',
      '4 amount was made a date by Excel: format the column as Text or Number and type it again (row 5 of the file)',
      '5 full_name is computed by a formula: copy the column, and paste it as values in its place (row 6 of the file)',
      '5 amount must be a whole number of shillings above 0, written 5000 or 5,000 (row 6 of the file)',
    ]);
  });

  it('takes a number cell for a phone only where it has all of its digits', async () => {
    const rows = [75412345, 7541234567, 2557541234560, 754123456.5, '754123456.0'].map((one) => [one, 5_000]);
    assert.deepEqual(
      (await wrongRows([['phone', 'amount'], ...rows])).map((one: string) =>
        one.split(' ').slice(1, 4).join(' '),
      ),
      [...Array(3).fill('phone_number must be'), ...Array(2).fill('phone_number was shortened')],
    );
  });

  it('knows a row again that was only made text', async () => {
    const number = `TEXT-${++made}`;
    const rows = (ref: TestCell, other: TestCell) => [
      ['phone', 'amount', 'ref'],
      ['0764999001', 5_000, ref],
      ['0764999002', 5_000, other],
    ];
    assert.equal((await wrongRows(rows(7, 8), { number })).length, 2);
    assert.equal((await wrongRows(rows('7', 8), { number })).length, 1);
    assert.deepEqual(await wrongRows(rows('7', '8'), { number }), []);
  });

  it('proves a total that is a formula, and pays by none', async () => {
    const rows = (total: TestCell) => [
      ['phone', 'amount'],
      [phone(), 5_000],
      [phone(), 2_500],
      ['TOTAL', total],
    ];
    const sum = (value: number) => ({ inside: `<f>SUM(B2:B3)</f><v>${value}</v>` });
    assert.equal((await checked(rows(sum(7_500)))).batch.totals.items, 2);
    const refused = await send(workbookOf(rows(sum(7_000))));
    assert.match(refused.body.message, /^The total in row 4 of the file is 7000, .* sum to 7,500.00/);
  });

  it('is refused in the language of who sent it', async () => {
    const refused: [content: Buffer, language: string, says: RegExp][] = [
      [
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        'en',
        /^This is an \.xls workbook: open it, save it as "Excel/,
      ],
      [
        workbookOf([['phone'], ['x']], { rowAttributes: { 1: 'hidden="1"' } }),
        'sw',
        /^Mstari wa 2 .*umefichwa/,
      ],
      [
        workbookOf([{ xml: inSheet('<row><c><v>1</v></c></row>'.repeat(10_023)) }]),
        'en',
        /more than 10,000 rows/,
      ],
    ];
    for (const [content, language, says] of refused) {
      const answer = await send(content, { language });
      assertRefused(answer, 422, 'validation_failed', ['items']);
      assert.match(answer.body.message, says);
    }
  });

  it('of more than 5 MiB is refused before it is read', async () => {
    const answer = await send(Buffer.alloc(5 * 1024 * 1024 + 1, 'PK\x03\x04'));
    assertRefused(answer, 413, 'payload_too_large');
  });

  it('counts as the largest body: two of an account are read at a time', async () => {
    const bytes = workbookOf([
      ['phone', 'amount'],
      [phone(), 5_000],
    ]);
    const number = `MANY-${++made}`;
    const answers = await Promise.all(Array.from({ length: 3 }, () => send(bytes, { number })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503]);
    assert.equal((await send(bytes, { number })).status, 200);
  });
});

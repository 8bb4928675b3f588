import assert from 'node:assert/strict';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('batches of payouts from a spreadsheet', () => {
  const { api } = useTestApi({ balance: 10_000_000 });
  let made = 0;
  const next = () => ++made;
  const numbered = () => `B-${next()}`;
  /** a number that no other test pays */
  const phone = () => `0754${String(next()).padStart(6, '0')}`;
  const csv = (text: string | Buffer, query: string) =>
    api.call('POST', `payouts/batches?${query}`, { raw: text, headers: { 'content-type': 'text/csv' } });
  const ownCsv = (text: string | Buffer) => csv(text, `batch_number=${numbered()}`);
  const noRows = (answer: Parameters<typeof assertRefused>[0]) =>
    assertRefused(answer, 422, 'validation_failed', ['items']);
  type Wrong = { row: number; field: string; message: string };

  it('read what LibreOffice and Excel write: by comma and semicolon, in Swahili, with a mark, rows named', async () => {
    const [one, two] = [phone(), phone()];
    const excel = `\ufeffNamba ya simu;Kiasi;Jina;Idara\r\n${one.slice(1)};10 000;Asha Juma;Fedha\r\n2.55754E+11;5000;X;\r\n${two};=1+1;Y;\r\n;5000;Z;\r\n="${two}";5000;W;\r\n`;
    const wrong: Wrong[] = (await ownCsv(excel)).body.batch.errors;
    assert.deepEqual(
      wrong.map(({ row, field, message }) => [row, field, message]),
      [
        [
          2,
          'phone_number',
          'was shortened by a spreadsheet: make its column text, and type it again (row 3 of the file)',
        ],
        [3, 'amount', 'is a formula: put its value there instead (row 4 of the file)'],
        [4, 'phone_number', 'is needed, or account_number with bic and full_name (row 5 of the file)'],
        [5, 'phone_number', 'is a formula: put its value there instead (row 6 of the file)'],
      ],
    );
    const number = numbered();
    const answer = await csv(
      `amount,phone_number,Dept\n"10,000", ${one} ,=cmd\n5000.00,+255${two.slice(1)},\n`,
      `batch_number=${number}&quiet=true`,
    );
    assert.equal(answer.status, 200, answer.text);
    const { batch } = answer.body;
    assert.deepEqual([batch.errors, batch.totals.amount], [[], '15,000.00']);
    const out = await api.call('GET', `payouts/batches/${batch.id}/items?format=csv`);
    assert.equal(
      out.text,
      `amount,phone_number,Dept,row,status,failure_code,transaction_id,payout_reference,name_match,at,day\r\n"10,000", ${one} ,'=cmd,1,waiting,,,,,,\r\n5000.00,'+255${two.slice(1)},,2,waiting,,,,,,\r\n`,
    );
    noRows(await ownCsv('a,b\n1,2\n'));
    noRows(await ownCsv('amount,phone_number\n'));
    noRows(await ownCsv(Buffer.from([0xff, 0xfe, 0x41])));
    const unnamed = await csv('amount,phone_number\n1,2\n', 'quiet=true');
    assertRefused(unnamed, 422, 'validation_failed', ['batch_number']);
  });

  for (const [name, rowEnd] of Object.entries({ LF: '\n', CR: '\r', CRLF: '\r\n' })) {
    it(`keep every payee where the header ends in CRLF and rows end in ${name}, with short rows`, async () => {
      const header = 'phone_number,amount,full_name,reference,dept,note\r\n';
      const rows = [`${phone()},1500,Asha`, `${phone()},2500,Juma`];
      const { batch } = (await ownCsv(`${header}${rows.join(rowEnd)}${rowEnd}`)).body;
      assert.deepEqual([batch.errors, batch.totals.items, batch.totals.amount], [[], 2, '4,000.00']);
    });
  }

  it('refuse a row with a line break in a cell, whichever cell it is', async () => {
    const [one, two] = [phone(), phone()];
    const text = `phone_number,amount,full_name,note\n${one},1500,"Asha\n${two},2500",\n${phone()},2500,Juma,"a\n${phone()},1500,Ali,c\n`;
    const wrong: Wrong[] = (await ownCsv(text)).body.batch.errors;
    const openQuote = 'has a quote that does not end with its cell: put each cell on one line';
    assert.deepEqual(
      wrong.map(({ row, field, message }) => [row, field, message.split(',')[0]]),
      [
        [1, 'row', openQuote],
        [2, 'amount', 'must be a whole number of shillings above 0'],
        [3, 'row', openQuote],
      ],
    );
  });

  it('refuse a phone number that a spreadsheet made a float, in a file and in a request', async () => {
    const floats = ['75412345.0', '075412345.0', '60123456.7', '7541234.00'];
    const rows = floats.map((number) => `${number},1000`).join('\n');
    const wrong: Wrong[] = (await ownCsv(`phone_number,amount\n${rows}\n`)).body.batch.errors;
    assert.deepEqual(
      wrong.map(({ row, field }) => [row, field]),
      floats.map((_, index) => [index + 1, 'phone_number']),
    );
    for (const phone_number of floats) {
      const body = { amount: 1000, currency: 'TZS', phone_number };
      const refused = await api.call('POST', 'payouts/mobile', {
        body,
        headers: { 'idempotency-key': `float-${next()}` },
      });
      assertRefused(refused, 422, 'validation_failed', ['phone_number']);
      assert.match(refused.body.message, /shortened by a spreadsheet/);
    }
  });

  it('are refused where a CSV has a cell in a thousand columns for every row, or what Postgres cannot keep', async () => {
    const wide = `amount,phone_number${','.repeat(1_000)}\n5000,${phone()}\n`;
    const long = `amount,phone_number\n5000,${phone()}${','.repeat(199)}\n`;
    const texts = [wide, long, 'amount,phone_number,a\0\n1,2,3\n', 'amount,phone_number,a\n1,2,3\0\n'];
    for (const text of texts) {
      const refused = await ownCsv(text);
      noRows(refused);
      assert.match(refused.body.message, /zero byte|more than 200 cells/);
    }
    const rows = await ownCsv(`amount,phone_number\n${`5000,${phone()}\n`.repeat(10_001)}"`);
    noRows(rows);
    assert.match(rows.body.message, /at most 10,?000 items/, 'its open quote was not reached');
  });

  it('are refused where a CSV may be read in two ways: a comma in an amount, two amounts, two recipients', async () => {
    const open = `phone_number,full_name,amount\n${phone()},"Asha,5000\n${phone()},"Juma",6000\n`;
    const rowsOf = ({ body }: Awaited<ReturnType<typeof ownCsv>>) =>
      body.batch.errors.map(({ row, field }: Wrong) => [row, field]);
    assert.deepEqual(rowsOf(await ownCsv(open)), [[1, 'row']]);
    const one = phone();
    const long = await ownCsv(`phone_number,amount\n\n${phone()},500,\n${one},1,000\n`);
    assert.deepEqual(rowsOf(long), [[2, 'row']]);
    assert.match(long.body.batch.errors[0].message, /^has more cells .* \(row 4 of the file\)$/);
    noRows(await ownCsv(`phone_number,Kiasi,amount\n${one},1000,2000\n`));
    const both = await ownCsv(
      `phone_number,account_number,bic,full_name,amount\n${one},0150123456789,CORUTZTZ,Asha,1000\n${one},,CORUTZTZ,Asha,1000\n`,
    );
    const places = [
      [1, 'phone_number'],
      [2, 'phone_number'],
    ];
    const wrong: Wrong[] = both.body.batch.errors;
    assert.deepEqual(
      wrong.map(({ row, field }) => [row, field]),
      places,
    );
  });
});

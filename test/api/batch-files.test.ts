import assert from 'node:assert/strict';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

/** What finance people have on their desks, taken right or refused with a sentence that says what to do. */
describe('the file of a batch, as people make it', () => {
  const { api } = useTestApi({ balance: 10_000_000 });
  let made = 0;
  /** a number that no other test pays */
  const phone = () => `0754${String(++made).padStart(6, '0')}`;
  const send = (content: string | Buffer, query = '') =>
    api.call('POST', `payouts/batches?batch_number=F-${++made}${query}`, {
      raw: content,
      headers: { 'content-type': 'text/csv' },
    });
  const taken = async (content: string | Buffer) => {
    const { status, body, text } = await send(content);
    assert.equal(status, 200, text);
    assert.deepEqual(body.batch.errors, []);
    return { ...body.batch.totals, notes: body.notes };
  };
  type Wrong = { row: number; field: string; message: string };
  const wrongRows = async (content: string | Buffer): Promise<string[]> => {
    const { status, body, text } = await send(content);
    assert.equal(status, 200, text);
    return body.batch.errors.map(({ row, field, message }: Wrong) => `${row} ${field} ${message}`);
  };
  const refusal = async (content: string | Buffer): Promise<string> => {
    const answer = await send(content);
    assertRefused(answer, 422, 'validation_failed', ['items']);
    return answer.body.message;
  };

  const headers = [
    'Phone Number,Amount,Full Name',
    'MSISDN;Kiasi (TZS);Jina kamili',
    'Simu\tAMOUNT TZS\tNAME',
    'phone no.;amount:;name',
    'sep=;\nPhone;Amount (Tshs);Name',
  ];
  for (const header of headers)
    it(`finds the columns of ${JSON.stringify(header)}`, async () => {
      const separator = /[;\t,](?!\n)/.exec(header.replace(/^sep=.\n/, ''))?.[0] ?? ',';
      const rows = [phone(), phone()].map((number, at) => [number, `${at + 1}000`, 'Asha'].join(separator));
      const { items, amount } = await taken([header, ...rows].join('\n'));
      assert.deepEqual([items, amount], [2, '3,000.00']);
    });

  for (const amount of [
    '"5,000/="',
    '"5,000/-"',
    'TZS 5000',
    '"TZS 5,000"',
    'Tsh 5000',
    '5 000',
    '5000.00',
    '5000 TZS',
  ])
    it(`reads ${amount} as 5,000`, async () => {
      assert.equal((await taken(`phone,amount\n${phone()},${amount}\n`)).amount, '5,000.00');
    });
  for (const amount of [
    '5.000',
    '"5,00"',
    '"(5,000)"',
    '"1,00,000"',
    '"10000,000"',
    '5000.50',
    '"5.000,00"',
    '-5000',
    'USD 5',
    '1.23457E+10',
  ])
    it(`does not guess what ${amount} is`, async () => {
      const [first = '', ...others] = await wrongRows(`phone,amount\n${phone()},${amount}\n`);
      assert.deepEqual(others, []);
      assert.match(first, /^1 amount (must be a whole number .* written 5000 or 5,000|was shortened)/);
    });

  it('leaves titles above the header out, and says so', async () => {
    const { items, notes } = await taken(
      `Mishahara Novemba,,\n,,\n28 Nov 2026,2 watu,\nphone,amount,name\n${phone()},5000,A\n`,
    );
    assert.equal(items, 1);
    assert.deepEqual(notes, [
      'Row 1 of the file stands above the columns and was left out: Mishahara Novemba',
      'Row 3 of the file stands above the columns and was left out: 28 Nov 2026 2 watu',
    ]);
  });

  it('refuses a payee above the header, and a header below twenty rows', async () => {
    assert.match(
      await refusal(`${phone()},5000,A\nphone,amount,name\n${phone()},5000,A\n`),
      /^Row 1 of the file has a recipient and an amount, .* move it below/,
    );
    assert.match(
      await refusal(`${'x,\n'.repeat(21)}phone,amount\n${phone()},5000\n`),
      /None of the first rows names/,
    );
  });

  it('refuses two columns of one meaning, by their names', async () => {
    assert.equal(
      await refusal(`Phone,Simu,Amount\n${phone()},${phone()},5000\n`),
      'The columns Phone and Simu mean the same: name the one that counts, and rename or delete the other',
    );
  });

  it('knows amounts in another currency as no amounts', async () => {
    assert.match(await refusal(`phone,Amount (USD)\n${phone()},5000\n`), /None of the first rows/);
  });

  it('proves a total, and refuses one that is not the sum with both', async () => {
    const rows = `phone,amount,name\n${phone()},"5,000/=",A\n${phone()},2500,B\n`;
    assert.deepEqual((await taken(`${rows}TOTAL,"7,500",\n`)).items, 2);
    assert.deepEqual((await taken(`${rows.replaceAll('0754', '0755')},"TZS 7,500",Jumla:\n`)).items, 2);
    assert.equal(
      await refusal(`${rows},10000,TOTAL\n`),
      'The total in row 4 of the file is 10000, and the rows above it sum to 7,500.00: add the row that is missing, or correct the amount that is wrong',
    );
    assert.match(await refusal(`${rows}TOTAL,,\n`), /sum to 7,500.00/);
  });

  it('pays nobody below a total', async () => {
    const rows = `phone,amount,name\n${phone()},5000,A\n,5000,TOTAL\n${phone()},1000,B\n`;
    assert.match((await wrongRows(rows)).join(), /^2 phone_number is needed/);
  });

  it('finds a bank by its name alone, never by one that is like it', async () => {
    const bank = (name: string) =>
      `account number,bank,name,amount\n01501234567${++made},${name},Asha Juma,5000\n`;
    for (const name of [
      'CRDB',
      'crdb bank plc',
      'CRDB Bank Tanzania Ltd',
      'CORUTZTZ',
      'CORUTZTZXXX',
      'crdb_bank',
    ]) {
      const answer = await send(bank(name));
      assert.deepEqual(answer.body.batch.errors, [], name);
      const items = await api.call('GET', `payouts/batches/${answer.body.batch.id}/items`);
      assert.deepEqual([items.body.data[0].bic, items.body.data[0].bank_name], ['CORUTZTZ', 'CRDB BANK']);
    }
    for (const name of ['CRBD', 'Commercial Bank', 'Bank', 'Bank of Tanzania', 'Standard'])
      assert.match(
        (await wrongRows(bank(name))).join(),
        /^1 bic must be .* or the whole name of a bank/,
        name,
      );
  });

  it('takes no account or reference that a spreadsheet made a number', async () => {
    const rows = [
      '150123456789.0,CRDB,Asha Juma,5000,A',
      '1.50123E+11,CRDB,Asha Juma,5000,A',
      '0150123456789,CRDB,Asha Juma,5000,7.0',
    ];
    assert.deepEqual(
      (await wrongRows(`account number,bank,name,amount,ref\n${rows.join('\n')}\n`)).map(
        (one) => one.split(' was ')[0],
      ),
      ['1 account_number', '2 account_number', '3 reference'],
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readBatchFile } from '../../src/api/kit/batch-file.ts';
import { batchFiles } from '../../src/domain/data/batch-files.ts';
import { readPhone } from '../../src/domain/msisdn.ts';
import { tableOf } from '../../src/platform/http/batch-table.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

const BANK = 'account number,bank,name,amount';
const SHORTENED = 'was shortened by a spreadsheet: make its column text';
const SUM = 'sum to 5,000.00: add the row that is missing, or correct the amount that is wrong';
const ONE_LINE = 'has a quote that does not end with its cell: put each cell on one line';

/** What people made; its file, where ⏎ ends a line; what is taken of it, or every fault of a row. */
const FILES = `
  marks of direction around a number | phone,amount ⏎ \u202a+255754601003\u202c,5000 | 1 of 5,000.00
  dashes of a word processor         | phone,amount ⏎ 0754–601–004,5000 | 1 of 5,000.00
  an apostrophe of ours              | phone,amount ⏎ '+255754601019,5000 | 1 of 5,000.00
  Excel's sep=;                      | sep=; ⏎ Simu;Kiasi ⏎ 0754601008;5000 | 1 of 5,000.00
  a title in the first row           | Mei,, ⏎ MSISDN,Amount (TZS),Jina ⏎ 0754601010,5000,A | 1 of 5,000.00
  quotes inside of a name            | phone,amount,name ⏎ 0754601016,5000,Asha "Mama" Juma | 1 of 5,000.00
  a total that is the sum            | phone,amount,name ⏎ 0754601018,5000,A ⏎ ,5000,TOTAL | 1 of 5,000.00

  a float that is a digit short      | phone,amount ⏎ 75460100.0,5000 | 1 phone_number ${SHORTENED}
  a number in scientific notation    | phone,amount ⏎ 2.55755E+11,5000 | 1 phone_number ${SHORTENED}
  a zero after the country code      | phone,amount ⏎ 2550754601002,5000 | 1 phone_number leave out the 0 after 255
  digits that are no ASCII           | phone,amount ⏎ ٠٧٥٤٦٠١٠٠٥,5000 | 1 phone_number for example 0754123456
  an apostrophe that became text     | phone,amount ⏎ '0754601001,5000 | 1 phone_number for example 0754123456
  a formula around a number          | phone,amount ⏎ ="0754601001",5000 | 1 phone_number is a formula: put its value there
  a formula for an amount            | phone,amount ⏎ 0754601001,=1+1 | 1 amount is a formula: put its value there
  nobody's row                       | phone,amount ⏎ ,5000 | 1 phone_number is needed, or account_number with bic
  a row below the total              | phone,amount,ref ⏎ ,5000,TOTAL ⏎ 0754601001,1000, | 1 phone_number
  an amount in two cells             | phone,amount ⏎ ⏎ 0754601001,5,000 | 1 row has more cells
  a recipient named twice            | phone,account,bic,name,amount ⏎ 0754601001,0150,CORUTZTZ,A,1000 | 1 phone_number
  a phone beside a bank              | phone,bic,name,amount ⏎ 0754601001,CORUTZTZ,A,1000 | 1 phone_number
  an amount in scientific notation   | phone,amount ⏎ 0754601001,1.23457E+10 | 1 amount ${SHORTENED}
  a quote that stays open            | phone,amount,name ⏎ 0754601001,5000,"A ⏎ 0754601002,6000,"B" | 1 row ${ONE_LINE}
  a cell of two lines                | phone,amount,name ⏎ 0754601001,15,"A ⏎ 0754601002,25", | 1 row ${ONE_LINE} ; 2 amount
  an account that became a number    | ${BANK} ⏎ 1.50123E+11,CRDB,Asha Juma,5000 | 1 account_number ${SHORTENED}
  an account with decimals           | ${BANK} ⏎ 150123456789.0,CRDB,Asha Juma,5000 | 1 account_number ${SHORTENED}
  a reference that became a number   | phone,amount,ref ⏎ 0754601001,5000,7.0 | 1 reference ${SHORTENED}
  something invisible in a name      | phone,amount,name ⏎ 0754601001,5000,A\u202eB | 1 full_name printable characters
  a name of 141 characters           | phone,amount,name ⏎ 0754601001,5000,${'x'.repeat(141)} | 1 full_name 1 to 140

  other words                        | a,b ⏎ 1,2 | None of the first rows names
  another currency                   | phone,Amount (USD) ⏎ 0754601001,5000 | None of the first rows names
  a header below twenty rows         | ${'x, ⏎ '.repeat(21)}phone,amount ⏎ 0754601001,5000 | None of the first rows names
  a payee above the header           | 0754601001,5000 ⏎ phone,amount ⏎ 0754601002,5000 | Row 1 of the file has a recipient
  two columns of one meaning         | Phone,Simu,Amount ⏎ 1,2,3 | The columns Phone and Simu mean the same: name the
  a header alone                     | amount,phone_number | items
  a total that is not the sum        | phone,amount ⏎ 0754601001,5000 ⏎ TOTAL,6000 | 6000, and the rows above it ${SUM}
  a total without an amount          | phone,amount ⏎ 0754601001,5000 ⏎ TOTAL, | ${SUM}
  a header of a thousand columns     | phone,amount${','.repeat(1_000)} ⏎ 0754601001,5000 | more than 200 cells
  a row of two hundred cells         | phone,amount ⏎ 0754601001,5000${','.repeat(199)} | more than 200 cells
  a zero byte in its header          | phone,amount,a\0 ⏎ 1,2,3 | zero byte
  a zero byte in a row               | phone,amount,a ⏎ 1,2,3\0 | zero byte
  more rows than a batch             | phone,amount${' ⏎ 0754601001,5000'.repeat(10_001)}" | at most 10000 items
`;

/** Files of public bug reports too, in our own words: none is taken wrong, and a refusal says what to do. */
describe('the file of a batch, as people make it', () => {
  const { api } = useTestApi({ balance: 10_000_000 });
  let made = 0;
  const send = (raw: string | Buffer, query = `batch_number=F-${++made}`) =>
    api.call('POST', `payouts/batches?${query}`, { raw, headers: { 'content-type': 'text/csv' } });
  type Wrong = { row: number; field: string; message: string };

  /** What is said of the file: its sum, each fault of a row, or why it is refused. */
  async function saidOf(file: string | Buffer): Promise<string[]> {
    const answer = await send(file);
    if (answer.status !== 200) {
      assertRefused(answer, 422, 'validation_failed', ['items']);
      return [answer.body.message];
    }
    const { id, errors, totals } = answer.body.batch;
    await api.call('POST', `payouts/batches/${id}/cancel`);
    for (const { message } of errors) assert.match(message, /\(row \d+ of the file\)$/);
    if (errors.length === 0) return [`${totals.items} of ${totals.amount}`];
    return errors.map(({ row, field, message }: Wrong) => `${row} ${field} ${message}`);
  }
  async function assertSays(file: string | Buffer, expected: string): Promise<void> {
    const said = await saidOf(file);
    assert.equal(said.length, expected.split(' ; ').length, said.join());
    for (const [at, one] of expected.split(' ; ').entries()) {
      const [, place = '', words = ''] = /^(\d+ [a-z]\w+ ?)?(.*)$/.exec(one) ?? [];
      assert.ok(said[at]?.startsWith(place) && said[at].includes(words), said[at]);
    }
  }

  for (const row of FILES.split('\n').filter((line) => line.trim() !== '')) {
    const [name = '', file = '', expected = ''] = row.split(' | ');
    it(`${/^\d+ of/.test(expected) ? 'takes' : 'does not take'} ${name.trim()}`, async () => {
      await assertSays(file.replace(/ ?⏎ /g, '\n'), expected);
    });
  }

  const bytes: Record<string, [file: Buffer, expected: string]> = {
    'takes letters of Windows': [
      Buffer.from('phone,amount,name\n0754601013,5000,Ng\x92ombe Ali\n', 'latin1'),
      '1 of 5,000.00',
    ],
    'does not take letters of Windows in a file of UTF-8': [
      Buffer.from('phone,amount,name\n0754601014,5000,Zo\xc3\xab\n0754601015,5000,\x92\n', 'latin1'),
      'Row 3 of the file has letters',
    ],
    'does not take half a letter of UTF-16': [
      Buffer.from([0xff, 0xfe, 0x41]),
      'Row 1 of the file has letters',
    ],
    'does not take an old workbook': [
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      '.xls workbook: open it, save it as',
    ],
    'does not take nothing': [Buffer.alloc(0), 'is empty: send the one'],
  };
  for (const [title, [file, expected]] of Object.entries(bytes)) it(title, () => assertSays(file, expected));

  const unclear =
    '5.000 | "5,00" | "(5,000)" | "1,00,000" | "10000,000" | 5000.50 | "5.000,00" | -5000 | USD 5';
  for (const amount of unclear.split(' | '))
    it(`does not guess what ${amount} is`, () =>
      assertSays(
        `phone,amount\n0754601001,${amount}\n`,
        '1 amount must be a whole number of shillings above 0, written 5000 or 5,000',
      ));

  for (const [name, rowEnd] of Object.entries({ LF: '\n', CR: '\r', CRLF: '\r\n' }))
    it(`keeps every payee where the header ends in CRLF and rows end in ${name}, with short rows`, async () => {
      const rows = ['0754601001,1500,Asha', '0754601002,2500,Juma'].map((row) => `${row}${rowEnd}`);
      await assertSays(`phone_number,amount,full_name,dept\r\n${rows.join('')}`, '2 of 4,000.00');
    });

  const itemsOf = (id: string, query = '') => api.call('GET', `payouts/batches/${id}/items${query}`);
  const bankRow = (name: string) => `${BANK}\n01501234567${++made},${name},Asha Juma,5000\n`;
  for (const name of 'CRDB|crdb bank plc|CRDB Bank Tanzania Ltd|CORUTZTZ|CORUTZTZXXX|crdb_bank'.split('|'))
    it(`finds the bank ${name}`, async () => {
      const { body } = await send(bankRow(name));
      assert.deepEqual(body.batch.errors, []);
      const [item] = (await itemsOf(body.batch.id)).body.data;
      assert.deepEqual([item.bic, item.bank_name], ['CORUTZTZ', 'CRDB BANK']);
    });
  for (const name of 'CRBD|Commercial Bank|Bank|Bank of Tanzania|Standard|CRDB Bnk'.split('|'))
    it(`does not guess which bank ${name} is`, () =>
      assertSays(bankRow(name), '1 bic or the whole name of a bank in GET payouts/bank/list'));

  it('leaves titles above the header out, and says so', async () => {
    const { body } = await send(
      'Mishahara Novemba,,\n,,\n28 Nov 2026,2 watu,\nphone,amount,name\n0754601001,5000,A\n',
    );
    assert.equal(body.batch.totals.items, 1);
    assert.deepEqual(body.notes, [
      'Row 1 of the file stands above the columns and was left out: Mishahara Novemba',
      'Row 3 of the file stands above the columns and was left out: 28 Nov 2026 2 watu',
    ]);
  });

  it('comes back with what became of each row, and nothing that a spreadsheet computes', async () => {
    const file = 'amount,phone_number,Dept\n"10,000", 0754601001 ,=cmd\n5000.00,+255754601002,\n';
    assertRefused(await send(file, 'quiet=true'), 422, 'validation_failed', ['batch_number']);
    const { batch } = (await send(file, 'batch_number=OUT&quiet=true')).body;
    assert.deepEqual([batch.errors, batch.totals.amount], [[], '15,000.00']);
    assert.deepEqual((await itemsOf(batch.id, '?format=csv')).text.split('\r\n'), [
      'amount,phone_number,Dept,row,status,failure_code,transaction_id,payout_reference,name_match,at,day',
      `"10,000", 0754601001 ,'=cmd,1,waiting,,,,,,`,
      "5000.00,'+255754601002,,2,waiting,,,,,,",
      '',
    ]);
  });
});

describe('a good file in each spelling', () => {
  type Person = { phone: string; amount: number; name: string };
  const person = fc.record({
    phone: fc.integer({ min: 754_000_000, max: 754_999_999 }).map(String),
    amount: fc.oneof(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1_000, max: 300_000 })),
    name: fc.constantFrom('Asha Juma', 'Ng’ombe Ali', 'Zoë "Mama" Ali', 'Ali; Juma', 'Juma, Asha', 'A'),
  });
  const grouped = (amount: number, sign: string) => String(amount).replace(/(?=(?:\d{3})+$)(?!^)/g, sign);
  const amounts: ((amount: number) => string)[] = [
    String,
    (amount) => grouped(amount, ','),
    (amount) => grouped(amount, ' '),
    (amount) => grouped(amount, '\u00a0'),
    (amount) => `${amount}.00`,
    (amount) => `${grouped(amount, ',')}/=`,
    (amount) => `${amount}/-`,
    (amount) => `TZS ${grouped(amount, ',')}`,
    (amount) => `Tsh. ${amount}`,
    (amount) => `${amount} TZS`,
  ];
  const phones = ['', '0', '255', '+255', '00255'];
  const encodings: Record<string, (text: string) => Buffer> = {
    utf8: (text) => Buffer.from(text),
    marked: (text) => Buffer.from(`\ufeff${text}`),
    utf16le: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    utf16be: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    windows: (text) => Buffer.from(text.replaceAll('’', '\x92'), 'latin1'),
  };
  const word = (words: readonly string[]) =>
    fc.constantFrom(
      ...words.flatMap((one) => [one, one.toUpperCase(), one.replaceAll(' ', '_'), ` ${one}:`]),
    );
  const { columns, shillings, totals } = batchFiles;
  const spelling = fc.record({
    separator: fc.constantFrom(',', ';', '\t'),
    saysSeparator: fc.boolean(),
    encoding: fc.constantFrom(...Object.keys(encodings)),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    quotesAll: fc.boolean(),
    titles: fc.array(fc.constantFrom('Mishahara Novemba', '28 Nov 2026', ''), { maxLength: 3 }),
    phone: word(columns.phone_number),
    amount: fc.oneof(
      word(columns.amount),
      fc
        .tuple(word(['Amount', 'Kiasi']), fc.constantFrom(...shillings))
        .map(([one, unit]) => `${one.replace(':', '')} (${unit})`),
    ),
    name: word(columns.full_name),
    order: fc.shuffledSubarray(['phone', 'amount', 'name'] as const, { minLength: 3 }),
    writeAmount: fc.constantFrom(...amounts),
    country: fc.constantFrom(...phones),
    total: fc.option(fc.constantFrom(...totals)),
    problem: fc.boolean(),
  });
  type Spelling = typeof spelling extends fc.Arbitrary<infer T> ? T : never;

  function write(people: readonly Person[], like: Spelling, sum: number): Buffer {
    const { separator, order, writeAmount, country } = like;
    const cell = (text: string) =>
      like.quotesAll || text.includes(separator) || text.startsWith('"')
        ? `"${text.replaceAll('"', '""')}"`
        : text;
    const row = (of: { phone: string; amount: string; name: string }, problem = '') =>
      [...order.map((column) => of[column]), ...(like.problem ? [problem] : [])].map(cell).join(separator);
    const lines = [
      ...(like.saysSeparator ? [`sep=${separator}`] : []),
      ...like.titles.map((title) => row({ phone: title, amount: '', name: '' })),
      row(like, 'Problem'),
      ...people.map(({ phone, amount, name }) =>
        row({ phone: `${country}${phone}`, amount: writeAmount(amount), name }, 'amount is odd'),
      ),
      ...(like.total === null ? [] : [row({ phone: '', amount: writeAmount(sum), name: like.total })]),
    ];
    return encodings[like.encoding]?.(lines.join(like.end)) ?? assert.fail();
  }
  const sumOf = (people: readonly Person[]) => people.reduce((sum, { amount }) => sum + amount, 0);
  const read = (bytes: Buffer) =>
    readBatchFile(tableOf(bytes, 10_000)).rows.map(({ fields, wrong }) => ({
      phone: readPhone(String(fields.phone_number)).msisdn,
      amount: fields.amount,
      name: fields.full_name,
      wrong,
    }));

  it('gives the same rows', () => {
    fc.assert(
      fc.property(fc.array(person, { minLength: 1, maxLength: 8 }), spelling, (people, like) => {
        const wanted = people.map(({ phone, amount, name }) => ({
          phone: `255${phone}`,
          amount,
          name,
          wrong: [],
        }));
        assert.deepEqual(read(write(people, like, sumOf(people))), wanted);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused by its total where a row was deleted', () => {
    fc.assert(
      fc.property(
        fc.array(person, { minLength: 2, maxLength: 8 }),
        spelling,
        fc.constantFrom(...totals),
        fc.nat(),
        (people, like, total, at) => {
          const left = people.filter((_, index) => index !== at % people.length);
          const file = write(left, { ...like, total }, sumOf(people));
          assert.throws(() => read(file), /add the row that is missing, or correct the amount/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

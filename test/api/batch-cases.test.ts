import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readBatchFile } from '../../src/api/kit/batch-file.ts';
import { batchFiles } from '../../src/domain/data/batch-files.ts';
import { readPhone } from '../../src/domain/msisdn.ts';
import { tableOf } from '../../src/platform/http/batch-table.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

/** Files of public bug reports, in our own words: none is taken wrong, and a refusal says what to do. */
describe('files of batches as others met them', () => {
  const { api } = useTestApi({ balance: 100_000_000 });
  type Expected =
    | { takes: string; items: number }
    | { wrong: [row: number, field: string, message: RegExp][] }
    | { refuses: RegExp };
  const phone = '0754601001';
  const one = (row: string, expected: Expected, header = 'phone,amount,name') =>
    [`${header}\n${row}\n`, expected] as const;
  const amount = (written: string) =>
    one(`${phone},${written},A`, { wrong: [[1, 'amount', /written 5000 or 5,000/]] });
  const five: Expected = { takes: '5,000.00', items: 1 };
  const number = /was shortened by a spreadsheet: make its column text/;
  const bank = 'account number,bank,name,amount';
  const cases: Record<string, readonly [string | Buffer, Expected]> = {
    'a float of a number that is a digit short': one('75460100.0,5000,A', {
      wrong: [[1, 'phone_number', number]],
    }),
    'a number in scientific notation': one('2.55755E+11,5000,A', { wrong: [[1, 'phone_number', number]] }),
    'a zero after the country code': one('2550754601002,5000,A', {
      wrong: [[1, 'phone_number', /leave out the 0 after 255/]],
    }),
    'marks of direction around a number': one('\u202a+255754601003\u202c,5000,A', five),
    'dashes of a word processor': one('0754–601–004,5000,A', five),
    'digits that are no ASCII': one('٠٧٥٤٦٠١٠٠٥,5000,A', {
      wrong: [[1, 'phone_number', /for example 0754123456/]],
    }),
    'rows that end otherwise than the header, and are short': [
      'phone_number,amount,full_name,reference,dept,note\r\n0754601006,1500,Asha\n0754601007,2500,Juma\n',
      { takes: '4,000.00', items: 2 },
    ],
    "Excel's sep=;": one('0754601008;5000', five, 'sep=;\nSimu;Kiasi'),
    'text with tabs': one('0754601009\t5000\tA', five, 'Phone Number\tAmount\tFull Name'),
    'a title in the first row': one(
      '0754601010,5000,A',
      five,
      'Mishahara Novemba,,\nMSISDN,Amount (TZS),Jina',
    ),
    'shillings as Tanzania writes them': one('0754601011,"5,000/=",A', five),
    'shillings with TZS': one('0754601012,TZS 5000,A', five),
    'a dot between thousands': amount('5.000'),
    'a dot and a comma': amount('"5.000,00"'),
    'brackets of a loss': amount('"(5,000)"'),
    'thousands as India groups them': amount('"1,00,000"'),
    'half a shilling': amount('5000.50'),
    'an amount in two cells': one(
      `${phone},5,000`,
      { wrong: [[1, 'row', /more cells .* in quotes/]] },
      'phone,amount',
    ),
    'letters of Windows': [
      Buffer.from('phone,amount,name\n0754601013,5000,Ng\x92ombe Ali\n', 'latin1'),
      five,
    ],
    'letters of Windows in a file of UTF-8': [
      Buffer.concat([
        Buffer.from('phone,amount,name\n0754601014,5000,Zoë\n'),
        Buffer.from('0754601015,5000,\x92\n', 'latin1'),
      ]),
      { refuses: /^Row 3 of the file has letters .* save it as "CSV UTF-8/ },
    ],
    'quotes inside of a name': one('0754601016,5000,Asha "Mama" Juma', five),
    'a quote that stays open': one(`${phone},5000,"Asha\n0754601017,6000,"B"`, {
      wrong: [[1, 'row', /put each cell on one line/]],
    }),
    'an account that became a number': one(
      '1.50123E+11,CRDB,Asha Juma,5000',
      { wrong: [[1, 'account_number', number]] },
      bank,
    ),
    'an account with decimals': one(
      '150123456789.0,CRDB,Asha Juma,5000',
      { wrong: [[1, 'account_number', number]] },
      bank,
    ),
    'a bank by its name': one('0150123456781,crdb bank plc,Asha Juma,5000', five, bank),
    'a bank by a name that is like one': one(
      '0150123456782,CRDB Bnk,Asha Juma,5000',
      {
        wrong: [[1, 'bic', /the whole name of a bank in GET payouts\/bank\/list/]],
      },
      bank,
    ),
    'a total that is the sum': one('0754601018,5000,A\n,5000,TOTAL', five),
    'a total that is not': one('0754601018,5000,A\n,6000,TOTAL', {
      refuses:
        /total in row 3 .* is 6000, .* sum to 5,000.00: add the row that is missing, or correct the amount that is wrong/,
    }),
    'a formula around a number': one(`="${phone}",5000,A`, {
      wrong: [[1, 'phone_number', /is a formula: put its value there/]],
    }),
    'an apostrophe that became text': one(`'${phone},5000,A`, {
      wrong: [[1, 'phone_number', /for example 0754123456/]],
    }),
    'an apostrophe of ours': one("'+255754601019,5000,A", five),
    'a name with something invisible in it': one('0754601020,5000,A\u202eB', {
      wrong: [[1, 'full_name', /printable characters/]],
    }),
    'a name of 141 characters': one(`0754601021,5000,${'x'.repeat(141)}`, {
      wrong: [[1, 'full_name', /1 to 140 printable characters/]],
    }),
    'an old workbook': [
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      { refuses: /\.xls workbook: open it, save it as/ },
    ],
    nothing: ['', { refuses: /is empty: send the one/ }],
  };

  let made = 0;
  for (const [name, [file, expected]] of Object.entries(cases))
    it(`${'takes' in expected ? 'takes' : 'does not take'} ${name}`, async () => {
      const answer = await api.call('POST', `payouts/batches?batch_number=C-${++made}`, {
        raw: file,
        headers: { 'content-type': 'text/csv' },
      });
      if ('refuses' in expected) {
        assertRefused(answer, 422, 'validation_failed', ['items']);
        return assert.match(answer.body.message, expected.refuses);
      }
      assert.equal(answer.status, 200, answer.text);
      const { errors, totals } = answer.body.batch;
      if ('takes' in expected) {
        assert.deepEqual([errors, totals.amount, totals.items], [[], expected.takes, expected.items]);
        return;
      }
      assert.equal(errors.length, expected.wrong.length, answer.text);
      for (const [at, [row, field, message]] of expected.wrong.entries()) {
        assert.deepEqual([errors[at].row, errors[at].field], [row, field]);
        assert.match(errors[at].message, message);
        assert.match(errors[at].message, /\(row \d+ of the file\)$/);
      }
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

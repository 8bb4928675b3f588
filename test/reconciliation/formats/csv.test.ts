import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatMoney, minor } from '../../../src/domain/money.ts';
import { prove } from '../../../src/reconciliation/continuity.ts';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import { type Statement, StatementRefused } from '../../../src/reconciliation/statement.ts';
import { pick } from '../../support/pick.ts';
import { camtEntry, camtFile, legacyFile, legacyRow, NEWER_HEADER, SAYS_WHAT_TO_DO } from './samples.ts';

const read = (text: string | Buffer, mapping = 'mpesa-legacy', theirs = '123456'): Statement =>
  parseStatement(
    { proves: ['clearing:m-pesa:TZS'], format: 'csv', mapping, currency: 'TZS', theirs },
    Buffer.from(text),
  );
const refusal = (text: string | Buffer, mapping?: string): string => {
  try {
    read(text, mapping);
    return 'it was read';
  } catch (error) {
    assert.ok(error instanceof StatementRefused, String(error));
    assert.match(error.message, SAYS_WHAT_TO_DO);
    return error.message;
  }
};

describe('a statement as CSV', () => {
  it('has what the preamble of the legacy M-Pesa export says', () => {
    const { theirs, period, opening, closing, totals, currency } = read(legacyFile([legacyRow()]));
    assert.deepEqual(
      { theirs, opening, closing, totals, currency },
      {
        theirs: '123456',
        opening: 0,
        closing: 780_000,
        totals: { lines: null, paidIn: 780_000, paidOut: 0 },
        currency: null,
      },
    );
    // The last second is inside the period: it ends with the day in Dar es Salaam.
    assert.deepEqual(period, {
      from: new Date('2025-12-31T21:00:00Z'),
      to: new Date('2026-01-04T21:00:00Z'),
    });
  });

  it('reads a payment with its receipt, typed reference, masked payer and balance', () => {
    const [line] = read(legacyFile([legacyRow()])).lines;
    const { raw, ...others } = line as NonNullable<typeof line>;
    assert.deepEqual(others, {
      no: 8,
      receipt: 'TEST0000A1',
      alsoKnownAs: [],
      kind: 'unknown',
      status: 'done',
      amount: 780_000,
      currency: 'TZS',
      at: new Date('2026-01-04T14:16:40Z'),
      reference: '0850060',
      names: [],
      sweepTo: null,
      party: '25570****111 - ALICE **** EXAMPLE',
      balanceAfter: 780_000,
      text: 'Pay Bill from 25570****111 - ALICE Acc. 0850060',
    });
    assert.ok(raw.startsWith('TEST0000A1,04-01-2026 17:16:40,'));
  });

  it('takes what was withdrawn as money out, with a minus or without', () => {
    for (const withdrawn of ['-21.06', '21.06', '"-1,021.06"']) {
      const [line] = read(legacyFile([legacyRow({ paidIn: '', withdrawn })])).lines;
      assert.ok((line?.amount ?? 0) < 0 && String(line?.amount).endsWith('06'), withdrawn);
    }
  });

  it('knows a charge by how its text begins, never by the name of a payer', () => {
    const rows = [
      legacyRow({ details: 'Pay Bill Charge', paidIn: '', withdrawn: '-5.00' }),
      legacyRow({ details: 'Pay Bill from 25570****1 - PAY BILL CHARGE LTD Acc. 1' }),
      legacyRow({ details: 'Agency Withdrawal of Funds to Bank', paidIn: '', withdrawn: '9.00' }),
    ];
    assert.deepEqual(pick(read(legacyFile(rows)).lines, 'kind', 'sweepTo'), [
      ['fee', null],
      ['unknown', null],
      ['sweep', 'bank'],
    ]);
  });

  it('names the original of a reversal by the linked id, and knows a reference of ours in any text', () => {
    const own = 'PO0123456789ABCDEF';
    const rows = [
      legacyRow({ linked: 'TEST0000A0' }),
      legacyRow({ details: `to 255… ${own} thanks`, account: '' }),
    ];
    const [first, second] = read(legacyFile(rows)).lines;
    assert.deepEqual(first?.names, ['TEST0000A0']);
    assert.equal(second?.reference, own);
  });

  it('counts no line of totals as a movement, and a failed line as failed', () => {
    const text = legacyFile([legacyRow({ status: 'FAILED' }), 'Totals,,,,,7800.00,0.00']);
    assert.deepEqual(pick(read(text).lines, 'status'), ['failed']);
  });

  for (const status of ['Declined', 'Cancelled', 'EXPIRED'])
    it(`knows a line that is ${status} as one that moved nothing`, () => {
      assert.equal(read(legacyFile([legacyRow({ status })])).lines[0]?.status, 'failed');
    });

  it('leaves out footers, numbers of pages and the header of another page, and no line beside them', () => {
    const header = legacyFile([]).split('\n')[6] as string;
    const rows = [
      legacyRow(),
      'Page 1 of 2,,,',
      header,
      legacyRow({ receipt: 'B' }),
      ',Page 2 of 2,',
      'Generated on 21.11.2026',
    ];
    assert.deepEqual(pick(read(legacyFile(rows)).lines, 'receipt'), ['TEST0000A1', 'B']);
    assert.match(refusal(legacyFile(['Page 1 of 2,5.00'])), /^line 8: /);
  });

  it('reads the newer M-Pesa export, whose text has payer and reference', () => {
    const row =
      'TEST01,04/01/2026 17:16:40,Pay Bill from 2547****376 - JANE DOE Acc. shop 7,Completed,"1,100.00",0.00,"1,100.00"';
    const { lines, theirs } = read(`${NEWER_HEADER('TSHs')}\n${row}\n`, 'mpesa-newer');
    assert.equal(theirs, null);
    assert.equal(lines[0]?.party, '2547****376 - JANE DOE');
    assert.equal(lines[0]?.reference, 'shop 7');
    assert.equal(lines[0]?.at.toISOString(), '2026-01-04T14:16:40.000Z');
  });

  it('reads CRDB with its reference, its charges and VAT, with semicolons and Windows letters', () => {
    const text = [
      'CRDB BANK PLC;;;;;',
      'Posting Date;Details;Value Date;Debit;Credit;Book Balance',
      '05.01.2026 10:00:00;REF:197e90b42b16192f IB FT FROM MUÑOZ;05.01.2026;0.00;7,000.00;9,000.00',
      '05.01.2026 11:00:00;Monthly Maintenance Fee;05.01.2026;12.00;0.00;8,988.00',
      '05.01.2026 11:00:00;VAT (18%) PAYABLE ON COMMISSION AND FEES : FULL;05.01.2026;2.16;0.00;8,985.84',
    ].join('\r\n');
    const { lines } = read(Buffer.from(text, 'latin1'), 'crdb');
    assert.deepEqual(pick(lines, 'receipt', 'kind', 'amount'), [
      ['197e90b42b16192f', 'unknown', 700_000],
      [null, 'fee', -1_200],
      [null, 'tax', -216],
    ]);
    assert.match(lines[0]?.text ?? '', /MUÑOZ/);
  });

  it('gives the same lines with a byte order mark, other line ends and columns in another order', () => {
    const text = legacyFile([legacyRow(), legacyRow({ receipt: 'TEST2' })]);
    const wanted = read(text).lines.map(({ no, raw, ...line }) => line);
    const swapped = text
      .split('\n')
      .map((line, index) => (index < 6 ? line : line.replace(/^([^,]*),([^,]*),/, '$2,$1,')))
      .join('\r\n');
    assert.deepEqual(
      read(`\uFEFF${swapped}`).lines.map(({ no, raw, ...line }) => line),
      wanted,
    );
  });

  it('takes what a bank writes and a customer types as text, whatever a spreadsheet would make of it, and quotes inside it', () => {
    assert.equal(read(legacyFile([legacyRow({ account: '=A1' })])).lines[0]?.reference, '=A1');
    for (const text of ['=TISS/REF', '-TIPS(REF 1)', "-2+3+cmd|' /C calc'!A0", 'MAMA "ASHA" SHOP'])
      assert.equal(read(legacyFile([legacyRow({ details: text })])).lines[0]?.text, text);
  });

  it('says the same in each spelling that a spreadsheet or a portal gives it', () => {
    const header = legacyFile([]).split('\n')[6] as string;
    const rows = ['A', 'B', 'C'].map((receipt) => legacyRow({ receipt, party: '"ASHA, ""MAMA"" É"' }));
    const cellsOf = (row: string) => row.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? [];
    const facts = (content: Buffer) => read(content).lines.map(({ no, raw, ...line }) => line);
    const wanted = facts(Buffer.from(legacyFile(rows)));
    assert.deepEqual([wanted.length, wanted[0]?.party], [3, 'ASHA, "MAMA" É']);
    const letters: Record<string, (text: string) => Buffer> = {
      'UTF-8': (text) => Buffer.from(text),
      'UTF-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
      'UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
      Windows: (text) => Buffer.from(text, 'latin1'),
    };
    fc.assert(
      fc.property(
        fc.record({
          separator: fc.constantFrom(',', ';', '\t'),
          isNamed: fc.boolean(),
          end: fc.constantFrom('\n', '\r\n', '\r'),
          between: fc.array(fc.constantFrom('Page 1 of 2', header, 'Generated on 21.11.2026', '', ',,,'), {
            maxLength: 3,
          }),
          encoding: fc.constantFrom(...Object.keys(letters)),
        }),
        ({ separator, isNamed, end, between, encoding }) => {
          const [first = '', ...others] = rows;
          const lines = legacyFile([first, ...between, ...others]).split('\n');
          const spelled = lines.map((row) =>
            cellsOf(row)
              .map((cell) => cell.replace(/,$/, separator))
              .join(''),
          );
          const text = [...(isNamed ? [`sep=${separator}`] : []), ...spelled].join(end);
          assert.deepEqual(facts((letters[encoding] as (text: string) => Buffer)(text)), wanted);
        },
      ),
    );
  });

  it('takes a line that moved nothing without a balance, and none whose balance moves all the same', () => {
    const declined = (balance: string) =>
      read(
        legacyFile([
          legacyRow(),
          legacyRow({ receipt: 'B', status: 'Declined', paidIn: '5.00', at: '04-01-2026 17:16:41', balance }),
        ]),
      );
    for (const balance of ['', '"7,800.00"', '0.00']) assert.equal(prove(declined(balance)).lines.length, 2);
    assert.throws(
      () => prove(declined('"7,805.00"')),
      /line 9: it moved nothing by its status, but its balance/,
    );
  });

  it('reads every amount back that money can have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 14 }), fc.boolean(), (amount, out) => {
        const shown = `"${formatMoney(minor(amount))}"`;
        const row = legacyRow(out ? { paidIn: '', withdrawn: shown } : { paidIn: shown });
        assert.equal(read(legacyFile([row])).lines[0]?.amount, out ? -amount : amount);
      }),
    );
  });
});

describe('a CSV file that is refused', () => {
  const one = (cells: Parameters<typeof legacyRow>[0] = {}) => legacyFile([legacyRow(cells)]);
  const cases: [what: string, text: string | Buffer, says: RegExp][] = [
    [
      'another account',
      one().replace('123456', '654321'),
      /this is M-Pesa's file of short code 654321; you chose M-Pesa 123456: choose the account that it is of/,
    ],
    ['another currency', one({ currency: 'KES' }), /line 8 is in KES, not in TZS/],
    [
      'an unknown column',
      one().replace('Reason Type', 'Levy'),
      /^line 7: the layout mpesa-legacy does not know the column "Levy": .* ask us to add it/,
    ],
    ['a missing column', one().replace('Details', ''), /lacks Details/],
    ['a column twice', one().replace('Balance Confirmed', 'Balance'), /has Balance twice/],
    ['no header', 'a,b,c\n1,2,3\n', /no line of the first 60 is the header of the layout mpesa-legacy/],
    ['a formula', one({ receipt: '=A1' }), /line 8: Receipt No. "=A1" is a formula/],
    [
      'a receipt that a spreadsheet shortened',
      one({ receipt: '1.23457E+10' }),
      /line 8: Receipt No. "1.23457E\+10" was shortened by a spreadsheet/,
    ],
    ['a decimal reference', one({ account: '850060.0' }), /line 8: A\/C No. "850060.0" was shortened/],
    ['a continental amount', one({ paidIn: '"1.100,00"' }), /line 8: Paid In "1.100,00" is no amount/],
    ['a time that a spreadsheet damaged', one({ at: '16:40.0' }), /Completion Time "16:40.0" is no time/],
    ['a time without seconds', one({ at: '04-01-2026 17:16' }), /is no time such as dd/],
    ['a month before its day', one({ at: '01/24/2026 17:16:40' }), /is no time/],
    ['a time of twelve hours', one({ at: '04/01/26 05:16 PM' }), /is no time/],
    [
      'columns that became one',
      one().replace('Paid In,Withdrawn,', 'Paid In Withdrawn,'),
      /lacks Paid In of the layout/,
    ],
    ['30 February', one({ at: '30-02-2026 10:00:00' }), /is no time/],
    ['money in and out', one({ withdrawn: '5.00' }), /stands beside Paid In/],
    ['a status that we do not know', one({ status: 'Reversed' }), /"Reversed" is no status/],
    ['a cell without a header', legacyFile([`${legacyRow()},9`]), /column 15 "9" has no header/],
    [
      'a quote that never ends',
      one({ details: '"Pay Bill' }),
      /line 8: the row .* has a quote that does not end with its cell/,
    ],
    ['a balance that is missing', one({ balance: '' }), /Balance "" is no amount/],
    ['an .xls workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /\.xls workbook: .*\.xlsx/],
    ['a broken workbook', Buffer.from('504b0304', 'hex'), /workbook is damaged \(zip\)/],
    ['a compressed file', Buffer.from('1f8b0800', 'hex'), /compressed/],
    ['a PDF', Buffer.from('%PDF-1.7'), /PDF/],
    ['half a letter of UTF-16', Buffer.from([0xff, 0xfe, 0x41]), /neither UTF-8 nor Windows text/],
    ['no text', Buffer.from('Receipt\0No'), /zero byte/],
    ['an empty file', '', /empty/],
    ['a page of HTML', '<html></html>', /web page/],
  ];
  for (const [what, text, says] of cases) it(`for ${what}`, () => assert.match(refusal(text), says));

  it('because it is the file of another account, and with whose it is', () => {
    const file = Buffer.from(legacyFile([legacyRow()]));
    const chosen = (format: 'csv' | 'camt', mapping: string | null) => () =>
      parseStatement(
        { proves: ['clearing:airtel-money:TZS'], format, mapping, currency: 'TZS', theirs: '1' },
        file,
      );
    const whose =
      "this is M-Pesa's file of short code 123456 (layout mpesa-legacy); you chose Airtel Money 1, whose";
    const todo = 'choose the account that it is of, or download the file of this one';
    assert.throws(chosen('csv', 'crdb'), {
      message: `${whose} files are CRDB Bank's (layout crdb): ${todo}`,
    });
    assert.throws(chosen('camt', null), { message: `${whose} statements are camt: ${todo}` });
    assert.match(
      refusal(camtFile([camtEntry()])),
      /this is a bank's XML; you chose M-Pesa 123456, whose files are of the layout mpesa-legacy/,
    );
  });

  it('with what is wrong with each of its lines, up to a thousand', () => {
    const wrong = Array.from({ length: 1_002 }, () => legacyRow({ paidIn: 'much' }));
    assert.throws(
      () => read(legacyFile([legacyRow(), ...wrong])),
      (error: StatementRefused) => {
        assert.match(error.message, /^1002 lines are wrong: line 9: Paid In "much"/);
        assert.equal(error.problems.length, 1_001);
        assert.equal(error.problems.at(-1), '2 more lines are wrong');
        return true;
      },
    );
  });

  it('because a header names another currency', () => {
    assert.match(
      refusal(`${NEWER_HEADER('KSHs')}\nT,04/01/2026 17:16:40,x,Completed,1.00,,1.00\n`, 'mpesa-newer'),
      /the statement is in KES, not in TZS/,
    );
  });

  it('because it has more than 200,000 lines', () => {
    const row = '04.01.2026,x,,1.00,,1.00\n';
    const text = `Posting Date,Details,Value Date,Debit,Credit,Book Balance\n${row.repeat(200_001)}`;
    assert.match(refusal(text, 'crdb'), /more than 200000 lines/);
  }).timeout(60_000);

  it('or read, but never anything else, whatever bytes it has', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(legacyFile([text]))),
      fc
        .array(fc.string({ maxLength: 12 }), { maxLength: 16 })
        .map((cells) => Buffer.from(legacyFile([cells.join(',')]))),
    );
    fc.assert(
      fc.property(bytes, (content) => {
        try {
          for (const { amount } of read(Buffer.from(content)).lines) assert.ok(Number.isSafeInteger(amount));
        } catch (error) {
          assert.ok(error instanceof StatementRefused, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});

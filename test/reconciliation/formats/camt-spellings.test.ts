// tests: generated
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import { type Statement, StatementRefused } from '../../../src/reconciliation/statement.ts';
import { pick } from '../../support/pick.ts';
import { camtEntry, camtFile, SAYS_WHAT_TO_DO } from './samples.ts';

const settings = {
  proves: ['settlement:TZS'],
  format: 'camt',
  mapping: null,
  currency: 'TZS',
  theirs: '0150123',
} as const;
const read = (file: string | Uint8Array): Statement => parseStatement(settings, Buffer.from(file as string));

const OWN = 'PO0123456789ABCDEF';
const detail = (inside: string) => `<NtryDtls><TxDtls>${inside}</TxDtls></NtryDtls>`;
const paid = `<Refs><EndToEndId>${OWN}</EndToEndId></Refs><RltdPties><Cdtr><Nm>JOSÉ</Nm></Cdtr></RltdPties><RmtInf><Ustrd>Ng’ombe &amp; Sons A-1</Ustrd></RmtInf>`;
const entries = (version = '08') => [
  camtEntry({ receipt: 'A-1', version }),
  camtEntry({ receipt: 'B-2', amount: '149.87', version }),
  camtEntry({ receipt: 'C-3', amount: '149.87', direction: 'DBIT', inside: detail(paid), version }),
];
const good = camtFile(entries());
const factsOf = ({ lines, ...others }: Statement) => ({
  ...others,
  lines: lines.map(({ raw, ...line }) => line),
});
const refusal = (file: string | Uint8Array): string => {
  try {
    read(file);
    return 'it was read';
  } catch (error) {
    assert.ok(error instanceof StatementRefused, String(error));
    for (const problem of error.problems) assert.match(problem, SAYS_WHAT_TO_DO);
    return error.problems.join('\n');
  }
};

/** A file as a bank may write it as well. Each leaves what it says as it is. */
const spellings: [how: string, spelled: (text: string) => string][] = [
  ['a style sheet', (text) => text.replace('?>', '?>\n<?xml-stylesheet type="text/xsl" href="camt.xsl"?>')],
  ['other instructions', (text) => text.replace('?>', '?><?valid true?>')],
  ['a prefix', (text) => text.replace(/<(\/?)(?=[A-Z])/g, '<$1c:').replace('xmlns=', 'xmlns:c=')],
  ['lines and indents', (text) => text.replace(/>(?=<)/g, '>\r\n   ')],
  ['CDATA', (text) => text.replace(/>([^<>&]+)<(?=\/(Nm|Ustrd|AcctSvcrRef|Id)>)/g, '><![CDATA[$1]]><')],
  [
    'references of characters',
    (text) => text.replace(/>[^<]+</g, (one) => one.replaceAll('-', '&#45;').replaceAll('’', '&#x2019;')),
  ],
  ['ampersands as numbers', (text) => text.replaceAll('&amp;', '&#38;')],
  ['zeros in front', (text) => text.replaceAll('149.87', '000000000000149.87')],
  ['signs', (text) => text.replace(/(Ccy="TZS">)(?=\d)/g, '$1+')],
  ['more decimals', (text) => text.replaceAll('149.87<', '149.87000<').replaceAll('5000.00<', '5000<')],
  ['our reference in small letters', (text) => text.replace(OWN, OWN.toLowerCase())],
  ['days with a zone', (text) => text.replaceAll('2026-01-04</Dt>', '2026-01-04+05:00</Dt>')],
  ['comments', (text) => text.replaceAll('<Ntry>', '<!--Ntry &--><Ntry>')],
];
const enveloped = (start: string, end: string) => (text: string) =>
  text.replace('<Document', `${start}<Document`).replace('</Document>', `</Document>${end}`);
const HEADER =
  '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>1</BizMsgIdr></AppHdr>';
const envelopes: typeof spellings = [
  ['nothing around it', (text) => text],
  ['an envelope without a namespace', enveloped(`<RequestPayload>${HEADER}`, '</RequestPayload>')],
  [
    'the business message envelope',
    enveloped(
      `<n:BizMsgEnvlp xmlns:n="urn:iso:std:iso:20022:tech:xsd:nvlp.001.001.01"><n:Hdr>${HEADER}</n:Hdr><n:Doc>`,
      '</n:Doc></n:BizMsgEnvlp>',
    ),
  ],
];
const LATIN: Record<string, string> = { '’': '\x92' };
const declared = (encoding: string, text: string) =>
  text.replace('encoding="UTF-8"', `encoding="${encoding}"`);
const latin = (encoding: string) => (text: string) =>
  Buffer.from(
    declared(encoding, text).replace(/’/g, (one) => LATIN[one] as string),
    'latin1',
  );
const wide = (text: string) => Buffer.from(`\uFEFF${declared('UTF-16', text)}`, 'utf16le');
const encodings: [how: string, encoded: (text: string) => Uint8Array][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-8 with a mark, declared otherwise', (text) => Buffer.from(`\uFEFF${declared('ISO-8859-1', text)}`)],
  ['ISO-8859-1', latin('ISO-8859-1')],
  ['windows-1252', latin('windows-1252')],
  ['UTF-16', wide],
  ['UTF-16, the other way round', (text) => Buffer.from(wide(text)).swap16()],
];

describe('a camt.053 as banks write it', () => {
  for (const version of Array.from({ length: 13 }, (_, n) => String(n + 2).padStart(2, '0')))
    it(`is read in version .${version}`, () => {
      assert.deepEqual(pick(read(camtFile(entries(version), { version })).lines, 'amount', 'receipt'), [
        [500_000, 'A-1'],
        [14_987, 'B-2'],
        [-14_987, 'C-3'],
      ]);
    });

  const wanted = () => factsOf(read(good));
  for (const [how, spelled] of [...spellings, ...envelopes])
    it(`says the same with ${how}`, () => assert.deepEqual(factsOf(read(spelled(good))), wanted()));
  for (const [how, encoded] of encodings)
    it(`says the same in ${how}`, () => assert.deepEqual(factsOf(read(encoded(good))), wanted()));

  it('says the same in any of these together', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(spellings),
        fc.constantFrom(...envelopes),
        fc.constantFrom(...encodings),
        (some, [, around], [, encoded]) => {
          const text = some.reduce((so, [, spelled]) => spelled(so), good);
          assert.deepEqual(factsOf(read(encoded(around(text)))), wanted());
        },
      ),
    );
  });

  it('has its names as they are written, and its receipt of a reference of characters', () => {
    const [, , line] = read(good).lines;
    assert.deepEqual(
      [line?.party, line?.text, line?.reference, line?.receipt],
      ['JOSÉ', 'Ng’ombe & Sons A-1', OWN, 'C-3'],
    );
  });

  it('takes the entry’s amount where a detail is in another currency, and converts nothing', () => {
    const foreign = (ccy: string) =>
      `<Refs><TxId>T${ccy}</TxId></Refs><Amt Ccy="${ccy}">2500.00</Amt><CntrValAmt><Amt Ccy="TZS">2500.00</Amt></CntrValAmt>`;
    const inside = (...currencies: string[]) =>
      `<NtryDtls>${currencies.map((ccy) => `<TxDtls>${foreign(ccy)}</TxDtls>`).join('')}</NtryDtls>`;
    const amounts = (...currencies: string[]) =>
      read(camtFile([camtEntry({ inside: inside(...currencies) })])).lines.map(({ amount }) => amount);
    assert.deepEqual(amounts('EUR'), [500_000]);
    assert.deepEqual(amounts('TZS', 'EUR'), [500_000]);
    assert.deepEqual(amounts('TZS', 'TZS'), [250_000, 250_000]);
  });

  const dated = (period: string, day = '<Dt>2026-01-04</Dt>') =>
    read(
      camtFile([camtEntry().replace('<BookgDt><Dt>2026-01-04</Dt>', `<BookgDt>${day}`)], {
        inside: `<FrToDt>${period}</FrToDt>`,
      }),
    ).period;
  const between = (from: string, to: string) => `<FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm>`;
  const fourth = { from: new Date('2026-01-03T21:00:00Z'), to: new Date('2026-01-04T21:00:00Z') };
  for (const zone of ['', 'Z', '+03:00', '+02:00', '-05:00'])
    for (const [from, to] of [
      ['2026-01-04T00:00:00', '2026-01-05T00:00:00'],
      ['2026-01-04T00:00:00.000', '2026-01-04T23:59:59.999'],
      ['2026-01-04T00:00:00', '2026-01-04T23:59:59'],
      ['2026-01-04T00:00:00', '2026-01-04T00:00:00'],
    ] as const)
      it(`is of days where its bookings are, from ${from}${zone} to ${to}${zone}`, () =>
        assert.deepEqual(dated(between(`${from}${zone}`, `${to}${zone}`)), fourth));

  it('is of moments where a booking has a time, or its ends are none of days', () => {
    const noon = '<DtTm>2026-01-04T12:00:00Z</DtTm>';
    assert.deepEqual(dated(between('2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z'), noon), {
      from: new Date('2026-01-04T00:00:00Z'),
      to: new Date('2026-01-05T00:00:00Z'),
    });
    const [from, to] = ['2026-01-04T00:00:00+03:00', '2026-01-05T00:00:00Z'];
    assert.deepEqual(dated(between(from, to)), { from: new Date(from), to: new Date(to) });
    assert.deepEqual(dated(between('2026-01-03T12:00:00Z', '2026-01-04T12:00:00Z')), {
      from: new Date('2026-01-03T12:00:00Z'),
      to: new Date('2026-01-04T12:00:00Z'),
    });
  });

  const withAnother = (message: string) =>
    enveloped('<Envelope>', `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"/></Envelope>`)(good);
  const changed = (from: string, to: string) => good.replace(from, to);
  const refused: [what: string, file: string | Uint8Array, says: RegExp][] = [
    ...['2026-01-04T10:30', '04.01.2026', '', '2026-02-30'].map((day): [string, string, RegExp] => [
      `a booking on ${JSON.stringify(day)}, whatever its value date is`,
      changed(
        '<BookgDt><Dt>2026-01-04</Dt></BookgDt>',
        `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>2026-01-04</Dt></ValDt>`,
      ),
      /line 1: BookgDt .* is no date/,
    ]),
    ['MT940', ':20:STMT\n:25:0150123\n:28C:1/1\n', /MT940.*camt\.053 or CSV/],
    ['MT940 in its envelope', '{1:F01CORUTZTZAXXX0000000000}{4:\n:20:S\n', /MT940.*camt\.053 or CSV/],
    ['a document of another message beside it', withAnother('camt.052.001.08'), /camt\.052.*not a camt/],
    ['version .15', good.replace('.08"', '.15"'), /not a camt.053 statement/],
    ['bytes that are not the UTF-8 that it declares', Buffer.from(good, 'latin1'), /not in the letters/],
    ['another encoding', good.replace('UTF-8', 'EBCDIC-CP-US'), /no XML of a bank/],
    ['a document in a document', enveloped('<Document xmlns="urn:x">', '</Document>')(good), /camt.053/],
  ];
  for (const [what, file, says] of refused)
    it(`is refused for ${what}`, () => assert.match(refusal(file), says));

  it('is refused with what is wrong with each of its entries', () => {
    const wrong = [
      camtEntry({ amount: '5,000.00' }),
      camtEntry(),
      camtEntry({ status: 'HOPE' }),
      camtEntry({ direction: '' }),
    ];
    assert.deepEqual(
      refusal(camtFile(wrong))
        .split('\n')
        .map((problem) => /^line \d+: \w+/.exec(problem)?.[0]),
      ['line 1: Amt', 'line 3: Sts', 'line 4: CdtDbtInd'],
    );
  });
});

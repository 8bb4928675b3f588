import assert from 'node:assert/strict';
import { prove } from '../../../src/reconciliation/continuity.ts';
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
const read = (text: string): Statement => parseStatement(settings, Buffer.from(text));

const refs = (id: string) => `<Refs><EndToEndId>${id}</EndToEndId></Refs>`;
const batch = (...details: string[]) =>
  `<NtryDtls>${details.map((one) => `<TxDtls>${one}</TxDtls>`).join('')}</NtryDtls>`;
const own = (n: number) => `PO000000000000000${n}`;

const attributes = (count: number, name = 'b') =>
  Array.from({ length: count }, (_, n) => `${name}${n}="u"`).join(' ');
const long = 'x'.repeat(4 * 1024 * 1024);

describe('a camt.053 statement', () => {
  it('says account, currency, balances and the day', () => {
    const { lines, ...others } = read(camtFile([camtEntry()]));
    assert.equal(lines.length, 1);
    assert.deepEqual(others, {
      whose: "a bank's statement of account 0150123",
      theirs: '0150123',
      currency: 'TZS',
      period: { from: new Date('2026-01-03T21:00:00Z'), to: new Date('2026-01-04T21:00:00Z') },
      opening: 0,
      closing: 500_000,
      totals: { lines: null, paidIn: null, paidOut: null },
    });
  });

  it('has no lines on a day on which nothing moved, and every entry that is there twice', () => {
    const nothing = read(camtFile([], { closing: '0.00' }));
    assert.deepEqual([nothing.lines, prove(nothing).closing], [[], 0]);
    const twice = read(camtFile([camtEntry(), camtEntry()], { closing: '10000.00' }));
    assert.deepEqual([twice.lines.length, prove(twice).closing], [2, 1_000_000]);
    assert.throws(() => prove(read(camtFile([camtEntry()], { closing: '10000.00' }))), SAYS_WHAT_TO_DO);
  });

  it('takes the sign from CdtDbtInd alone, also of a reversal', () => {
    const { lines } = read(
      camtFile([
        camtEntry({ direction: 'DBIT' }),
        camtEntry({ direction: 'CRDT', inside: '<RvslInd>true</RvslInd>' }),
      ]),
    );
    assert.deepEqual(pick(lines, 'amount', 'kind'), [
      [-500_000, 'unknown'],
      [500_000, 'reversal'],
    ]);
  });

  for (const version of ['02', '08'])
    it(`counts only BOOK as done in .${version}`, () => {
      const { lines } = read(
        camtFile(
          ['BOOK', 'PDNG', 'INFO'].map((status) => camtEntry({ status, version })),
          { version },
        ),
      );
      assert.deepEqual(pick(lines, 'status'), ['done', 'pending', 'failed']);
    });

  it('reads a payout with our reference and the payee, in .02 and .08', () => {
    for (const [version, party] of [
      ['02', '<Cdtr><Nm>ASHA</Nm></Cdtr>'],
      ['08', '<Cdtr><Pty><Nm>ASHA</Nm></Pty></Cdtr>'],
    ] as const) {
      const inside = batch(
        `${refs(own(1))}<RltdPties>${party}</RltdPties><RmtInf><Ustrd>wages</Ustrd></RmtInf>`,
      );
      const [line] = read(camtFile([camtEntry({ direction: 'DBIT', inside, version })], { version })).lines;
      assert.deepEqual(
        [line?.receipt, line?.reference, line?.party, line?.text, line?.amount],
        ['FT260104A', own(1), 'ASHA', 'wages', -500_000],
      );
    }
  });

  it('gives a line for each payment of a batch whose amounts are the whole', () => {
    const inside = batch(
      `${refs(own(1))}<Amt Ccy="TZS">3000.00</Amt>`,
      `${refs(own(2))}<AmtDtls><TxAmt><Amt Ccy="TZS">2000.00</Amt></TxAmt></AmtDtls>`,
    );
    const { lines } = read(camtFile([camtEntry({ direction: 'DBIT', inside })]));
    assert.deepEqual(
      lines.map(({ no, amount, reference, raw }) => [no, amount, reference, raw.includes(own(2))]),
      [
        [1, -300_000, own(1), false],
        [1, -200_000, own(2), true],
      ],
    );
  });

  it('never gives a payment of a batch the amount of the whole', () => {
    for (const second of ['', '<Amt Ccy="TZS">1999.00</Amt>']) {
      const inside = batch(`${refs(own(1))}<Amt Ccy="TZS">3000.00</Amt>`, `${refs(own(2))}${second}`);
      const { lines } = read(camtFile([camtEntry({ inside })]));
      assert.deepEqual(pick(lines, 'amount', 'names'), [[500_000, [own(1), own(2)]]]);
    }
  });

  it('names payments of a batch by their receipts, and payouts by our references', () => {
    const numbered = [1, 2].map((n) =>
      refs(own(n)).replace('<Refs>', `<Refs><AcctSvcrRef>FT${n}</AcctSvcrRef>`),
    );
    const namesOf = (direction: 'CRDT' | 'DBIT') =>
      read(camtFile([camtEntry({ direction, inside: batch(...numbered) })])).lines.map(({ names }) => names);
    assert.deepEqual(namesOf('CRDT'), [['FT1', 'FT2']]);
    assert.deepEqual(namesOf('DBIT'), [[own(1), own(2)]]);
  });

  it('knows charges and taxes by the code of their sub-family, and a return by its reason', () => {
    const family = (code: string) =>
      `<BkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>${code}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
    const returned = batch(`${refs(own(3))}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`);
    const { lines } = read(
      camtFile([family('CHRG'), family('TAXE'), returned].map((inside) => camtEntry({ inside }))),
    );
    assert.deepEqual(pick(lines, 'kind'), ['fee', 'tax', 'return']);
  });

  it('compares the sums of its summary, but not while an entry is pending', () => {
    const inside =
      '<TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries></TtlNtries><TtlCdtNtries><Sum>5000.00</Sum></TtlCdtNtries></TxsSummry>';
    assert.equal(read(camtFile([camtEntry()], { inside })).totals.paidIn, 500_000);
    assert.equal(read(camtFile([camtEntry({ status: 'PDNG' })], { inside })).totals.paidIn, null);
  });

  it('reads each entry within limits of its own, and what stands in it of another namespace not', () => {
    const deep = `${'<a>'.repeat(60)}${'</a>'.repeat(60)}`;
    const inside = `${deep}<a ${attributes(15_000)}>${long.slice(1_000_000)}</a><x:Amt xmlns:x="urn:x">1</x:Amt>`;
    const { lines } = read(camtFile([camtEntry({ inside }), camtEntry({ inside })]));
    assert.deepEqual(pick(lines, 'amount'), [500_000, 500_000]);
    const foreign = '<x:Ntry xmlns:x="urn:x"><x:Amt>1</x:Amt></x:Ntry>';
    assert.equal(read(camtFile([foreign, camtEntry()])).lines.length, 1);
  });

  const one = (entry: Parameters<typeof camtEntry>[0] = {}) => camtFile([camtEntry(entry)]);
  const refused: [what: string, text: string, says: RegExp][] = [
    ['a document type', camtFile([]).replace('<Document', '<!DOCTYPE Document><Document'), /document type/],
    [
      'an entity bomb',
      one({ receipt: '&a;' }).replace('<Document', '<!DOCTYPE D [<!ENTITY a "aa">]><Document'),
      /document type/,
    ],
    ['an entity that nobody declared', one({ receipt: '&a;' }), /line 1: the entry cannot be read/],
    [
      'comments that never end, in no time',
      camtFile([]).replace('</BkToCstmrStmt>', `${'<!--'.repeat(80_000)}</BkToCstmrStmt>`),
      /a comment that is none/,
    ],
    ['another message', camtFile([]).replaceAll('camt.053', 'camt.054'), /not a camt.053 statement/],
    ['no statement', camtFile([]).replace(/<Stmt>.*<\/Stmt>/s, ''), /no statement \(Stmt\)/],
    ['one page of several', camtFile([]).replace('CLBD', 'ITBD'), /CLBD is missing/],
    [
      'another account',
      camtFile([]).replace('0150123', '0150999'),
      /a bank's statement of account 0150999; you chose the bank account 0150123: choose/,
    ],
    ['another currency', one().replaceAll('TZS', 'USD'), /in USD, not in TZS/],
    ['another currency', camtFile([camtEntry().replace('TZS', 'USD')]), /line 1: Amt Ccy "USD" is not TZS/],
    ['an entry without direction', one({ direction: '' }), /line 1: CdtDbtInd/],
    ['an amount with a comma', one({ amount: '5,000.00' }), /line 1: Amt .* is no amount/],
    ['a status that we do not know', one({ status: 'HOPE' }), /line 1: Sts "HOPE"/],
    ['an endless entry', camtFile([camtEntry().replace('</Ntry>', '')]), /line 1: the entry has no end/],
    [
      'another number of entries than it says',
      camtFile([], { inside: '<TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries></TtlNtries></TxsSummry>' }),
      /says 1 entries and has 0/,
    ],
    [
      'an entry 65 levels deep',
      one({ inside: `${'<a>'.repeat(61)}${'</a>'.repeat(61)}` }),
      /line 1: the entry cannot be read/,
    ],
    [
      'a huge list of attributes',
      camtFile([camtEntry(), camtEntry({ inside: `<a ${attributes(20_000)}/>` })]),
      /line 2: the entry cannot be read/,
    ],
    [
      'a huge list of namespaces around its entries',
      camtFile([], { inside: `<a ${attributes(17, 'xmlns:n')}/>` }),
      /no XML of a bank/,
    ],
    ['an entry of over 4 Mi characters', one({ inside: `<a>${long}</a>` }), /line 1: the entry cannot/],
    ['over 4 Mi characters around entries', camtFile([], { inside: `<a>${long}</a>` }), /no XML of a bank/],
    ['an undeclared prefix in an entry', one({ inside: '<x:a/>' }), /line 1: the entry cannot be read/],
    ['a prefix that nobody declared', camtFile([], { inside: '<x:a/>' }), /no XML of a bank/],
    ['no namespace', one().replace(/ xmlns="[^"]*"/, ''), /XML of nobody, not a camt.053/],
    ['an entry in an entry', one({ inside: camtEntry() }), /line 1: the entry cannot be read/],
    [
      'half of its second entry',
      camtFile([camtEntry(), camtEntry()]).replace(
        /<AcctSvcrRef>FT260104A<\/AcctSvcrRef><\/Ntry><\/Stmt>.*/,
        '',
      ),
      /line 2: the entry has no end/,
    ],
    [
      'an account behind its entries, in another currency',
      one()
        .replace('<Ccy>TZS</Ccy>', '')
        .replace('</Stmt>', '<Acct><Ccy>USD</Ccy></Acct></Stmt>')
        .replace(/<Acct><Id>.*?<\/Acct>/, ''),
      /must stand before its entries/,
    ],
    ['a broken end', one().slice(0, -12), /no XML of a bank/],
  ];
  for (const [what, text, says] of refused)
    it(`is refused for ${what}`, () => {
      assert.throws(
        () => read(text),
        (error: Error) =>
          error instanceof StatementRefused &&
          says.test(error.message) &&
          SAYS_WHAT_TO_DO.test(error.message),
      );
    });
});

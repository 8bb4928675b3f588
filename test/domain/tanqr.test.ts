import assert from 'node:assert/strict';
import fc from 'fast-check';
import { makeControlNumber } from '../../src/domain/control-number.ts';
import { minor } from '../../src/domain/money.ts';
import { buildTanqr, crc16, parseTanqr, safeText, type TanqrRequest } from '../../src/domain/tanqr.ts';
import vectors from './tanqr-vectors.json' with { type: 'json' };

const example: TanqrRequest = {
  acquirerId: '02001',
  merchantId: '44719038',
  categoryCode: '5999',
  amount: minor(1_500_000),
  merchantName: 'Demo Shop',
  city: 'Dar es Salaam',
  postcode: '11101',
  controlNumber: '770000000017',
};
const PAYLOAD =
  '00020101021226390014tz.go.bot.tips0105020010208447190385204599953038345405150005802TZ5909DEMO SHOP6013DAR ES SALAAM61051110162320112770000000017051277000000001763049BA4';

describe('a TANQR payload', () => {
  it('is built as the national scheme writes it', () => {
    assert.equal(buildTanqr(example), PAYLOAD);
    assert.equal(crc16(vectors.crc.check.input), vectors.crc.check.crc);
  });

  for (const vector of vectors.vectors)
    it(`is read: ${vector.name}`, () => {
      const read = parseTanqr(vector.payload);
      assert.ok('tanqr' in read, JSON.stringify(read));
      assert.deepEqual(read.tanqr.tags, vector.fields);
      assert.equal(read.tanqr.dynamic, vector.fields['01'] === '12');
      assert.equal(read.tanqr.amount, amountOf(vector.fields));
      assert.equal(read.tanqr.billNumber, (vector.fields['62'] as { '01'?: string })?.['01'] ?? null);
    });

  for (const vector of vectors.refuse)
    it(`is refused: ${vector.name}`, () => {
      assert.deepEqual(parseTanqr(vector.payload), { refused: vector.error });
    });

  it('is refused when any one character is changed', () => {
    for (const { payload } of vectors.vectors)
      for (let at = 0; at < payload.length; at += 1) {
        const changed = payload.slice(0, at) + (payload[at] === '0' ? '1' : '0') + payload.slice(at + 1);
        assert.ok('refused' in parseTanqr(changed), `${at}: ${changed}`);
      }
  });

  const account = '26390014tz.go.bot.tips01050200102084471903852';
  const open = PAYLOAD.slice(0, -4);
  const field: [what: string, text: string][] = [
    ['letters of its checksum in lower case', open + PAYLOAD.slice(-4).toLowerCase()],
    ['an amount with cents that are none', withCrc(open.slice(0, -4).replace('540515000', '540815000.00'))],
    ['its scheme in capitals', withCrc(open.slice(0, -4).replace('tz.go.bot.tips', 'TZ.GO.BOT.TIPS'))],
    [
      'another account before it',
      withCrc(open.slice(0, -4).replace(account, `26080004abcd27${account.slice(2)}`)),
    ],
    ["a scanner's line end", `${PAYLOAD}\r\n`],
  ];
  for (const [what, text] of field)
    it(`is read with ${what}`, () => {
      const read = parseTanqr(text);
      assert.ok('tanqr' in read, JSON.stringify(read));
      assert.deepEqual(
        [read.tanqr.amount, read.tanqr.billNumber, read.tanqr.dynamic],
        [1_500_000, '770000000017', true],
      );
    });

  it('is a static one without the tag that says so', () => {
    const read = parseTanqr(withCrc(open.slice(0, -4).replace('010212', '')));
    assert.ok('tanqr' in read && !read.tanqr.dynamic && read.tanqr.amount === 1_500_000);
  });

  it('is refused, never thrown at, whatever is scanned', () => {
    for (const text of ['', '0', '000201', '00020163041D3D', PAYLOAD.toLowerCase(), `${PAYLOAD} `])
      assert.ok('refused' in parseTanqr(text), text);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => 'refused' in parseTanqr(text)));
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9A-Z]{0,200}$/),
        (text) => 'refused' in parseTanqr(withCrc(`000201${text}`)),
      ),
    );
  });

  it('says why a code that is whole is not ours to pay', () => {
    const body = PAYLOAD.slice(0, -4);
    const changed = (from: string, to: string) => parseTanqr(withCrc(body.replace(from, to).slice(0, -4)));
    assert.deepEqual(changed('000201', '000202'), { refused: 'version' });
    assert.deepEqual(changed('010212', '010213'), { refused: 'initiation' });
    assert.deepEqual(changed('tz.go.bot.tips', 'tz.go.bot.tipz'), { refused: 'merchant' });
    assert.deepEqual(changed('540515000', '540515.50'), { refused: 'amount' });
    assert.deepEqual(changed('540515000', '540500000'), { refused: 'amount' });
    assert.deepEqual(changed('540515000', '5405x5000'), { refused: 'amount' });
    assert.deepEqual(changed('DEMO SHOP', 'DEMO\tSHOP'), { refused: 'characters' });
    assert.deepEqual(changed('05127700', '01127700'), { refused: 'duplicate_tag' });
    assert.deepEqual(changed('62320112', '62320199'), { refused: 'length' });
  });

  it('ends with its checksum, which covers everything before it', () => {
    const open = `${PAYLOAD.slice(0, -8)}6404`;
    assert.deepEqual(parseTanqr(open + crc16(open)), { refused: 'order' });
    assert.deepEqual(parseTanqr(PAYLOAD.replace('DEMO', 'DEMI')), { refused: 'checksum' });
  });

  it('keeps what it does not know: tags inside of templates, and as text everything else', () => {
    const body = PAYLOAD.slice(0, -8);
    const readWith = (tag: string, value: string) => {
      const read = parseTanqr(withCrc(`${body}${tag}${String(value.length).padStart(2, '0')}${value}`));
      assert.ok('tanqr' in read, JSON.stringify(read));
      return read.tanqr.tags[tag];
    };
    for (const template of ['27', '51', '64', '80', '99'])
      assert.deepEqual(readWith(template, '0003abc'), { '00': 'abc' }, template);
    for (const plain of ['02', '25', '65', '79']) assert.equal(readWith(plain, '0003abc'), '0003abc', plain);
    assert.equal(readWith('27', 'of another scheme'), 'of another scheme');
  });

  it('may have no name', () => {
    const read = parseTanqr(withCrc(PAYLOAD.slice(0, -8).replace('5909DEMO SHOP', '')));
    assert.equal('tanqr' in read && read.tanqr.merchantName, '');
  });

  it('is refused when a template is cut off anywhere but after a whole tag', () => {
    const before26 = PAYLOAD.indexOf('2639');
    const before62 = PAYLOAD.indexOf('6232');
    for (const [at, name, length] of [
      [before26, '26', 39],
      [before62, '62', 32],
    ] as const) {
      const inner = PAYLOAD.slice(at + 4, at + 4 + length);
      const wholeTags = endsOfTags(inner);
      assert.ok(wholeTags.length >= 2);
      for (let kept = 1; kept < length; kept += 1) {
        const cut = name + String(kept).padStart(2, '0') + inner.slice(0, kept);
        const body = PAYLOAD.slice(0, at) + cut + PAYLOAD.slice(at + 4 + length, -8);
        const read = parseTanqr(withCrc(body));
        if (wholeTags.includes(kept)) assert.ok('tanqr' in read, cut);
        else assert.deepEqual(read, { refused: 'length' }, cut);
      }
    }
  });

  it('carries any merchant, any control number and any whole amount there and back', () => {
    const request = fc.record({
      amount: fc.integer({ min: 1, max: 10_000_000_000 }).map((shillings) => minor(shillings * 100)),
      merchantName: fc.string({ unit: 'grapheme', maxLength: 80 }),
      city: fc.string({ unit: 'grapheme', maxLength: 40 }),
      controlNumber: fc.nat(999_999_999).map((serial) => makeControlNumber('77', serial)),
    });
    fc.assert(
      fc.property(request, (some) => {
        const read = parseTanqr(buildTanqr({ ...example, ...some }));
        assert.ok('tanqr' in read, JSON.stringify(read));
        assert.equal(read.tanqr.amount, some.amount);
        assert.equal(read.tanqr.billNumber, some.controlNumber);
        assert.match(read.tanqr.merchantName, /^[\x21-\x7e]([\x20-\x7e]{0,23}[\x21-\x7e])?$/);
        assert.match(String(read.tanqr.tags['60']), /^[\x21-\x7e]([\x20-\x7e]{0,13}[\x21-\x7e])?$/);
      }),
    );
  });

  it('has a name that every wallet can show', () => {
    assert.equal(safeText('Café  “Zanzibar” ☕ Ltd', 25), 'CAFE ZANZIBAR LTD');
    assert.equal(safeText('Mama Ntilie & Sons General Supplies', 25), 'MAMA NTILIE & SONS GENERA');
    assert.equal(safeText('Mama“Ntilie', 25), 'MAMA NTILIE');
    assert.equal(safeText(' Mama ', 25), 'MAMA');
    assert.equal(safeText('Mama Ntilie', 5), 'MAMA');
    assert.match(buildTanqr({ ...example, merchantName: 'محل' }), /5908MERCHANT60/);
  });

  it('has no cents, no zero and no field of a wrong length', () => {
    for (const wrong of [
      { amount: minor(150) },
      { amount: minor(0) },
      { acquirerId: '2001' },
      { acquirerId: '2001a' },
      { acquirerId: 'a2001' },
      { merchantId: '1234567890123456' },
      { categoryCode: '59' },
      { postcode: 'ABCDE' },
      { controlNumber: '' },
    ])
      assert.throws(() => buildTanqr({ ...example, ...wrong }), RangeError, JSON.stringify(wrong));
  });
});

function amountOf(fields: object): number | null {
  const amount = (fields as { '54'?: string })['54'];
  return amount === undefined ? null : Number(amount) * 100;
}

/** How many characters the first tag has, the first two, and so on. */
function endsOfTags(text: string): number[] {
  const ends: number[] = [];
  for (let at = 0; at < text.length; at = ends.at(-1) ?? 0)
    ends.push(at + 4 + Number(text.slice(at + 2, at + 4)));
  return ends;
}

function withCrc(body: string): string {
  return `${body}6304${crc16(`${body}6304`)}`;
}

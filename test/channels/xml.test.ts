import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  childOf,
  childText,
  escapeXml,
  parseXml,
  XML_BYTES_MAX,
  type XmlElement,
} from '../../src/channels/kit/xml.ts';
import { pick } from '../support/pick.ts';

type Named = { name: string; text: string; children: Named[] };
const namesOf = ({ name, text, children }: XmlElement): Named => ({
  name,
  text,
  children: children.map(namesOf),
});

const named = (document: string | Buffer) => [parseXml(document)].map((root) => root && namesOf(root))[0];

const GOOD = '<COMMAND><TYPE>REQMFCI</TYPE><TXNID>A1</TXNID></COMMAND>';

describe('small XML of networks', () => {
  it('is read as names without prefix, children and text', () => {
    const read = named(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
        '<s:Envelope xmlns:s="urn:s" a:id=\'1\' note="a > b">\n  <s:Body> <n>5</n> rest </s:Body>\n</s:Envelope>\n',
    );
    assert.deepEqual(read, {
      name: 'Envelope',
      text: '',
      children: [{ name: 'Body', text: 'rest', children: [{ name: 'n', children: [], text: '5' }] }],
    });
  });

  it('is read in the encoding that it declares: UTF-8, or one byte for each letter', () => {
    const named = (declaration: string, encoding: BufferEncoding) =>
      parseXml(Buffer.from(`${declaration}<COMMAND><SENDERNAME>JOSÉ</SENDERNAME></COMMAND>`, encoding));
    for (const name of ['ISO-8859-1', 'iso-8859-1']) {
      const declaration = `<?xml version='1.0' encoding='${name}'?>\n`;
      assert.equal(childText(named(declaration, 'latin1'), 'SENDERNAME'), 'JOSÉ');
    }
    assert.equal(childText(named('<?xml version="1.0" encoding="UTF-8"?>', 'utf8'), 'SENDERNAME'), 'JOSÉ');
    assert.equal(named('<?xml version="1.0" encoding="UTF-8"?>', 'latin1'), null);
    assert.equal(named('', 'latin1'), null);
  });

  it('is the same as bytes, with a byte order mark, comments and CDATA', () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(GOOD)]);
    assert.deepEqual(named(bytes), named(GOOD));
    const decorated = GOOD.replace('REQMFCI', '<![CDATA[REQ]]>MFCI').replace(
      '<TXNID>',
      '<!-- <x> & --><TXNID>',
    );
    assert.deepEqual(named(decorated), named(GOOD));
  });

  it('keeps numbers text: leading zeros and long numbers stay', () => {
    const read = parseXml('<a><b>00317</b><c>98765432109876543210</c><d>1e3</d></a>');
    assert.deepEqual(pick(read?.children ?? [], 'text'), ['00317', '98765432109876543210', '1e3']);
  });

  it('reads the five entities and character references once, never twice', () => {
    const read = parseXml(
      '<a b="&quot;&#x41;&quot;">&amp;lt; &lt;&gt;&apos; &#233; <![CDATA[&amp; <b>]]></a>',
    );
    assert.equal(read?.text, "&lt; <>' é &amp; <b>");
  });

  it('finds a child in upper and lower case, the first of several; null when empty or missing', () => {
    const read = parseXml('<r><ReferenceID>1</ReferenceID><REFERENCEID>2</REFERENCEID><none/></r>');
    assert.equal(childText(read, 'referenceid'), '1');
    assert.deepEqual(
      [childText(read, 'none'), childText(read, 'no'), childText(null, 'no')],
      [null, null, null],
    );
    assert.equal(childOf(read, 'NONE')?.name, 'none');
  });

  it('reads back what escapeXml wrote, whatever the text', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.trim());
    fc.assert(
      fc.property(texts, (text) => {
        const written = escapeXml(text);
        const read = parseXml(`<a b="${written}">${written}</a>`);
        const storable = text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
        assert.equal(read?.text, storable.trim());
      }),
    );
    assert.equal(escapeXml('a\0b\ud800c'), 'abc');
  });
});

describe('hostile XML', () => {
  const many = (count: number, one: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => one(index)).join('');
  const small = (attributes: string) => `<a ${attributes}><b>1</b></a>`;

  const hostile: Record<string, string | Buffer> = {
    'a comment that is none': GOOD.replace('<TXNID>', '<!-- a -- b --><TXNID>'),
    'the end of CDATA alone': GOOD.replace('A1', 'A1]]>'),
    'a document type': `<!DOCTYPE COMMAND>${GOOD}`,
    'an external entity': `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>${GOOD.replace('A1', '&x;')}`,
    'an entity bomb': `<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${GOOD}`,
    'an entity nobody declared': GOOD.replace('A1', '&nbsp;'),
    'a bare ampersand': GOOD.replace('A1', 'A&1'),
    'a reference to NUL': GOOD.replace('A1', '&#0;'),
    'a reference to half a character': GOOD.replace('A1', '&#xd800;'),
    'a reference beyond Unicode': GOOD.replace('A1', '&#xffffff;'),
    'a NUL': GOOD.replace('A1', '\0'),
    'a processing instruction': `<?php evil ?>${GOOD}`,
    'a second declaration': `<?xml version="1.0"?><?xml version="1.0"?>${GOOD}`,
    'another encoding': `<?xml version="1.0" encoding="UTF-7"?>${GOOD}`,
    'bytes that are not UTF-8': Buffer.concat([Buffer.from(GOOD), Buffer.from([0xff])]),
    'a comment without an end': `${GOOD}<!-- `,
    'CDATA without an end': GOOD.replace('A1', '<![CDATA[A1'),
    'two documents': GOOD + GOOD,
    'text after the document': `${GOOD}text`,
    'a tag without an end': GOOD.replace('</TXNID>', ''),
    'a tag closed by another': GOOD.replace('</TXNID>', '</TXN>'),
    'more ends than beginnings': `</x>${GOOD}`,
    'an attribute without quotes': '<a b=1/>',
    'an attribute twice': '<a b="1" b="2"/>',
    'a tag in an attribute': '<a b="<c>"/>',
    '17 namespaces': small(many(17, (i) => `xmlns:n${i}="urn:${i}" `)),
    '17 namespaces in as many elements': `<r>${many(17, (i) => `<a xmlns="urn:${i}"/>`)}</r>`,
    '10,000 namespaces': small(many(10_000, (i) => `xmlns:n${i}="u" `)),
    '2,000 namespaces within the size': small(many(2_000, (i) => `xmlns:n${i}="" `)),
    '101 attributes': small(many(101, (i) => `b${i}="" `)),
    '21 levels': `${'<a>'.repeat(21)}${'</a>'.repeat(21)}`,
    '21 levels, the last one empty': `${'<a>'.repeat(20)}<a/>${'</a>'.repeat(20)}`,
    '10,000 levels that nobody closes': '<a>'.repeat(10_000),
    '1,001 elements': `<r>${'<a/>'.repeat(1_000)}</r>`,
    'one byte too many': `<a>${'x'.repeat(XML_BYTES_MAX - 6)}</a>`,
    '1 MB': `<a>${'x'.repeat(1024 * 1024)}</a>`,
    'letters of several bytes beyond the size': `<a>${'é'.repeat(XML_BYTES_MAX / 2)}</a>`,
    'a tag of spaces': `<a${' '.repeat(30_000)}`,
    'quotes without end': `<a b="${"'".repeat(30_000)}`,
    'a long name and no end': `<a ${'b'.repeat(30_000)}`,
    'an opening sign 30,000 times': '<'.repeat(30_000),
    JSON: '{"TYPE":"REQMFCI"}',
    nothing: '',
    'a sentence': 'Internal service error occurred. Please try again',
    HTML: '<html><br><body>Bad gateway</html>',
  };

  for (const [what, document] of Object.entries(hostile))
    it(`is not read when it has ${what}`, () => assert.equal(parseXml(document), null));

  it('is read up to the limits, so that they and nothing else refuse', () => {
    const limits = [
      small(many(16, (i) => `xmlns:n${i}="urn:${i}" `)),
      small(many(100, (i) => `b${i}="" `)),
      `${'<a>'.repeat(20)}${'</a>'.repeat(20)}`,
      `<r>${'<a/>'.repeat(999)}</r>`,
      `<a>${'x'.repeat(XML_BYTES_MAX - 7)}</a>`,
    ];
    for (const document of limits) assert.ok(parseXml(document), document.slice(0, 60));
  });

  it('poisons no object by its names', () => {
    const read = parseXml('<__proto__ constructor="1"><polluted>yes</polluted></__proto__>');
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.ok(read === null || Object.getPrototypeOf(read) === Object.prototype);
  });

  it('never throws, whatever is inserted', () => {
    fc.assert(
      fc.property(fc.nat(GOOD.length), fc.string({ maxLength: 12 }), (at, insertion) => {
        parseXml(GOOD.slice(0, at) + insertion + GOOD.slice(at));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        parseXml(Buffer.from(bytes));
      }),
    );
  });
});

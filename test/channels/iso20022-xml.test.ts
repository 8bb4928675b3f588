import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readStatusReports } from '../../src/channels/iso20022/wire.ts';
import { parseXml } from '../../src/channels/kit/xml.ts';
import { money, statusReport } from './iso20022/scripted-bank.ts';

describe('XML from strangers', () => {
  const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10';
  const good = statusReport({ status: 'ACSC', money });
  const read = (xml: string) => readStatusReports(Buffer.from(xml))?.[0] ?? null;

  it('is read when it is a pain.002, with a prefix, comments and unknown elements too', () => {
    const prefixed = good
      .replace(/<(\/?)(?=[A-Z])/g, '<$1p:')
      .replace('xmlns=', 'xmlns:p=')
      .replace('<p:CstmrPmtStsRpt>', '<!-- hello --><p:CstmrPmtStsRpt><p:New><p:Deep>1</p:Deep></p:New>');
    assert.deepEqual(read(prefixed), read(good));
    assert.equal(read(prefixed)?.status, 'ACSC');
  });

  it('does not believe elements of another namespace', () => {
    const forged = good
      .replace('<TxSts>ACSC', '<x:TxSts xmlns:x="urn:other">ACSC')
      .replace('ACSC</TxSts>', 'ACSC</x:TxSts>');
    assert.notEqual(forged, good);
    assert.equal(read(forged), null);
  });

  /** What only a strict reader refuses; xml.test.ts has what nobody reads. */
  const hostile: Record<string, string> = {
    'a document type': good.replace('<Document', '<!DOCTYPE Document><Document'),
    CDATA: good.replace('BKREF1', '<![CDATA[BKREF1]]>'),
    'another message in the namespace': good.replace('pain.002', 'pain.001'),
    'a namespace that only begins like ours': good.replace('pain.002.001.10', 'pain.002.001.10.evil'),
    'no namespace': good.replace(` xmlns="${NAMESPACE}"`, ''),
    'a prefix that nobody declared': good.replace('<GrpHdr>', '<x:New>1</x:New><GrpHdr>'),
    'an attribute with a prefix that nobody declared': good.replace('<GrpHdr>', '<GrpHdr x:a="1">'),
    'half a document': good.slice(0, good.length / 2),
  };
  for (const [what, body] of Object.entries(hostile)) {
    it(`is not read when it has ${what}`, () => {
      assert.notEqual(body, good, 'it must differ from the good one');
      assert.equal(read(body), null);
    });
  }

  it('is read with a name that is every object’s, which is an element like others', () => {
    const poisonous = good.replace('<GrpHdr>', '<__proto__ a="1"><a>1</a></__proto__><GrpHdr __proto__="2">');
    assert.deepEqual(read(poisonous), read(good));
    assert.equal(({} as Record<string, unknown>).a, undefined);
  });

  it('has its character references read, in texts and attributes, and spaces around these left out', () => {
    const written = good.replace('BKREF1', ' &#66;KREF&#x31; ').replace('Ccy="TZS"', 'Ccy=" &#84;ZS "');
    assert.notEqual(written, good);
    assert.deepEqual(read(written), read(good));
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        parseXml(bytes, { isStrict: true });
      }),
    );
    fc.assert(
      fc.property(fc.nat(good.length), fc.string({ maxLength: 12 }), (at, insertion) => {
        read(good.slice(0, at) + insertion + good.slice(at));
      }),
    );
  });
});

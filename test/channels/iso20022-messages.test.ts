// tests: slow
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { validateXML } from 'xmllint-wasm';
import { carriesName, toAllowedText } from '../../src/channels/iso20022/text.ts';
import {
  readPaymentInitiation,
  readPaymentReturn,
  readStatusReports,
  readVerificationReport,
  readVerificationRequest,
  writePaymentInitiation,
  writePaymentReturn,
  writeStatusReport,
  writeVerificationReport,
  writeVerificationRequest,
} from '../../src/channels/iso20022/wire.ts';
import { minor } from '../../src/domain/money.ts';

const createdAt = new Date('2025-01-01T22:30:00.123Z');
const reference = 'POABCDEFGHJKMNPQRS';

const payment = {
  messageId: `${reference}-1`,
  createdAt,
  executionDate: '2025-01-02',
  reference,
  amount: minor(5_000_000),
  currency: 'TZS',
  debtor: { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' },
  creditor: { name: "Asha O'Juma", account: '0150000000000', bic: 'NMIBTZTZ' },
  remittance: 'Salary January',
};
const status = {
  createdAt,
  messageId: 'BK1',
  originalMessageId: `${reference}-1`,
  groupStatus: null,
  reference,
  status: 'ACSC',
  reasons: [],
  bankReference: 'BKREF1',
  money: { amount: minor(5_000_050), currency: 'TZS' },
};
const refusal = {
  ...status,
  groupStatus: 'RJCT',
  reference: null,
  status: null,
  reasons: ['FF01'],
  money: null,
};
const returned = {
  createdAt,
  messageId: 'BK2',
  returnId: 'RBK1',
  reference,
  amount: minor(5_000_000),
  currency: 'TZS',
  reason: 'AC04',
};
const request = {
  createdAt,
  messageId: 'V1',
  accountNumber: '0150000000000',
  bic: 'NMIBTZTZ',
  assigner: 'MALIPO',
};
const report = {
  createdAt,
  messageId: 'BK3',
  originalId: 'V1',
  bic: 'NMIBTZTZ',
  verified: true,
  reason: null,
  fullName: 'ASHA JUMA',
};

const GOLDEN = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
<GrpHdr><MsgId>${reference}-1</MsgId><CreDtTm>2025-01-01T22:30:00Z</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>50000.00</CtrlSum><InitgPty><Nm>MALIPO</Nm></InitgPty></GrpHdr>
<PmtInf><PmtInfId>${reference}</PmtInfId><PmtMtd>TRF</PmtMtd><PmtTpInf><SvcLvl><Prtry>ACH</Prtry></SvcLvl></PmtTpInf><ReqdExctnDt><Dt>2025-01-02</Dt></ReqdExctnDt>
<Dbtr><Nm>MALIPO</Nm></Dbtr><DbtrAcct><Id><Othr><Id>0100000000001</Id></Othr></Id></DbtrAcct><DbtrAgt><FinInstnId><BICFI>CORUTZTZ</BICFI></FinInstnId></DbtrAgt><ChrgBr>SLEV</ChrgBr>
<CdtTrfTxInf><PmtId><InstrId>${reference}</InstrId><EndToEndId>${reference}</EndToEndId></PmtId><Amt><InstdAmt Ccy="TZS">50000.00</InstdAmt></Amt>
<CdtrAgt><FinInstnId><BICFI>NMIBTZTZ</BICFI></FinInstnId></CdtrAgt><Cdtr><Nm>Asha O&apos;Juma</Nm></Cdtr><CdtrAcct><Id><Othr><Id>0150000000000</Id></Othr></Id></CdtrAcct>
<RmtInf><Ustrd>Salary January</Ustrd></RmtInf></CdtTrfTxInf></PmtInf></CstmrCdtTrfInitn></Document>`;

const withoutLineEnds = (xml: string) => xml.replaceAll('\n', '');
const schemaFile = (name: string) => new URL(`./iso20022/${name}.xsd`, import.meta.url);

async function assertValid(xml: string, schema: URL | string): Promise<void> {
  const { valid, errors } = await validateXML({ xml, schema: readFileSync(schema, 'utf8') });
  assert.ok(valid, errors.map((error) => error.message).join('\n'));
}

async function assertInvalid(xml: string, schema: URL | string): Promise<void> {
  const { valid } = await validateXML({ xml, schema: readFileSync(schema, 'utf8') });
  assert.equal(valid, false);
}

describe('ISO 20022 messages', () => {
  it('writes a pain.001 element by element as the standard orders them', () => {
    assert.equal(withoutLineEnds(writePaymentInitiation(payment)), withoutLineEnds(GOLDEN));
  });

  for (const [name, xml] of Object.entries({
    'pain.001.001.09': writePaymentInitiation(payment),
    'pain.002.001.10': writeStatusReport(status),
    'pacs.004.001.09': writePaymentReturn(returned),
    'acmt.023.001.02': writeVerificationRequest(request),
    'acmt.024.001.02': writeVerificationReport(report),
  })) {
    it(`writes a ${name} that the schema accepts`, () => assertValid(xml, schemaFile(name)));
  }

  it('writes refusals and negative answers that the schemas accept', async () => {
    await assertValid(writeStatusReport(refusal), schemaFile('pain.002.001.10'));
    const rejected = { ...status, status: 'RJCT', reasons: ['AC01'], money: null };
    await assertValid(writeStatusReport(rejected), schemaFile('pain.002.001.10'));
    const missing = { ...report, verified: false, reason: 'AC01', fullName: null };
    await assertValid(writeVerificationReport(missing), schemaFile('acmt.024.001.02'));
  });

  it('has schemas that notice a wrong order and a third letter behind the currency', async () => {
    const wrongOrder = GOLDEN.replace(/(<CdtrAgt>.*<\/CdtrAgt>)(<Cdtr>.*?<\/Cdtr>)/, '$2$1');
    assert.notEqual(wrongOrder, GOLDEN);
    await assertInvalid(wrongOrder, schemaFile('pain.001.001.09'));
    await assertInvalid(GOLDEN.replace('Ccy="TZS"', 'Ccy="TZSS"'), schemaFile('pain.001.001.09'));
  });

  const cache =
    process.env.MALIPO_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'malipo');
  const official = join(cache, 'iso20022', 'pain.001.001.09.xsd');
  // scripts/prepare-iso20022-schema.ts brings it, where Python and a network are.
  if (existsSync(official)) {
    it("writes a pain.001 that the standard's own schema accepts", async () => {
      await assertValid(writePaymentInitiation(payment), official);
      await assertValid(writePaymentInitiation({ ...payment, remittance: '' }), official);
      await assertInvalid(GOLDEN.replace('<ChrgBr>SLEV</ChrgBr>', '').replace('TRF', 'XXX'), official);
    });
  }

  it('reads back what it wrote, amounts to the cent', () => {
    const bytes = (xml: string) => Buffer.from(xml);
    const { createdAt: _, ...plainStatus } = status;
    const read = { ...plainStatus, clearingReference: null };
    assert.deepEqual(readStatusReports(bytes(writeStatusReport(status))), [read]);
    assert.deepEqual(readPaymentReturn(bytes(writePaymentReturn(returned))), {
      returnId: 'RBK1',
      reference,
      reason: 'AC04',
      amount: 5_000_000,
      currency: 'TZS',
    });
    assert.deepEqual(readVerificationRequest(bytes(writeVerificationRequest(request))), {
      messageId: 'V1',
      accountNumber: '0150000000000',
      bic: 'NMIBTZTZ',
    });
    assert.equal(readVerificationReport(bytes(writeVerificationReport(report)))?.fullName, 'ASHA JUMA');
    assert.deepEqual(readPaymentInitiation(bytes(writePaymentInitiation(payment))), {
      messageId: `${reference}-1`,
      reference,
      amount: 5_000_000,
      currency: 'TZS',
      creditorAccount: '0150000000000',
      creditorBic: 'NMIBTZTZ',
      creditorName: "Asha O'Juma",
    });
  });

  it('reads no message of two transfers', () => {
    const xml = writePaymentInitiation(payment).toString();
    const twice = xml.replace(/<CdtTrfTxInf>.*<\/CdtTrfTxInf>/s, '$&$&');
    assert.notEqual(twice, xml);
    assert.equal(readPaymentInitiation(Buffer.from(twice)), null);
  });

  it('keeps account numbers as text, leading zeros, exponents and all', () => {
    for (const account of ['0012345', '1E5000', '0X1F23', '12345678901234567890123456789']) {
      const xml = writePaymentInitiation({ ...payment, creditor: { ...payment.creditor, account } });
      assert.equal(readPaymentInitiation(Buffer.from(xml))?.creditorAccount, account);
    }
  });
});

describe('letters that clearing systems pass on', () => {
  it('drops accents and replaces what has a neighbour', () => {
    assert.equal(
      toAllowedText('Zoë Łukasz “Ñandú” & Söhne – Straße_1'),
      "Zoe Lukasz 'Nandu' + Sohne - Strasse-1",
    );
  });

  it('never sends an empty name', () => {
    assert.ok(!carriesName('世界') && !carriesName('محمد علي') && carriesName('Łukasz 世'));
  });

  it('gives allowed letters only, at most 140, from any text, and leaves allowed text alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const allowed = toAllowedText(text);
        assert.match(allowed, /^[a-zA-Z0-9/\-?:().,'+ ]{0,140}$/);
        assert.equal(toAllowedText(allowed), allowed);
      }),
    );
  });
});

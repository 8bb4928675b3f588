import assert from 'node:assert/strict';
import { neverSent } from '../../src/channels/kit/about.ts';
import { signAnswer } from '../../src/channels/kit/signature.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { EnquiryResult, SendResult } from '../../src/domain/channel.ts';
import { type Served, serve } from '../support/served.ts';
import { channelOf, isLogin, login, order, secret, wallet } from './accounts.ts';

/** What a network says of our payout of TZS 1,500: each is written as its protocol has it. */
type Said = {
  reference: string;
  amount: string;
  status: string;
  receipt: string | number;
  sentence: string;
  yes: unknown;
};
const plain = { reference: order.reference, amount: '1500', receipt: 'R1234567', sentence: 'm', yes: true };

type Wire = {
  /** its word for a success */
  status: string;
  write(said: Said, path: string): string;
  /** forms that it has no place for, with the reason */
  lacks: Partial<Record<string, string>>;
  xml?: true;
};

const xmlOf = (texts: Record<string, unknown>) =>
  `<?xml version="1.0" encoding="UTF-8"?><COMMAND>${Object.entries(texts)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('')}</COMMAND>`;

const NO_FLAG = { 'a flag as text': 'has no flag', 'a flag as 1': 'has no flag' };
const NO_AMOUNT = { thousands: 'names no amount', 'a currency': 'names no amount' };
const IN_XML = { 'a number for a receipt': 'XML has no numbers', 'JSON in a string': 'is XML' };

const wires: Record<string, Wire> = {
  'gsma-mm-1.2': {
    status: 'completed',
    lacks: NO_FLAG,
    write: ({ reference, amount, status, receipt, sentence }, path) =>
      JSON.stringify(
        path.startsWith('/responses')
          ? { link: '/transactions/T1' }
          : {
              transactionReference: receipt,
              type: 'disbursement',
              currency: 'TZS',
              amount,
              transactionStatus: status,
              descriptionText: sentence,
              requestingOrganisationTransactionReference: reference,
            },
      ),
  },
  'vodacom-openapi': {
    status: 'Completed',
    lacks: { ...NO_AMOUNT, 'our reference in lower case': 'an enquiry names its own' },
    write: ({ status, receipt, sentence, yes }) =>
      JSON.stringify({
        output_ResponseCode: 'INS-0',
        output_ResponseDesc: sentence,
        output_Reversed: yes,
        output_ResponseTransactionStatus: status,
        output_OriginalTransactionID: receipt,
      }),
  },
  'airtel-openapi': {
    status: 'TS',
    lacks: {},
    write: ({ reference, amount, status, receipt, sentence, yes }) =>
      JSON.stringify({
        data: {
          transaction: {
            id: reference,
            status,
            airtel_money_id: receipt,
            message: amount === 'TZS 1500' ? `Paid ${amount} ${sentence}` : `Paid TZS ${amount} ${sentence}`,
          },
        },
        status: { success: yes, result_code: 'ESB000010' },
      }),
  },
  mixx: {
    status: 'Posted',
    lacks: { ...NO_FLAG, ...IN_XML },
    xml: true,
    write: ({ reference, amount, status, receipt, sentence }) =>
      xmlOf({
        RESULTCODE: '0',
        EXTERNALREFID: reference,
        TXNID: receipt,
        TXNSTATUS: status,
        AMOUNT: amount,
        RESULTDESC: sentence,
      }),
  },
  selcom: {
    status: 'SUCCESS',
    lacks: { ...NO_FLAG, ...NO_AMOUNT },
    write: ({ reference, status, receipt, sentence }) =>
      JSON.stringify({
        resultcode: '000',
        result: status,
        transid: reference,
        reference: receipt,
        message: sentence,
      }),
  },
  clickpesa: {
    status: 'SUCCESS',
    lacks: NO_FLAG,
    write: ({ reference, amount, status, receipt, sentence }) =>
      JSON.stringify([
        {
          id: 'X',
          paymentReference: receipt,
          orderReference: reference,
          status,
          notes: sentence,
          order: { amount, currency: 'TZS' },
        },
      ]),
  },
  iso20022: {
    status: 'ACSC',
    lacks: { ...NO_FLAG, ...IN_XML },
    xml: true,
    write: ({ reference, amount, status, receipt, sentence }) =>
      `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-28T12:00:00Z</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${reference}-1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>P1</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>${reference}</OrgnlEndToEndId><TxSts>${status}</TxSts><StsRsnInf><AddtlInf>${sentence}</AddtlInf></StsRsnInf><AcctSvcrRef>${receipt}</AcctSvcrRef><OrgnlTxRef><Amt><InstdAmt Ccy="TZS">${amount}</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`,
  },
};

/** `unknown`: the protocols that do not read this form, and so know nothing. Everybody else reads it as the plain one. */
type Form = {
  said?: Partial<Said>;
  of?: (said: Said) => Partial<Said>;
  body?: (body: string) => string | Buffer;
  onlyXml?: true;
  unknown?: string[];
};
const everybody = Object.keys(wires);
const declared = (encoding: string) => (body: string) => body.replace('UTF-8', encoding);

const forms: Record<string, Form> = {
  'our reference in lower case': { of: ({ reference }) => ({ reference: ` ${reference.toLowerCase()} ` }) },
  'a state in lower case': { of: ({ status }) => ({ status: status.toLowerCase() }) },
  'a state in capitals, between spaces': { of: ({ status }) => ({ status: ` ${status.toUpperCase()} ` }) },
  thousands: { said: { amount: '1,500' }, unknown: ['iso20022'] },
  'a currency': { said: { amount: 'TZS 1500' }, unknown: ['iso20022'] },
  'a number for a receipt': { said: { receipt: 7_654_321 } },
  'a number that has lost digits': {
    said: { receipt: 12_345_678_901_234_567_000 },
    unknown: everybody.filter((name) => !wires[name]?.xml),
  },
  'a sentence of 5,000 characters': { said: { sentence: 'x'.repeat(5_000) } },
  'a flag as text': { said: { yes: 'true' } },
  'a flag as 1': { said: { yes: 1 } },
  'JSON in a string': { body: (body) => JSON.stringify(body), unknown: everybody },
  'UTF-16 said of UTF-8': { body: declared('UTF-16'), onlyXml: true },
  'UTF-16 that is': {
    body: (body) => Buffer.from(`\uFEFF${declared('utf-16')(body)}`, 'utf16le'),
    onlyXml: true,
  },
  'UTF8 without its dash': { body: declared('UTF8'), onlyXml: true },
  'windows-1252': { body: declared('windows-1252'), onlyXml: true },
  'a style sheet': {
    body: (body) => body.replace('?>', '?>\n<?xml-stylesheet type="text/xsl" href="a.xsl"?>'),
    onlyXml: true,
  },
};

describe('the same answer in another form', () => {
  let server: Served;
  let answer: (path: string) => string | Buffer = () => '';
  before(async () => {
    server = await serve((request, response) => {
      const path = request.url ?? '';
      if (isLogin(path)) return response.end(login);
      const body = answer(path);
      const signed = {
        method: request.method ?? '',
        path,
        status: 200,
        request: String(request.headers['x-signature']),
        body,
      };
      response.setHeader('x-signature', signAnswer(signed, { secrets: [secret], now: new Date() }));
      response.end(body);
    });
  });
  after(() => server.close());

  const question = { ...order, direction: 'payout', channelReference: null } as const;
  const enquire = (name: string) => channelOf(server.url, name).enquire(question, { timeoutMs: 5_000 });
  const shown = (result: EnquiryResult | SendResult | undefined) =>
    result?.kind === 'succeeded' ? { ...result, channelReference: null, alsoKnownAs: [] } : result;

  it('is asked of every protocol that can be asked', () => {
    const asked = protocols
      .filter(({ answersAbout }) => answersAbout.enquiry === 'named')
      .map(({ name }) => name);
    assert.deepEqual(everybody.toSorted(), asked.toSorted());
  });

  for (const [name, { status, write, lacks, xml }] of Object.entries(wires))
    for (const [what, { said = {}, of, body = String, onlyXml, unknown = [] }] of Object.entries(forms)) {
      if (lacks[what] !== undefined || (onlyXml && !xml)) continue;
      const isUnknown = unknown.includes(name);
      it(`is ${isUnknown ? 'unknown' : 'read'} by ${name}: ${what}`, async () => {
        // A payout that M-Pesa calls reversed is for a person.
        const base = { ...plain, status, ...(name === 'vodacom-openapi' ? { yes: false } : {}) };
        answer = (path) => write(base, path);
        const first = await enquire(name);
        assert.equal(first.kind, 'succeeded', JSON.stringify(first));
        const other = { ...base, ...said, ...of?.(base) };
        if (name === 'vodacom-openapi' && said.yes !== undefined) other.yes = said.yes === 1 ? 0 : 'False';
        answer = (path) => body(write(other, path));
        const again = await enquire(name);
        if (!isUnknown) return assert.deepEqual(shown(again), shown(first));
        assert.equal(again.kind, 'unknown');
        assert.match('detail' in again ? again.detail : '', /\w/, 'the log has the reason');
      });
    }

  it('is no amount where the sentence that names it is cut within it', async () => {
    const cut = `${'x'.repeat(502)}\nAmt TZS 15,000\n`;
    assert.equal(cut.slice(0, 512).endsWith('Amt TZS 1'), true);
    answer = () =>
      JSON.stringify({ resultcode: '000', result: 'SUCCESS', transid: order.reference, message: cut });
    const pushed = { ...question, direction: 'collection' } as const;
    const result = await channelOf(server.url, 'selcom').enquire(pushed, { timeoutMs: 5_000 });
    assert.deepEqual(
      [result.kind, 'detail' in result && result.detail],
      ['unknown', 'a success that does not say how much'],
    );
  });

  it('is accepted by HaloPesa and Mixx as its network writes it', async () => {
    const pushed = (name: string) =>
      channelOf(server.url, name).requestPush?.({ ...order, party: wallet }, { timeoutMs: 5_000 });
    for (const encoding of ['UTF-16', 'UTF8', 'windows-1252', 'utf-8"?><?xml-stylesheet href="a'])
      for (const reference of [order.reference, ` ${order.reference.toLowerCase()} `]) {
        answer = () =>
          `<?xml version="1.0" encoding="${encoding}"?><S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><HaloPesaServiceAPIResponse><return><response_code> 0 </response_code><message>${'x'.repeat(5_000)}</message><referenceid>${reference}</referenceid></return></HaloPesaServiceAPIResponse></S:Body></S:Envelope>`;
        assert.equal((await pushed('halopesa'))?.kind, 'accepted', encoding);
      }
    for (const ResponseStatus of [true, 'True', ' TRUE ', 1, '1']) {
      answer = () =>
        JSON.stringify({
          ResponseCode: ' BILLER-18-0000-S ',
          ResponseStatus,
          ResponseDescription: 'x'.repeat(5_000),
        });
      assert.equal((await pushed('mixx'))?.kind, 'accepted', String(ResponseStatus));
    }
    assert.notEqual(protocols.find(({ name }) => name === 'halopesa')?.answersAbout.push, neverSent);
  });
});

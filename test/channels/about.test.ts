import assert from 'node:assert/strict';
import * as airtel from '../../src/channels/airtel-openapi/translate.ts';
import * as clickpesa from '../../src/channels/clickpesa/translate.ts';
import { translateNotification } from '../../src/channels/gsma/notification.ts';
import * as gsma from '../../src/channels/gsma/translate.ts';
import * as halopesa from '../../src/channels/halopesa/translate.ts';
import { writeReturn } from '../../src/channels/halopesa/wire.ts';
import * as iso from '../../src/channels/iso20022/translate.ts';
import type { AnswersAbout } from '../../src/channels/kit/about.ts';
import type { HttpResult } from '../../src/channels/kit/http.ts';
import * as mixx from '../../src/channels/mixx/translate.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { SelcomClient } from '../../src/channels/selcom/client.ts';
import { createPushUssd } from '../../src/channels/selcom/collect.ts';
import { createPayouts } from '../../src/channels/selcom/payout.ts';
import type { SelcomSettings } from '../../src/channels/selcom/settings.ts';
import * as vodacom from '../../src/channels/vodacom-openapi/translate.ts';
import type { EnquiryResult, PayoutOrder, PushOrder, SendResult } from '../../src/domain/channel.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';

const OURS = 'PY0000000000000001';
const ANOTHERS = 'PY0000000000000002';
const ID = '00000000-0000-4000-8000-000000000001';
const CALL = { timeoutMs: 1_000 };
const money = { amount: minor(1_500_000), currency: 'TZS' };
const order = { transactionId: OURS, reference: OURS, description: '', ...money, sendNumber: 1 };

const http = (body: string): HttpResult => ({
  kind: 'answer',
  status: 200,
  headers: {},
  body: Buffer.from(body),
});
const json = (body: object) => http(JSON.stringify(body));

type Read = (
  named: string,
  says: 'yes' | 'no',
) => SendResult | EnquiryResult | Promise<SendResult | EnquiryResult>;

const airtelAnswer = (named: string, code: string, status: string) =>
  json({
    data: { transaction: { id: named, status, airtel_money_id: 'MP1', message: 'Paid TZS 15,000' } },
    status: { code: '200', result_code: 'ESB000010', response_code: code, success: true },
  });
const reading = { payoutBarred: 'sender', fieldErrorIsFinal: false } as const;
const airtelSend =
  (direction: Direction, yes: string, no: string): Read =>
  (named, says) =>
    airtel.sendResultOf(
      airtelAnswer(named, says === 'yes' ? yes : no, says === 'yes' ? 'TS' : 'TF'),
      { reference: OURS, direction, ...money },
      reading,
    );

const conversation = (named: string, more: object) => ({
  kind: 'read' as const,
  status: 200,
  json: { output_ThirdPartyConversationID: named, output_TransactionID: 'T1', ...more },
});
const vodacomSend =
  (direction: Direction): Read =>
  (named, says) =>
    vodacom.sendResultOf(
      conversation(named, { output_ResponseCode: says === 'yes' ? 'INS-0' : 'INS-2006' }),
      'synchronous',
      { conversationId: OURS, direction, ...money },
    );

const command = (texts: Record<string, string>) =>
  http(
    `<COMMAND>${Object.entries(texts)
      .map(([name, text]) => `<${name}>${text}</${name}>`)
      .join('')}</COMMAND>`,
  );

const selcomSettings = {
  notFoundCodes: [],
  duplicateCodes: [],
  unclearCodes: [],
  utilityCodes: {},
  namelessCodes: [],
  bankCodes: {},
  vendor: 'V',
  floatPin: '1',
  currency: 'TZS',
  pushStatusBy: 'transid',
} as unknown as SelcomSettings;
const selcomClient = (named: string, says: 'yes' | 'no') => {
  const [resultcode, result] = says === 'yes' ? ['000', 'SUCCESS'] : ['010', 'FAIL'];
  const message = 'Paid\nAmt TZS 15,000\n';
  const answer = async () => ({
    kind: 'envelope',
    status: 200,
    envelope: { resultcode, result, transid: named, reference: 'R1', message },
  });
  return { post: answer, get: answer } as unknown as SelcomClient;
};
const question = { ...order, direction: 'payout' as const, channelReference: null };

const report = (named: string, says: 'yes' | 'no') => ({
  messageId: 'M',
  originalMessageId: 'X',
  groupStatus: null,
  reference: named,
  bankReference: 'B1',
  status: says === 'yes' ? 'ACSC' : 'RJCT',
  reasons: says === 'yes' ? [] : ['AC01'],
  money,
});

const clickpesaRow = (named: string, says: 'yes' | 'no') => ({
  orderReference: named,
  status: says === 'yes' ? 'SUCCESS' : 'FAILED',
  collectedAmount: '15000',
  collectedCurrency: 'TZS',
  order: { amount: '15000' },
});
const clickpesaAsked = (direction: Direction) => ({ reference: OURS, direction, currency: 'TZS' });
const clickpesaSend =
  (direction: Direction): Read =>
  (named, says) =>
    clickpesa.sendResultOf(
      { kind: 'json', status: 200, json: clickpesaRow(named, says) },
      clickpesaAsked(direction),
    );

const wallet = { kind: 'wallet', msisdn: '255754123456' } as const;
const reads: Record<string, Partial<Record<keyof AnswersAbout, Read>>> = {
  'airtel-openapi': {
    push: airtelSend('collection', 'DP00800001001', 'DP00800001005'),
    payout: airtelSend('payout', 'DP00900001001', 'DP00900001007'),
    enquiry: (named, says) =>
      airtel.enquiryResultOf(airtelAnswer(named, '', says === 'yes' ? 'TS' : 'TF'), question, reading),
  },
  'vodacom-openapi': {
    push: vodacomSend('collection'),
    payout: vodacomSend('payout'),
    enquiry: (named, says) =>
      vodacom.enquiryResultOf(
        conversation(named, {
          output_ResponseCode: 'INS-0',
          output_ResponseTransactionStatus: says === 'yes' ? 'Completed' : 'Cancelled',
        }),
        OURS,
        { direction: 'payout', notFoundCodes: [], ...money },
      ),
  },
  clickpesa: {
    push: clickpesaSend('collection'),
    payout: clickpesaSend('payout'),
    enquiry: (named, says) =>
      clickpesa.enquiryResultOf(
        { kind: 'json', status: 200, json: [clickpesaRow(named, says)] },
        clickpesaAsked('payout'),
      ),
  },
  mixx: {
    push: (named, says) =>
      mixx.pushResultOf(
        json({
          ReferenceID: named,
          ResponseCode: says === 'yes' ? 'BILLER-18-0000-S' : 'BILLER-18-3020-E',
          ResponseStatus: says === 'yes',
          ResponseDescription: '',
        }),
        OURS,
      ),
    payout: (named, says) =>
      mixx.payoutResultOf(
        command({ REFERENCEID: named, TXNID: 'T', TXNSTATUS: says === 'yes' ? '200' : '60017' }),
        OURS,
      ),
    enquiry: (named, says) =>
      mixx.statusOf(
        command({
          RESULTCODE: '0',
          EXTERNALREFID: named,
          TXNID: 'T',
          TXNSTATUS: says === 'yes' ? 'Posted' : 'Declined',
          AMOUNT: '15000',
        }),
        { reference: OURS, direction: 'payout', notFoundCodes: [] },
      ),
  },
  halopesa: {
    push: (named, says) =>
      halopesa.pushResultOf(
        http(
          writeReturn([
            ['response_code', says === 'yes' ? '0' : '9009'],
            ['message', 'm'],
            ['referenceid', named],
          ]),
        ),
        OURS,
      ),
  },
  selcom: {
    push: (named, says) =>
      createPushUssd({ client: selcomClient(named, says), settings: selcomSettings, publicUrl: '' }).push(
        { ...order, party: wallet } as PushOrder,
        CALL,
      ),
    payout: (named, says) =>
      createPayouts({ client: selcomClient(named, says), settings: selcomSettings, network: 'm-pesa' }).send(
        { ...order, party: wallet } as PayoutOrder,
        CALL,
      ),
    enquiry: (named, says) =>
      createPayouts({
        client: selcomClient(named, says),
        settings: selcomSettings,
        network: 'm-pesa',
      }).enquire(question, CALL),
  },
  iso20022: {
    payout: (named, says) =>
      iso.sendResultOf(report(named, says), { reference: OURS, messageId: 'X', sendNumber: 1 }),
    enquiry: (named, says) =>
      iso.enquiryResultOf(report(named, says), { reference: OURS }, { isConfirmed: () => true }),
  },
  'gsma-mm-1.2': {
    notification: (named, says) => {
      const transaction = {
        transactionReference: 'T1',
        type: 'disbursement',
        amount: '15000',
        currency: 'TZS',
        transactionStatus: says === 'yes' ? 'completed' : 'failed',
        requestingOrganisationTransactionReference: named === OURS ? channelReferenceOf('payout', ID) : named,
      };
      const raw = {
        method: 'PUT',
        transactionId: ID,
        token: 't',
        headers: {},
        body: Buffer.from(JSON.stringify(transaction)),
      };
      const content = translateNotification(raw, 'payout')?.content;
      return content?.kind === 'succeeded' || content?.kind === 'failed'
        ? content
        : { kind: 'unknown', detail: '' };
    },
    enquiry: (named, says) =>
      gsma.transactionOf(
        {
          transactionReference: 'T1',
          type: 'disbursement',
          amount: '15000',
          currency: 'TZS',
          transactionStatus: says === 'yes' ? 'completed' : 'failed',
          requestingOrganisationTransactionReference: named,
        },
        { reference: OURS, direction: 'payout' },
      ),
  },
};

describe('an answer that names another payment', () => {
  for (const { name, answersAbout } of protocols)
    for (const [kind, naming] of Object.entries(answersAbout) as [
      keyof AnswersAbout,
      AnswersAbout['push'],
    ][]) {
      if (naming === 'looked up') {
        it(`is found by what it names in ${name}, a ${kind}`, () => assert.equal(kind, 'notification'));
        continue;
      }
      if (naming !== 'named') {
        it(`cannot be told in ${name}, to a ${kind}: ${naming.nobody}`, () => {
          assert.equal(reads[name]?.[kind], undefined);
        });
        continue;
      }
      it(`says nothing of ours in ${name}, to a ${kind}, be it a success or a refusal`, async () => {
        const read = reads[name]?.[kind];
        assert.ok(read, 'a protocol whose answers name us has a line above');
        for (const says of ['yes', 'no'] as const) {
          const ours = await read(OURS, says);
          const anothers = await read(ANOTHERS, says);
          assert.deepEqual(anothers, {
            kind: 'unknown',
            detail: anothers.kind === 'unknown' && anothers.detail,
          });
          assert.match(
            says === 'yes' ? 'accepted succeeded' : 'failed',
            new RegExp(ours.kind),
            JSON.stringify(ours),
          );
        }
      });
    }
});

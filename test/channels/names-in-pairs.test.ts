import assert from 'node:assert/strict';
import { enquiryResultOf } from '../../src/channels/airtel-openapi/translate.ts';
import { meaningOf } from '../../src/channels/clickpesa/translate.ts';
import { rowSchema } from '../../src/channels/clickpesa/wire.ts';
import { transactionOf } from '../../src/channels/gsma/translate.ts';
import { transactionSchema } from '../../src/channels/gsma/wire.ts';
import {
  enquiryResultOf as bankResultOf,
  createConfirmations,
} from '../../src/channels/iso20022/translate.ts';
import { readStatusReports, type StatusReport, writeStatusReport } from '../../src/channels/iso20022/wire.ts';
import { statusOf } from '../../src/channels/mixx/translate.ts';
import { writeCommand } from '../../src/channels/mixx/wire.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { orderOf } from '../../src/channels/selcom/translate.ts';
import type { WireOrder } from '../../src/channels/selcom/wire.ts';
import type { Succeeded } from '../../src/domain/channel.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { sources } from '../../src/operators/search/find-sources.ts';
import { parseStatement } from '../../src/reconciliation/formats/parse.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { camtEntry, camtFile, legacyFile, legacyRow } from '../reconciliation/formats/samples.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { failure } from '../support/scripted-channel.ts';
import { bankAccount, importMoves, walletAccount } from '../support/statements-of-accounts.ts';

const TZS = { currency: 'TZS' };
type Shown = { receipt: string | null; alsoKnownAs?: readonly string[] };
type Row = { tell(reference: string): unknown; show(): Shown; request?: MoneyRequest };

const gsma = {
  transactionReference: 'G-RECEIPT',
  transactionReceipt: 'G-PRINTED',
  originalTransactionReference: 'G-OTHER',
  transactionStatus: 'completed',
  type: 'merchantpay',
  amount: '5000.00',
  currency: 'TZS',
  debitParty: [{ key: 'msisdn', value: '255754000111' }],
  creditParty: [{ key: 'accountid', value: 'malipo' }],
  creationDate: '2026-01-04T10:00:00.000Z',
};
const airtel = {
  payer: { msisdn: '754000111' },
  payee: { msisdn: 'malipo' },
  transaction: {
    airtel_money_id: 'A-RECEIPT',
    reference_number: 'A-NUMBER',
    id: 'A-ID',
    amount: '5000',
    created_at: '1767520800',
    status: 'TS',
  },
};

function fetched(format: 'gsma' | 'airtel', entry: unknown): Shown {
  const period = { from: '2026-01-03T21:00:00.000Z', to: '2026-01-04T21:00:00.000Z' };
  const text = JSON.stringify({ theirs: 'malipo', ...period, balance: '1.00', later: [], entries: [entry] });
  return lineOf(format, text);
}

function lineOf(format: 'gsma' | 'airtel' | 'camt' | 'csv', text: string): Shown {
  const mapping = format === 'csv' ? 'mpesa-legacy' : null;
  const theirs = { csv: '123456', camt: '0150123', gsma: 'malipo', airtel: 'malipo' }[format];
  const { lines } = parseStatement({ proves: [], format, mapping, ...TZS, theirs }, Buffer.from(text));
  return lines[0] as Shown;
}

/** Of a network whose statements are files: its layout has one column of numbers. */
const inFile = (receipt: string) => lineOf('csv', legacyFile([legacyRow({ receipt })]));
const asAnswer = (body: string) =>
  ({ kind: 'answer', status: 200, headers: {}, body: Buffer.from(body) }) as const;

/** A message of each protocol, and a line of the statements that its networks have: other texts in every field. */
const rows: Record<string, Row> = {
  'gsma-mm-1.2': {
    tell: (reference) =>
      transactionOf(
        transactionSchema.parse({ ...gsma, requestingOrganisationTransactionReference: reference }),
        { reference, direction: 'collection' },
      ),
    show: () => fetched('gsma', gsma),
  },
  'airtel-openapi': {
    tell: (reference) => {
      const transaction = {
        id: reference,
        reference_id: 'A-NUMBER',
        airtel_money_id: 'A-RECEIPT',
        status: 'TS',
      };
      const body = { data: { transaction: { ...transaction, message: 'Paid TZS 5,000 to MALIPO' } } };
      const asked = {
        transactionId: '',
        reference,
        direction: 'collection',
        channelReference: null,
      } as const;
      const reading = { payoutBarred: 'recipient', fieldErrorIsFinal: false } as never;
      return enquiryResultOf(asAnswer(JSON.stringify(body)), asked, reading);
    },
    show: () => fetched('airtel', airtel),
  },
  clickpesa: {
    tell: (orderReference) => {
      const moved = { collectedAmount: '5000', collectedCurrency: 'TZS', status: 'SUCCESS' };
      const row = { id: 'C-ID', paymentReference: 'C-RECEIPT', orderReference, ...moved };
      return meaningOf(rowSchema.parse(row), { direction: 'collection', ...TZS });
    },
    show: () => inFile('C-RECEIPT'),
  },
  selcom: {
    tell: (reference) => {
      const order = { order_id: reference, payment_status: 'COMPLETED', amount: '5000' };
      return orderOf({ ...order, transid: 'S-ID', reference: 'S-RECEIPT' } as WireOrder, {
        reference,
        ...TZS,
      });
    },
    show: () => inFile('S-RECEIPT'),
  },
  mixx: {
    tell: (reference) => {
      const said = {
        RESULTCODE: '0',
        TXNSTATUS: 'Posted',
        EXTERNALREFID: reference,
        TXNID: 'M-RECEIPT',
        AMOUNT: '5000',
      };
      const question = { reference, direction: 'collection', notFoundCodes: [] } as const;
      return statusOf(asAnswer(writeCommand('X', Object.entries(said))), question);
    },
    show: () => inFile('M-RECEIPT'),
  },
  iso20022: {
    request: bankPayoutRequest(5_000),
    tell: (reference) => {
      const report = {
        messageId: 'B-MSG',
        originalMessageId: `${reference}-1`,
        groupStatus: null,
        reference,
        reasons: [],
      };
      const said = { ...report, status: 'ACSC', bankReference: 'B-RECEIPT', clearingReference: 'B-CLEARING' };
      const money = { amount: 500_000, currency: 'TZS' } as NonNullable<StatusReport['money']>;
      const [read] =
        readStatusReports(Buffer.from(writeStatusReport({ ...said, money, createdAt: new Date() }))) ?? [];
      return read && bankResultOf(read, { reference }, createConfirmations());
    },
    show: () => {
      const refs =
        '<Refs><EndToEndId>NOTPROVIDED</EndToEndId><TxId>B-TX</TxId><ClrSysRef>B-CLEARING</ClrSysRef></Refs>';
      const inside = `<NtryDtls><TxDtls>${refs}</TxDtls></NtryDtls>`;
      return lineOf('camt', camtFile([camtEntry({ receipt: 'B-RECEIPT', direction: 'DBIT', inside })]));
    },
  },
};

describe('a channel and its statements, with another text in every field', () => {
  const test = useTestDatabase({ each: true });
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];

  it('are paired for every protocol that tells of a success by itself', () => {
    const others = ['halopesa', 'vodacom-openapi'];
    const coded = protocols.filter(({ codes }) => codes).map(({ name }) => name);
    assert.deepEqual(Object.keys(rows).concat(others).sort(), coded.sort());
  });

  for (const [protocol, { tell, show, request = pushRequest(5_000) }] of Object.entries(rows)) {
    const told = tell('PY0000000000000001') as Succeeded;
    // Whole; and lines that know it by one number alone, whichever.
    const lines: Shown[] = [show(), ...(told.alsoKnownAs ?? []).map((receipt) => ({ receipt }))];
    for (const line of lines)
      for (const first of ['the channel', 'the line'] as const)
        it(`${protocol}: ${line.receipt}, ${first} first: one movement, found by every number`, async () => {
          const { id, reference } = await handedOver(test.database, request);
          const isBank = protocol === 'iso20022';
          const account = (isBank ? bankAccount : walletAccount)({ graceMs: 1 });
          const result = tell(reference) as Succeeded;
          // One field of a protocol is the receipt, for the channel and for its statement.
          assert.deepEqual([result.kind, show().receipt], ['succeeded', result.channelReference]);
          assert.match(String(result.channelReference), /^.-RECEIPT$/);
          const { receipt, alsoKnownAs = [] } = line;
          const move = { receipt, alsoKnownAs, amount: isBank ? -5_000 : 5_000 };
          const say = () => answered(worker(), id, result);
          if (first === 'the channel') await say();
          await importMoves(api(), account, [move]);
          for (let n = 0; n < 2; n += 1) await say();
          await matchAgain(worker(), account);
          const entries = await test.sql`SELECT a.kind, sum(e.amount)::bigint AS sum
              FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
              WHERE a.kind IN ('clearing', 'suspense') GROUP BY a.kind HAVING sum(e.amount) <> 0`;
          assert.deepEqual(entries, [{ kind: 'clearing', sum: isBank ? 500_000 : -500_000 }]);
          const matched =
            await test.sql`SELECT count(DISTINCT line_id)::int AS lines FROM line_matches WHERE NOT is_freed`;
          assert.deepEqual(matched, [{ lines: 1 }]);
          const source = sources.find(({ what }) => what === 'another number of a payment');
          for (const name of result.alsoKnownAs ?? []) {
            const { rows: found } = await asRole(test.database, 'reader').query(source?.ids ?? '', [
              [name],
              5,
            ]);
            assert.deepEqual(found, [{ id }], name);
          }
          assert.deepEqual(await checkInvariants(test.database), []);
        });
  }

  it('of one transaction are two movements only where both have the receipt, and another one', async () => {
    const said = (channelReference: string | null) =>
      ({ kind: 'succeeded', amount: 500_000, ...TZS, channelReference, fullName: null }) as Succeeded;
    for (const [one, other] of [
      ['R1', null],
      [null, 'R1'],
      ['R1', 'r1'],
      ['R1', 'R2'],
    ] as const)
      for (const isFailed of [false, true]) {
        const { id } = await handedOver(test.database, pushRequest(5_000));
        if (isFailed) await answered(worker(), id, failure('customer_declined'));
        const names = [one, other].map((name) => name && `${name} ${id}`);
        for (const name of [...names, ...names]) await answered(worker(), id, said(name ?? null));
        const moved = await test.sql`SELECT FROM movements WHERE transaction_id = ${id}`;
        assert.equal(moved.length, other === 'R2' ? 2 : 1, `${one}, ${other}, ${isFailed}`);
      }
    assert.deepEqual(await checkInvariants(test.database), []);
  });
});

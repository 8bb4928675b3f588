import assert from 'node:assert/strict';
import { readStatusReports } from '../../src/channels/iso20022/wire.ts';
import {
  call,
  enquiry,
  money,
  openBank,
  reference,
  type ScriptedBank,
  statusReport,
} from './iso20022/scripted-bank.ts';
import { rawOf } from './raw.ts';

const rejected = (...reasons: string[]) => statusReport({ status: 'RJCT', reasons });
const proprietary = (xml: string) => xml.replaceAll('Cd>', 'Prtry>');
const twice = (xml: string, element: string, other: string) =>
  xml.replace(new RegExp(`<${element}>.*?</${element}>`, 's'), (found) => `${found}${other}`);

describe('the reasons of a bank that says RJCT', () => {
  let bank: ScriptedBank;
  beforeEach(async () => {
    bank = await openBank();
  });
  afterEach(() => bank.close());

  const sent = (body: string, sendNumber = 1) => {
    bank.answer = { status: 400, body };
    return bank.pay({ sendNumber });
  };
  const asked = (body: string, sends = 1) => {
    bank.answer = { status: 200, body };
    return bank.channel.enquire({ ...enquiry, sends }, call);
  };
  const isSeen = (result: object | undefined) => result !== undefined && 'seen' in result;

  for (const reason of ['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05', 'DUPL'])
    it(`takes ${reason} for a duplicate wherever it stands`, async () => {
      const bodies = [
        rejected(reason),
        proprietary(rejected(reason)),
        rejected('NARR', reason),
        rejected('AC01', reason),
        statusReport({ status: null, reference: null, groupStatus: 'RJCT', reasons: ['FF01', reason] }),
      ];
      for (const body of bodies) assert.ok(isSeen(await sent(body)), body);
      for (const body of bodies.slice(0, 4)) assert.ok(isSeen(await asked(body)), body);
    });

  for (const reason of ['AB01', 'AB03', 'AB11'])
    it(`does not know after the time-out ${reason}`, async () => {
      assert.equal((await sent(rejected(reason))).kind, 'unknown');
      assert.equal((await asked(rejected(reason))).kind, 'unknown');
    });

  it('knows nothing where two statuses differ, and believes one that is said twice', async () => {
    const paid = statusReport({ status: 'ACSC', money });
    assert.equal((await asked(twice(paid, 'TxSts', '<TxSts>RJCT</TxSts>'))).kind, 'unknown');
    assert.equal((await asked(twice(rejected('AC01'), 'TxSts', '<TxSts>ACSC</TxSts>'))).kind, 'unknown');
    const another = rejected('AC01').match(/<TxInfAndSts>.*<\/TxInfAndSts>/s)?.[0] ?? '';
    assert.equal((await asked(twice(paid, 'TxInfAndSts', another))).kind, 'unknown');
    assert.equal((await asked(twice(paid, 'TxSts', '<TxSts>ACSC</TxSts>'))).kind, 'succeeded');
  });

  const unsaid = [
    rejected('NARR'),
    rejected('MS02'),
    rejected('MS03'),
    rejected(),
    rejected('ZZ99'),
    rejected('FF01'),
  ];
  it('ends a later send only by a cause of the order itself', async () => {
    for (const body of unsaid) {
      assert.ok(isSeen(await sent(body, 2)), body);
      assert.ok(isSeen(await asked(body, 2)), body);
      assert.equal((await sent(body)).kind, 'failed', body);
      assert.equal((await asked(body)).kind, 'failed', body);
    }
    for (const reason of ['AC01', 'BE01', 'AM04', 'AM09'])
      assert.equal((await sent(rejected(reason), 2)).kind, 'failed', reason);
  });

  it('ends a later send by no notification that could mean an earlier one', () => {
    const told = (originalMessageId: string) => {
      const body = statusReport({ status: 'RJCT', reasons: ['NARR'], originalMessageId });
      return bank.channel.translateNotification(rawOf(body))?.content.kind;
    };
    const kinds = [`${reference}-1`, `${reference}-2`, 'NOTPROVIDED'].map(told);
    assert.deepEqual(kinds, ['failed', 'pending', 'pending']);
  });

  it('reads the amount of a success wherever the standard has it, as xs:decimal', async () => {
    const said = (tree: string) =>
      asked(statusReport({ status: 'ACSC', money }).replace(/<OrgnlTxRef>.*<\/OrgnlTxRef>/s, tree));
    const amount = (text: string, element = 'IntrBkSttlmAmt') =>
      `<OrgnlTxRef><${element} Ccy="TZS">${text}</${element}></OrgnlTxRef>`;
    const equivalent =
      '<OrgnlTxRef><Amt><EqvtAmt><Amt Ccy="TZS">149.87</Amt><CcyOfTrf>USD</CcyOfTrf></EqvtAmt></Amt></OrgnlTxRef>';
    for (const tree of [amount('149.87'), amount('000149.87'), amount('+149.870'), equivalent]) {
      const result = await said(tree);
      assert.ok(result.kind === 'succeeded' && result.amount === 14_987, tree);
    }
    assert.equal((await said(amount('1500.'))).kind, 'succeeded');
    assert.equal((await said(amount('-1500'))).kind, 'unknown');
  });

  it('takes a message about several transfers for each of them', async () => {
    const other = statusReport({ status: 'RJCT', reasons: ['AC04'], reference: 'POOTHER' });
    const transfer = other.match(/<OrgnlPmtInfAndSts>.*<\/OrgnlPmtInfAndSts>/s)?.[0] ?? '';
    const both = statusReport({ status: 'ACSC', money }).replace('</CstmrPmtStsRpt>', `${transfer}$&`);
    assert.deepEqual(
      readStatusReports(Buffer.from(both))?.map((one) => [one.reference, one.status]),
      [
        [reference, 'ACSC'],
        ['POOTHER', 'RJCT'],
      ],
    );
    assert.equal((await asked(both)).kind, 'succeeded');
    const told = bank.channel.translateNotification(rawOf(both));
    assert.deepEqual(
      [told, ...(told?.others ?? [])].map((one) => [one?.subject, one?.content.kind]),
      [
        [{ reference }, 'succeeded'],
        [{ reference: 'POOTHER' }, 'failed'],
      ],
    );
  });
});

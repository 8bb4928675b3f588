import assert from 'node:assert/strict';
import { readStatusReports } from '../../src/channels/iso20022/wire.ts';
import { money, reference, signed, statusReport, useBank } from './iso20022/scripted-bank.ts';
import { rawOf } from './raw.ts';
import { itHears, type Row } from './scripted.ts';

const rejected = (...reasons: string[]) => statusReport({ status: 'RJCT', reasons });
const proprietary = (xml: string) => xml.replaceAll('Cd>', 'Prtry>');
const twice = (xml: string, element: string, other: string) =>
  xml.replace(new RegExp(`<${element}>.*?</${element}>`, 's'), (found) => `${found}${other}`);

describe('the reasons of a bank that says RJCT', () => {
  const bank = useBank();
  const paid = statusReport({ status: 'ACSC', money });
  const another = rejected('AC01').match(/<TxInfAndSts>.*<\/TxInfAndSts>/s)?.[0] ?? '';
  const twoStates = twice(paid, 'TxSts', '<TxSts>RJCT</TxSts>');
  const otherStates = twice(rejected('AC01'), 'TxSts', '<TxSts>ACSC</TxSts>');
  const sameState = twice(paid, 'TxSts', '<TxSts>ACSC</TxSts>');

  itHears(bank, [
    ...['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05', 'DUPL'].flatMap((reason): Row[] => {
      const whole = { status: null, reference: null, groupStatus: 'RJCT', reasons: ['FF01', reason] };
      const places: [string, string][] = [
        [reason, rejected(reason)],
        [`${reason} of its own`, proprietary(rejected(reason))],
        [`${reason} behind NARR`, rejected('NARR', reason)],
        [`${reason} behind AC01`, rejected('AC01', reason)],
      ];
      return [
        ...places.flatMap(([what, body]): Row[] => [
          ['payout', what, signed(400, body), 'unknown seen'],
          ['payout?', what, signed(200, body), 'unknown seen'],
        ]),
        ['payout', `${reason} of the whole message`, signed(400, statusReport(whole)), 'unknown seen'],
      ];
    }),
    ...['AB01', 'AB03', 'AB11'].flatMap((reason): Row[] => [
      ['payout', `the time-out ${reason}`, signed(400, rejected(reason)), 'unknown seen'],
      ['payout?', `the time-out ${reason}`, signed(200, rejected(reason)), 'unknown seen'],
    ]),
    ['payout?', 'a success that is refused', signed(200, twoStates), 'unknown seen'],
    ['payout?', 'a refusal that succeeded', signed(200, otherStates), 'unknown seen'],
    ['payout?', 'two reports that differ', signed(200, twice(paid, 'TxInfAndSts', another)), 'unknown seen'],
    ['payout?', 'a success that is said twice', signed(200, sameState), 'succeeded TZS 50000 BKREF1'],
  ]);

  for (const reasons of [['NARR'], ['MS02'], ['MS03'], [], ['ZZ99'], ['FF01']])
    it(`ends a later send only by a cause of the order itself, not by ${reasons}`, async () => {
      bank.lay('payout', signed(400, rejected(...reasons)));
      bank.lay('payout?', signed(200, rejected(...reasons)));
      assert.equal(await bank.hear('payout', {}, { sendNumber: 2 }), 'unknown seen');
      assert.equal(await bank.hear('payout?', {}, { sends: 2 }), 'unknown seen');
      assert.equal(await bank.hear('payout'), 'failed network_error BKREF1');
      assert.equal(await bank.hear('payout?'), 'failed network_error BKREF1');
    });

  for (const reason of ['AC01', 'BE01', 'AM04', 'AM09'])
    it(`ends a later send by ${reason}`, async () => {
      bank.lay('payout', signed(400, rejected(reason)));
      assert.match(await bank.hear('payout', {}, { sendNumber: 2 }), /^failed/);
    });

  it('ends a later send by no notification that could mean an earlier one', () => {
    const told = (originalMessageId: string) => {
      const body = statusReport({ status: 'RJCT', reasons: ['NARR'], originalMessageId });
      const { content, sendNumber } = bank.channelOf().translateNotification(rawOf(body)) ?? assert.fail();
      return `${content.kind} ${sendNumber}`;
    };
    const meant = [`${reference}-1`, `${reference}-2`, 'NOTPROVIDED'].map(told);
    assert.deepEqual(meant, ['failed 1', 'pending 2', 'pending undefined']);
  });

  it('reads the amount of a success wherever the standard has it, as xs:decimal', async () => {
    const asked = (body: string) => {
      bank.lay('payout?', signed(200, body));
      return bank.hear('payout?');
    };
    const said = (tree: string) => asked(paid.replace(/<OrgnlTxRef>.*<\/OrgnlTxRef>/s, tree));
    const amount = (text: string, element = 'IntrBkSttlmAmt') =>
      `<OrgnlTxRef><${element} Ccy="TZS">${text}</${element}></OrgnlTxRef>`;
    const equivalent =
      '<OrgnlTxRef><Amt><EqvtAmt><Amt Ccy="TZS">149.87</Amt><CcyOfTrf>USD</CcyOfTrf></EqvtAmt></Amt></OrgnlTxRef>';
    for (const tree of [amount('149.87'), amount('000149.87'), amount('+149.870'), equivalent])
      assert.equal(await said(tree), 'succeeded TZS 149.87 BKREF1', tree);
    assert.equal(await said(amount('1500.')), 'succeeded TZS 1500 BKREF1');
    assert.equal(await said(amount('-1500')), 'unknown seen');
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
    bank.lay('payout?', signed(200, both));
    assert.equal(await bank.hear('payout?'), 'succeeded TZS 50000 BKREF1');
    const told = bank.channelOf().translateNotification(rawOf(both));
    assert.deepEqual(
      [told, ...(told?.others ?? [])].map((one) => [one?.subject, one?.content.kind]),
      [
        [{ reference }, 'succeeded'],
        [{ reference: 'POOTHER' }, 'failed'],
      ],
    );
  });
});

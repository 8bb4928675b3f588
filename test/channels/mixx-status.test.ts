import assert from 'node:assert/strict';
import { mixxSettings } from '../../src/channels/mixx/settings.ts';
import { writeCommand } from '../../src/channels/mixx/wire.ts';
import type { ScriptedAnswer } from '../support/scripted-server.ts';
import { mixxAccount, mixxChannelOf } from './mixx/account.ts';
import { useScriptedMixx } from './mixx/scripted.ts';

const CALL = { timeoutMs: 10_000 };
const PAYOUT = 'PO0123456789ABCDEF';

describe('a status enquiry at Mixx', () => {
  const mixx = useScriptedMixx();

  const enquire = () =>
    mixx.channel.enquire(
      { transactionId: 't', reference: PAYOUT, direction: 'payout', channelReference: null },
      CALL,
    );
  const statusAnswer = (elements: Record<string, string>): ScriptedAnswer => ({
    body: writeCommand(
      'MTPGGetSODetails',
      Object.entries({ RESULTCODE: '0', TXNID: 'X1', EXTERNALREFID: PAYOUT, ...elements }),
    ),
  });

  it('decides nothing where it names two orders, whichever comes first', async () => {
    for (const states of [
      ['Declined', 'Posted'],
      ['Posted', 'Declined'],
    ]) {
      const elements = states.map((state) => `<TXNID>X</TXNID><TXNSTATUS>${state}</TXNSTATUS>`).join('');
      mixx.next = {
        body: `<COMMAND><TYPE>MTPGGetSODetails</TYPE><RESULTCODE>0</RESULTCODE><EXTERNALREFID>${PAYOUT}</EXTERNALREFID><AMOUNT>15000</AMOUNT>${elements}</COMMAND>`,
      };
      assert.equal((await enquire()).kind, 'unknown');
    }
  });

  it('reads what became of a reference', async () => {
    const money = { AMOUNT: '15000.0' };
    const success = {
      kind: 'succeeded',
      amount: 1_500_000,
      currency: 'TZS',
      channelReference: 'X1',
      fullName: null,
    };
    const failed = (code: string) => ({ kind: 'failed', code, channelReference: 'X1' });
    const table: [Record<string, string>, object][] = [
      [{ TXNSTATUS: 'Posted', ...money }, success],
      [{ TXNSTATUS: 'Refund Declined', ...money }, success],
      [{ TXNSTATUS: 'Declined', RESULTDESC: 'Recipient limit reached' }, failed('recipient_limit_reached')],
      [{ TXNSTATUS: 'Declined' }, failed('network_error')],
      [{ TXNSTATUS: 'Refund', RESULTDESC: 'limit' }, failed('reversed')],
      [{ TXNSTATUS: 'Pending' }, { kind: 'accepted', channelReference: 'X1' }],
      [{ RESULTCODE: 'GetSOError001' }, { kind: 'not_found' }],
    ];
    for (const [elements, expected] of table) {
      mixx.next = statusAnswer(elements);
      assert.deepEqual(await enquire(), expected, JSON.stringify(elements));
    }
  });

  it('leaves open what a status does not say, and remembers that the network has it', async () => {
    const table: [Record<string, string>, true | undefined][] = [
      [{ TXNSTATUS: 'Posted' }, true],
      [{ TXNSTATUS: 'Posted', AMOUNT: '15,00' }, true],
      [{ TXNSTATUS: 'Failed' }, true],
      [{}, true],
      [{ TXNSTATUS: 'Posted', AMOUNT: '15000', EXTERNALREFID: 'PO9' }, undefined],
      [{ TXNSTATUS: 'Declined', EXTERNALREFID: '' }, undefined],
      [{ RESULTCODE: 'GetSOError001', EXTERNALREFID: 'PO9' }, undefined],
      [{ RESULTCODE: 'GetSOError002', TXNSTATUS: 'Declined' }, undefined],
      [{ RESULTCODE: '' }, undefined],
    ];
    for (const [elements, seen] of table) {
      mixx.next = statusAnswer(elements);
      const result = await enquire();
      assert.ok(result?.kind === 'unknown', JSON.stringify(elements));
      assert.equal(result.seen, seen, JSON.stringify(elements));
    }
  });

  it('calls no RESULTCODE "not found" until the network has said which one means it', async () => {
    mixx.channel = mixxChannelOf(
      mixxSettings.parse(mixxAccount(mixx.server.url, { status: { notFoundCodes: [] } })),
    );
    mixx.next = statusAnswer({ RESULTCODE: 'GetSOError001' });
    assert.equal((await enquire()).kind, 'unknown');
  });
});

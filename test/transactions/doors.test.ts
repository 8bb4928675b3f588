import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { asFailure } from '../../src/activities/failure.ts';
import { createIso20022Channel } from '../../src/channels/iso20022/index.ts';
import { writeStatusReport } from '../../src/channels/iso20022/wire.ts';
import { signRequest } from '../../src/channels/kit/signature.ts';
import { minor } from '../../src/domain/money.ts';
import { releaseHold } from '../../src/ledger/hold.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

const SECRET = 'a shared secret of some length';
const bank = createIso20022Channel({
  url: 'http://127.0.0.1:9',
  secrets: [SECRET],
  debtor: { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' },
});

describe('what the other side may say, and when', () => {
  const test = useTestDatabase({ each: true });

  /** A signed pain.002 at the bank's door. */
  function fromBank(report: Partial<Parameters<typeof writeStatusReport>[0]>, more = '') {
    const said = writeStatusReport({
      createdAt: new Date(),
      messageId: randomUUID().slice(0, 30),
      originalMessageId: 'NOTPROVIDED',
      groupStatus: null,
      reference: null,
      status: null,
      reasons: [],
      bankReference: null,
      money: null,
      ...report,
    });
    const xml = said.replace('</CstmrPmtStsRpt>', `${more}$&`);
    const message = { method: 'POST', path: '/channels/iso20022', body: xml };
    const headers = { 'x-signature': signRequest(message, { secrets: [SECRET], now: new Date() }) };
    const raw = { method: 'POST', transactionId: null, token: null, headers, body: Buffer.from(xml) };
    return receiveNotification(test.database, {
      connections: [{ id: 'bank', channel: bank }],
      raw,
    });
  }
  it('lets the bank’s secret end nothing but payouts to banks', async () => {
    const { id, reference } = await handedOver(test.database, pushRequest(5_000));
    const money = { amount: minor(500_000), currency: 'TZS' };
    const received = await fromBank({ reference, status: 'ACSC', bankReference: 'B1', money });
    assert.equal(received.outcome, 'refused');
    assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'pending');
  });

  it('fails no payout for a refusal of a message that a later one has overtaken', async () => {
    for (const reason of ['DNOR', 'AC04']) {
      const { id, reference } = await handedOver(test.database, {
        ...bankPayoutRequest(),
        connection: 'bank',
      });
      await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' });
      await recordSend(test.database, { transactionId: id, number: 2 });
      await fromBank({ originalMessageId: `${reference}-1`, reference, status: 'RJCT', reasons: [reason] });
      assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'pending', reason);
    }
    const { id, reference } = await handedOver(test.database, { ...bankPayoutRequest(), connection: 'bank' });
    await fromBank({ originalMessageId: `${reference}-1`, reference, status: 'RJCT', reasons: ['AC04'] });
    assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'failed');
  });

  it('takes a message about two payouts for both', async () => {
    const request = { ...bankPayoutRequest(400_000), connection: 'bank' };
    const [paid, refused] = [
      await handedOver(test.database, request),
      await handedOver(test.database, request),
    ];
    const more = `<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${refused.reference}</OrgnlEndToEndId>
      <TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts>`;
    const money = { amount: minor(40_000_000), currency: 'TZS' };
    const received = await fromBank({ reference: paid.reference, status: 'ACSC', money }, more);
    assert.deepEqual(
      [received.outcome, received.also?.map(({ outcome }) => outcome)],
      ['stored', ['stored']],
    );
    const end = async ({ id }: { id: string }) =>
      (await tryToEnd(test.database, id, { kind: 'notifications' })).status;
    assert.deepEqual([await end(paid), await end(refused)], ['paid', 'failed']);
  });

  it('ends a step for good, and notifies a person, when a hold is not what it must be', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000));
    const { accountId } = merchant;
    const subject = { transactionId: id, accountId, currency: 'TZS', channel: 'm-pesa', reference: 'PO1' };
    const money = { value: minor(5_000_000), fee: minor(100_000) };
    await inTransaction(test.database, (db) => releaseHold(db, { ...subject, ...money }));
    const error = await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(50_000) }).catch(
      (reason) => reason,
    );
    const failure = asFailure(error);
    assert.ok('nonRetryable' in failure && failure.nonRetryable);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending', 'nothing of the step is kept');
  });
});

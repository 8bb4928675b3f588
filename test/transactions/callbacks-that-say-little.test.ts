import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { conversationIdOf } from '../../src/channels/vodacom-openapi/translate.ts';
import { minor } from '../../src/domain/money.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { vodacomChannel } from '../channels/vodacom-openapi/rig.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { CONNECTION, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

const TOKEN = 'a-secret-that-only-the-portal-was-given';
const channel = vodacomChannel('http://127.0.0.1:1', { mode: 'asynchronous', callback: { token: TOKEN } });

describe('callbacks that name neither amount nor direction', () => {
  const test = useTestDatabase();

  function told(id: string, code: string, { receipt = 'R1', token = TOKEN as string | null } = {}) {
    const body = JSON.stringify({
      input_OriginalConversationID: 'C1',
      input_ThirdPartyConversationID: conversationIdOf(id),
      input_ResultCode: code,
      input_TransactionID: receipt,
    });
    const raw = { method: 'POST', transactionId: null, token, headers: {}, body: Buffer.from(body) };
    return receiveNotification(test.database, { connections: [{ id: CONNECTION, channel }], raw });
  }
  const ended = async (id: string) => {
    await tryToEnd(test.database, id, { kind: 'notifications' });
    const transaction = await getTransaction(test.database, id);
    return [transaction?.status, transaction?.failureCode];
  };
  const fail = (id: string) =>
    tryToEnd(test.database, id, {
      kind: 'answer',
      result: { kind: 'failed', code: 'customer_timeout', channelReference: null },
    });
  const attentionOf = async (id: string) =>
    (await listAttention(test.database)).filter((entry) => entry.subject === id).map((entry) => entry.reason);
  const suspenseOf = async (id: string) =>
    (
      await test.database.query("SELECT 1 FROM transfers WHERE transaction_id = $1 AND kind = 'suspense'", [
        id,
      ])
    ).rowCount;

  for (const [code, push, payout] of [
    ['INS-990', 'payer_limit_reached', 'recipient_limit_reached'],
    ['INS-2051', 'payer_not_found', 'recipient_not_found'],
    ['INS-2006', 'insufficient_funds', 'insufficient_float'],
  ] as const) {
    it(`end it with the reason ${code}, by what the transaction is`, async () => {
      const pushed = await handedOver(test.database, pushRequest());
      assert.deepEqual((await told(pushed.id, code)).news, 'stored');
      assert.deepEqual(await ended(pushed.id), ['failed', push]);
      const paid = await handedOver(test.database, mobilePayoutRequest());
      await told(paid.id, code);
      assert.deepEqual(await ended(paid.id), ['failed', payout]);
    });
  }

  for (const code of ['INS-0', 'INS-6', 'INS-9', 'INS-13', 'unheard-of']) {
    it(`only make us ask when they say ${code}`, async () => {
      const { id } = await handedOver(test.database, pushRequest());
      const { outcome, news } = await told(id, code);
      assert.deepEqual([outcome, news], ['stored', 'hint']);
      assert.deepEqual(await ended(id), ['pending', null]);
    });
  }

  it('are nothing at an address without the secret', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    for (const token of [null, `${TOKEN.slice(0, -1)}!`]) {
      const { outcome, news } = await told(id, 'INS-990', { token });
      assert.deepEqual([outcome, news], ['refused', null]);
    }
    assert.deepEqual(await ended(id), ['pending', null]);
    await fail(id);
    await told(id, 'INS-0', { token: null });
    assert.deepEqual([await attentionOf(id), await suspenseOf(id)], [[], 0]);
  });

  it('put a success that comes after the failure into suspense, once, and call a person', async () => {
    for (const request of [pushRequest(), mobilePayoutRequest()]) {
      const { id } = await handedOver(test.database, request);
      await fail(id);
      const receipt = randomUUID().slice(0, 8);
      assert.equal((await told(id, 'INS-0', { receipt })).news, null);
      assert.equal((await told(id, 'INS-0', { receipt })).outcome, 'duplicate');
      assert.deepEqual([await attentionOf(id), await suspenseOf(id)], [['late_success'], 1]);
    }
  });

  it('say nothing new after a success, but for a failure or another receipt', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    const result = { ...succeeded(5_000), amount: minor(500_000), channelReference: 'R1' };
    await tryToEnd(test.database, id, { kind: 'answer', result });
    await told(id, 'INS-0');
    assert.deepEqual([await attentionOf(id), await suspenseOf(id)], [[], 0]);
    await told(id, 'INS-6', { receipt: 'N/A' });
    assert.deepEqual(await attentionOf(id), ['conflicting_failure']);
    await told(id, 'INS-0', { receipt: `R${randomUUID().slice(0, 8)}` });
    assert.equal(await suspenseOf(id), 1);
  });
});

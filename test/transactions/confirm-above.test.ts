import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Failed, Succeeded } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { CONNECTION, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

const declined: Failed = { kind: 'failed', code: 'customer_declined', channelReference: null };

describe('a success of more than a proof alone may move', () => {
  const test = useTestDatabase();

  async function notified(content: Succeeded): Promise<string> {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    const channel = {
      verifyNotification: () => true,
      translateNotification: () => ({ eventKey: randomUUID(), subject: { transactionId: id }, content }),
    };
    const raw = { method: 'POST', transactionId: null, token: null, headers: {}, body: Buffer.from('{}') };
    const connections = [{ id: CONNECTION, channel, confirmAbove: minor(1) }];
    assert.equal((await receiveNotification(test.database, { connections, raw })).news, 'hint');
    return id;
  }
  const settled = (id: string, result: Succeeded | Failed) =>
    tryToEnd(test.database, id, { kind: 'answer', result });
  async function suspenseOf(id: string): Promise<string[]> {
    const found = await test.database.query('SELECT receipt FROM suspense_items WHERE transaction_id = $1', [
      id,
    ]);
    return found.rows.map(({ receipt }) => receipt);
  }

  for (const [what, answer, status] of [
    ['it failed', declined, 'failed'],
    ['it succeeded under another receipt', succeeded(5_000, randomUUID()), 'completed'],
  ] as const)
    it(`is kept in suspense, once, when the channel itself says that ${what}`, async () => {
      const receipt = randomUUID();
      const id = await notified(succeeded(5_000, receipt));
      assert.deepEqual(await suspenseOf(id), [], 'the channel is asked first');
      for (const _ of ['once', 'and again']) assert.equal((await settled(id, answer)).status, status);
      assert.deepEqual(await suspenseOf(id), [receipt]);
    });

  it('is the one that ends it when the channel itself says so', async () => {
    const success = succeeded(5_000, randomUUID());
    const id = await notified(success);
    assert.equal((await settled(id, success)).status, 'completed');
    assert.deepEqual(await suspenseOf(id), []);
  });
});

import assert from 'node:assert/strict';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { accepted, handedOver } from '../../support/handed-over.ts';
import { billRequest, pushRequest } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { succeeded } from '../../support/scripted-channel.ts';

describe('the questions of operators', () => {
  const hinted: string[] = [];
  const logged: string[] = [];
  const { test, desk } = useOperatorDesk({
    hint: async (id) => void hinted.push(id),
    destination: { write: (line) => void logged.push(line) },
  });

  const lastLine = async (action: string) => {
    const rows = await test.sql`SELECT * FROM audit_log WHERE action = ${action} ORDER BY id DESC LIMIT 1`;
    return rows[0];
  };
  const enquire = (id: string) => desk.call('only-support', 'POST', `transactions/${id}/enquire`);

  it('leave in the audit log whose data was shown, and neither there nor in the log what was typed', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000, '255754555001'));
    const { body } = await desk.call('only-support', 'GET', `find?q=${encodeURIComponent('0754 555 001')}`);
    assert.equal(body.data[0].party, '0754555001');
    const line = await lastLine('call.find');
    assert.deepEqual([line.actor, line.detail], ['operator:only-support', { outcome: 'done', read: [id] }]);
    assert.doesNotMatch(JSON.stringify(line) + logged.join(''), /754.?555.?001/);
  });

  it('leave there whose data the attention list showed', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: 'a day' });
    const { body } = await desk.call('only-support', 'GET', 'attention');
    assert.deepEqual(
      [body.data[0].page, body.data[0].about.state],
      ['docs/operations/unknown-outcome.md', 'It is pending: M-PESA did not answer in time'],
    );
    assert.deepEqual((await lastLine('call.listAttention')).detail.read, [id]);
  });

  it('refuse what is no question', async () => {
    for (const query of ['', '?q=', `?q=${'x'.repeat(256)}`, '?q=a&what=b'])
      assert.equal((await desk.call('only-support', 'GET', `find${query}`)).status, 422, query);
    for (const hours of ['0', '169', 'x'])
      assert.equal((await desk.call('only-viewer', 'GET', `counts?hours=${hours}`)).status, 422, hours);
  });

  it('have a channel asked at once, once a minute, whoever asks', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    assert.deepEqual((await enquire(id)).body, { asked: true });
    assert.deepEqual(hinted, [id]);
    assert.equal((await lastLine('transactions.enquire')).subject, id);
    const again = await desk.call('asha', 'POST', `transactions/${id}/enquire`);
    assert.equal(again.status, 429);
    assert.match(again.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/);
    await test.database.query("UPDATE transactions SET hinted_at = hinted_at - interval '1 minute'");
    const answers = await Promise.all([enquire(id), enquire(id), enquire(id)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429, 429]);
    assert.deepEqual(hinted, [id, id]);
  });

  it('have no channel asked where there is nothing to ask', async () => {
    const done = await handedOver(test.database, pushRequest(5_000));
    await tryToEnd(test.database, done.id, { kind: 'answer', result: succeeded(5_000) });
    const unsent = await accepted(test.database, pushRequest());
    const bill = await accepted(test.database, billRequest());
    for (const { id } of [done, unsent, bill]) {
      const { status, body } = await enquire(id);
      assert.deepEqual([status, body.code], [409, 'conflict'], body.message);
    }
    assert.equal(hinted.length, 2);
  });

  it('count by kind, channel and state, and name nobody', async () => {
    const { body } = await desk.call('only-viewer', 'GET', 'counts?hours=1');
    const row = { type: 'payment', mode: 'ussd', channel: 'm-pesa' };
    assert.deepEqual(body, {
      hours: 1,
      transactions: [
        { type: 'bill', mode: 'billpay', channel: 'billpay', status: 'pending', count: 1 },
        { ...row, status: 'completed', count: 1 },
        { ...row, status: 'pending', count: 4 },
      ],
      attention: [{ reason: 'unknown_outcome', count: 1 }],
    });
  });
});

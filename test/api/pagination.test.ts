import assert from 'node:assert/strict';
import { transactionList } from '../../src/contract/answer-schemas.ts';
import { pick } from '../support/pick.ts';
import { useTestApi } from './support/use-api.ts';

const PHONE = '0754123456';

describe('the pages of a list', () => {
  const { api, test } = useTestApi();
  const store = (first: number, last: number) => test.sql`INSERT INTO transactions
      (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
       fee_version, channel, reference, msisdn, timing, connection)
    SELECT gen_random_uuid(), k.account_id, k.id, gen_random_uuid(), 'payment', 'ussd', 'completed',
      'payment.received', 100, 'TZS', 1, 'test', 'm-pesa', 'PYPAGE' || n, '255754123456', '{}', 'test'
    FROM (SELECT * FROM api_keys LIMIT 1) k, generate_series(${first}::int, ${last}::int) n`;
  const pagination = async (query: string) => {
    const answer = await api.call('GET', `transactions?${query}`);
    const { data, pagination } = transactionList.parse(answer.body);
    return { shown: data.length, ...pagination };
  };

  it('say when counting stopped, and go on after the last page that was counted', async () => {
    await store(1, 10_000);
    const full = { current_page: 1, last_page: 100, per_page: 100, total_items: 10_000 };
    assert.deepEqual(await pagination(`per_page=100&phone_number=${PHONE}`), { shown: 100, ...full });
    await store(10_001, 10_003);
    const more = { ...full, total_is_minimum: true };
    assert.deepEqual(await pagination(`per_page=100&phone_number=${PHONE}`), { shown: 100, ...more });
    assert.deepEqual(await pagination(`per_page=100&page=101&phone_number=${PHONE}`), {
      shown: 3,
      ...more,
      current_page: 101,
    });
    assert.deepEqual(await pagination('per_page=100'), {
      shown: 100,
      ...full,
      last_page: 101,
      total_items: 10_003,
    });
  });

  it('that would take longer than 2 s are refused with what to do', async () => {
    const other = await test.database.connect();
    try {
      await other.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await api.call('GET', 'transactions');
      assert.deepEqual(
        [status, body.code, body.message],
        [422, 'validation_failed', 'This list takes too long: narrow `from` and `to`'],
      );
      assert.deepEqual(pick(body.errors, 'field'), ['from', 'to']);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    assert.equal((await api.call('GET', 'transactions')).status, 200);
  });
});

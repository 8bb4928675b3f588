import assert from 'node:assert/strict';
import { minor } from '../../../src/domain/money.ts';
import { ensureServiceAccounts } from '../../../src/ledger/accounts.ts';
import { makeToken } from '../../../src/operators/people/token-text.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { postOdd } from '../../../src/transactions/odd-money/suspense.ts';
import { handedOver } from '../../support/handed-over.ts';
import { mobilePayoutRequest } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { pick } from '../../support/pick.ts';

describe('what the operator API reads and changes', () => {
  const { test, desk } = useOperatorDesk();
  before(() => ensureServiceAccounts(test.database, ['m-pesa'], 'TZS'));

  const lastLine = async (action: string) =>
    (await test.sql`SELECT * FROM audit_log WHERE action = ${action} ORDER BY id DESC LIMIT 1`)[0];
  const openAccount = async () =>
    (await desk.call('asha', 'POST', 'accounts', { name: 'Duka' })).body.account.id as string;

  it('writes down what was read', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
    const { body } = await desk.call('only-support', 'GET', `transactions/${id}`);
    assert.deepEqual([body.transaction.id, body.transaction.amount], [id, '50,000.00']);
    assert.ok(!JSON.stringify(body).includes('255754'), 'names nobody');
    const line = await lastLine('call.getTransaction');
    assert.deepEqual(
      [line.actor, line.subject, line.detail],
      ['operator:only-support', id, { outcome: 'done', read: [id] }],
    );
  });

  it('pages through lists', async () => {
    for (const number of [1, 2, 3])
      await raiseAttention(test.database, { subject: `s${number}`, reason: 'broken', detail: '' });
    const subjects: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await desk.call('only-finance', 'GET', `attention?page=${page}&per_page=2`);
      subjects.push(...body.data.map(({ subject }: { subject: string }) => subject));
      assert.deepEqual(body.pagination, { current_page: page, last_page: 2, per_page: 2, total_items: 3 });
    }
    assert.deepEqual(subjects, ['s1', 's2', 's3']);
    await openAccount();
    assert.ok((await desk.call('asha', 'GET', 'accounts')).body.pagination.total_items > 0);
    for (const list of ['accounts', 'keys', 'proposals', 'suspense']) {
      const [first, beyond] = await Promise.all(
        [1, 1_000].map(async (page) => (await desk.call('asha', 'GET', `${list}?page=${page}`)).body),
      );
      assert.deepEqual(beyond.data, [], list);
      assert.equal(beyond.pagination.total_items, first.pagination.total_items, list);
    }
    const closed = await desk.propose('only-finance', 'attention.close', { subject: 's1', note: 'done' });
    assert.deepEqual(closed.body, { outcome: 'closed entries: 1' });
    assert.deepEqual((await lastLine('attention.close')).detail, { note: 'done' });
  });

  it('closes no entry by hand while its money is in suspense', async () => {
    const where = { channel: 'm-pesa', connection: 'here', receipt: 'R1', transactionId: null };
    const money = {
      direction: 'collection',
      amount: minor(500_00),
      currency: 'TZS',
      note: 'a test',
    } as const;
    await inTransaction(test.database, (db) => postOdd(db, { ...where, ...money }, 'unexpected_payment'));
    const payload = { subject: 'here:R1', note: 'done' };
    const { status, body: answer } = await desk.propose('only-finance', 'attention.close', payload);
    assert.deepEqual(
      [status, answer.message],
      [409, 'Its money is in suspense: release the money, and the entry closes'],
    );
  });

  it('lets a person in with a token that two admins agreed on and neither of them has seen', async () => {
    const added = await desk.call('asha', 'POST', 'operators', { name: 'neema', email: 'neema@example.com' });
    assert.equal(added.status, 200);
    assert.equal(
      (await desk.call('asha', 'POST', 'operators', { name: 'neema', email: 'n@example.com' })).status,
      409,
    );
    const enrol = (made: ReturnType<typeof makeToken>, operator = 'neema') =>
      desk.propose('asha', 'operators.token', {
        operator,
        token_id: made.tokenId,
        fingerprint: made.fingerprint,
        days: 7,
      });
    const mine = makeToken();
    const { proposal } = (await enrol(mine)).body;
    assert.match(
      proposal.summary,
      new RegExp(`neema can sign in .* token ${mine.tokenId}:${mine.fingerprint}`),
    );
    assert.equal((await desk.call(mine.token, 'GET', 'me')).status, 401);
    assert.equal((await desk.consent('asha', proposal)).status, 403);
    assert.equal((await desk.consent('juma', proposal)).body.proposal.state, 'executed');
    assert.equal((await desk.call(mine.token, 'GET', 'me')).status, 403, 'no role yet');

    const another = await enrol(makeToken());
    assert.deepEqual([another.status, another.body.code], [409, 'conflict']);
    assert.match(another.body.message, /only neema can replace it/);
    const roles = (await desk.propose('asha', 'operators.roles', { operator: 'neema', roles: ['finance'] }))
      .body;
    assert.equal((await desk.consent('juma', roles.proposal)).status, 200);
    assert.deepEqual((await desk.call(mine.token, 'GET', 'me')).body.roles, ['finance']);
    const own = (await desk.call(mine.token, 'POST', 'me/token', {})).body.token;
    assert.equal((await desk.call(mine.token, 'GET', 'me')).status, 401, 'the old one ended');
    await desk.propose('juma', 'operators.disable', { operator: 'neema' });
    assert.equal((await desk.call(own, 'GET', 'me')).status, 401);
    assert.equal((await enrol(makeToken())).status, 404);
    assert.equal((await enrol({ ...makeToken(), fingerprint: 'op_x' }, 'juma')).status, 422);
  });

  it('gives the audit log as it is chained', async () => {
    const { body } = await desk.call('only-admin', 'GET', 'audit?after=2&limit=3');
    assert.deepEqual(pick(body.lines, 'id'), [3, 4, 5]);
    assert.match(body.head.hash, /^[0-9a-f]{64}$/);
  });
});

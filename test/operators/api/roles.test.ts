import assert from 'node:assert/strict';
import { newKey, newKeyId } from '../../../src/accounts/key-format.ts';
import { scopes } from '../../../src/accounts/keys.ts';
import type { Call } from '../../../src/operators/api/call.ts';
import { calls } from '../../../src/operators/api/calls.ts';
import { type Role, roles } from '../../../src/operators/people/roles.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

/** Who may do what: the page for operators, the tests of the calls and the table itself have to agree on it. */
const mayCall: Record<keyof typeof calls, readonly Role[]> = {
  figureOfToday: ['viewer', 'support', 'finance', 'admin'],
  figureOfNetworks: ['viewer', 'support', 'finance', 'admin'],
  figureOfFloat: ['viewer', 'support', 'finance'],
  figureOfSuspense: ['support', 'finance'],
  figureOfMerchant: ['support', 'finance', 'admin'],
  queue: ['viewer', 'support', 'finance', 'admin'],
  find: ['support'],
  enquire: ['support'],
  importStatement: ['finance'],
  listPayments: ['support', 'finance', 'admin'],
  counts: ['viewer', 'support', 'finance', 'admin'],
  listAccounts: ['support', 'finance', 'admin'],
  createAccount: ['admin'],
  getAccount: ['support', 'finance', 'admin'],
  listKeys: ['support', 'finance', 'admin'],
  listCallbacks: ['support', 'finance', 'admin'],
  getStatement: ['finance', 'admin'],
  checkChannels: ['support', 'finance', 'admin'],
  continueLiveSend: ['finance'],
  listReturns: ['support', 'finance'],
  verifyAudit: ['admin'],
  listAudit: ['admin'],
  getLimits: ['support', 'finance', 'admin'],
  getFees: ['finance', 'admin'],
  getFeeStatement: ['finance', 'admin'],
  listChannels: ['viewer', 'support', 'finance', 'admin'],
  pingCallbacks: ['support', 'admin'],
  resendCallback: ['support', 'finance', 'admin'],
  listAttention: ['support', 'finance'],
  getTransaction: ['support', 'finance'],
  listSuspense: ['support', 'finance'],
  getSuspenseItem: ['support', 'finance'],
  listLines: ['support', 'finance'],
  getLine: ['support', 'finance'],
  listDays: ['viewer', 'support', 'finance'],
  listFloat: ['viewer', 'support', 'finance'],
  dailyReport: ['finance', 'admin'],
  listProposals: ['support', 'finance', 'admin'],
  getProposal: ['support', 'finance', 'admin'],
  propose: ['viewer', 'support', 'finance', 'admin'],
  approve: ['viewer', 'support', 'finance', 'admin'],
  reject: ['viewer', 'support', 'finance', 'admin'],
  whoAmI: ['viewer', 'support', 'finance', 'admin'],
  rotateOwnToken: ['viewer', 'support', 'finance', 'admin'],
  listOperators: ['admin'],
  getOperator: ['admin'],
  createOperator: ['admin'],
  checkLedger: ['finance', 'admin'],
  listVolumes: ['finance', 'admin'],
  listLargeMovements: ['finance', 'admin'],
  ledgerBalances: ['finance', 'admin'],
  erasePayers: ['admin'],
  readAudit: ['admin'],
};

describe('who may do what', () => {
  const { test, desk } = useOperatorDesk();

  const merchantKey = async () => {
    const { accountId } = await createMerchant(test.database);
    return desk.keys.createKey({ accountId, actor: 'test', scopes });
  };
  const names = Object.keys(calls) as (keyof typeof calls)[];
  const audited = async (name: string, operator: string) => {
    const rows = await test.sql`SELECT actor, address, request_id, detail FROM audit_log
      WHERE action = ${`call.${name}`} AND actor = ${`operator:${operator}`} ORDER BY id DESC LIMIT 1`;
    return rows[0];
  };

  for (const name of names)
    it(`${name}: ${mayCall[name].join(', ')}`, async () => {
      const {
        method,
        paths: [path],
        body,
      } = calls[name] as Call;
      const asked = (as: string | null) =>
        desk.call(as, method, path.replace('{id}', 'none'), body ? {} : undefined);
      for (const role of roles) {
        // Its own token would end.
        if (name === 'rotateOwnToken') continue;
        const { status, body: answer, headers } = await asked(`only-${role}`);
        assert.notEqual(status, 401, role);
        assert.notEqual(status, 500, JSON.stringify(answer));
        assert.equal(status === 403, !mayCall[name].includes(role), `${role}: ${JSON.stringify(answer)}`);
        const line = await audited(name, `only-${role}`);
        assert.equal(line?.detail.outcome, status === 200 ? 'done' : answer.code, role);
        assert.equal(line.address, '127.0.0.1');
        assert.equal(line.request_id, headers.get('x-request-id'));
      }
      const { status, body: answer, headers } = await asked(null);
      assert.deepEqual([status, answer.code, answer.success], [401, 'unauthorized', false]);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    });

  it('is asked of a token: a merchant’s key is none, nor is one that was never issued', async () => {
    const { apiKey } = await merchantKey();
    for (const none of [apiKey, newKey('op', newKeyId()), 'op_x'])
      assert.equal((await desk.call(none, 'GET', 'me')).status, 401, none);
  });

  it('is asked of the table: a call without a line here does not compile, and no role is left without a call', () => {
    for (const role of roles)
      assert.ok(
        names.some((name) => calls[name].roles.some((one) => one === role)),
        role,
      );
    for (const name of names)
      assert.deepEqual([...calls[name].roles].sort(), [...mayCall[name]].sort(), name);
  });
});

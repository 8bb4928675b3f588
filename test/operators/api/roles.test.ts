import assert from 'node:assert/strict';
import { newKey, newKeyId } from '../../../src/accounts/key-format.ts';
import { scopes } from '../../../src/accounts/keys.ts';
import type { Call } from '../../../src/operators/api/call.ts';
import { calls } from '../../../src/operators/api/calls.ts';
import { roles } from '../../../src/operators/people/roles.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

/** Who may do what: the page for operators, the tests of the calls and the table itself have to agree on it. */
const WHO: Record<string, string> = {
  'viewer support finance admin': `
    figureOfToday figureOfNetworks queue counts listChannels propose approve reject whoAmI
    rotateOwnToken
  `,
  'viewer support finance': 'figureOfFloat listDays listFloat',
  'support finance': `
    figureOfSuspense listReturns listAttention getTransaction listSuspense getSuspenseItem listLines
    getLine
  `,
  'support finance admin': `
    figureOfMerchant listPayments listAccounts getAccount listKeys listCallbacks checkChannels
    getLimits resendCallback listProposals getProposal
  `,
  support: 'find enquire',
  finance: 'importStatement continueLiveSend',
  admin: `
    createAccount verifyAudit listAudit listOperators getOperator createOperator erasePayers
    readAudit
  `,
  'finance admin': `
    getStatement getFees getFeeStatement dailyReport checkLedger listVolumes listLargeMovements
    ledgerBalances
  `,
  'support admin': 'pingCallbacks',
};
const mayCall = new Map(
  Object.entries(WHO).flatMap(([its, calls]) =>
    calls
      .trim()
      .split(/\s+/)
      .map((name) => [name, its.split(' ')] as const),
  ),
);
const rolesOf = (name: string): readonly string[] =>
  mayCall.get(name) ?? assert.fail(`${name} has no line here`);

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
    it(`${name}: ${mayCall.get(name)?.join(', ')}`, async () => {
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
        assert.equal(status === 403, !rolesOf(name).includes(role), `${role}: ${JSON.stringify(answer)}`);
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

  it('is asked of the table: each call has a line here, and no role is left without a call', () => {
    for (const role of roles)
      assert.ok(
        names.some((name) => calls[name].roles.some((one) => one === role)),
        role,
      );
    for (const name of names)
      assert.deepEqual([...calls[name].roles].sort(), [...rolesOf(name)].sort(), name);
    assert.equal(mayCall.size, names.length, 'and each line is of a call');
  });
});

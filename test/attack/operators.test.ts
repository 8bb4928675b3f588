// tests: hard
import assert from 'node:assert/strict';
import { makeKey } from '../../src/accounts/key-format.ts';
import { calls } from '../../src/operators/api/calls.ts';
import { makeToken } from '../../src/operators/people/token-text.ts';
import { type Json, mobilePayoutBody, newKey } from '../support/gateway.ts';
import { knock, openVictim, operate, useTarget, type Victim } from './target.ts';

type Made = Omit<ReturnType<typeof makeToken>, 'token'>;

describe('attack: operators', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  const enrolment = (operator: string, { tokenId, fingerprint } = makeToken() as Made) => ({
    operator,
    token_id: tokenId,
    fingerprint,
    days: 1,
  });

  const topUp = () => ({
    account_id: victim.accountId,
    amount: 100_000,
    currency: 'TZS',
    reference: `line ${newKey()}`,
  });
  async function propose(action = 'accounts.top-up', payload: object = topUp()): Promise<Json> {
    const asked = { action, payload, reason: 'because' };
    const { status, json } = await operate(target, 'asha', 'POST', 'proposals', asked);
    assert.equal(status, 200, JSON.stringify(json));
    return json.proposal;
  }
  const approve = (as: string, { id, payload_hash }: Json) =>
    operate(target, as, 'POST', `proposals/${id}/approve`, { payload_hash });
  const gained = async () => (await victim.money()).current - 100_000_000;

  it('are asked nothing without a token, with a merchant’s key, or on the merchants’ port', async () => {
    for (const {
      method,
      paths: [path],
    } of Object.values(calls)) {
      const where = `/operator/v1/${path.replace('{id}', 'none')}`;
      const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
      const outside = await knock(`${target.local.api_url}${where}`, { method, ...body });
      assert.equal(outside.status, 404, where);
    }
    const url = `${target.local.management_url}/operator/v1/audit`;
    for (const [number, given] of ['', victim.apiKey, target.local.api_key, 'op_x'].entries()) {
      const headers: Record<string, string> = given ? { authorization: `Bearer ${given}` } : {};
      const { status } = await knock(url, { method: 'GET', headers, from: `203.0.113.${20 + number}` });
      assert.equal(status, 401);
    }
  });

  it('an admin alone is never two: neither by a person he makes up nor in the name of a colleague', async () => {
    const mine = await propose();
    const puppet = `puppet-${newKey().slice(0, 8)}`;
    const added = { name: puppet, email: `${puppet}@example.com`, roles: ['finance', 'admin'] };
    assert.equal(
      (await operate(target, 'asha', 'POST', 'operators', added)).status,
      422,
      'no role by the way',
    );
    const { name, email } = added;
    assert.equal((await operate(target, 'asha', 'POST', 'operators', { name, email })).status, 200);
    for (const who of [puppet, 'juma', 'asha'])
      for (const [method, where] of [
        ['POST', `operators/${who}/tokens`],
        ['PUT', `operators/${who}/tokens`],
        ['POST', `operators/${who}/rotate`],
        ['POST', `operators/${who}/token`],
        ['PUT', `operators/${who}`],
      ] as const)
        assert.match(
          `${(await operate(target, 'asha', method, where, { days: 1 })).status}`,
          /40[45]/,
          where,
        );
    const issued = await operate(target, 'asha', 'POST', 'me/token', { operator: 'juma', days: 1 });
    assert.equal(issued.status, 422);

    const made = makeToken();
    const proposals = [
      await propose('operators.roles', { operator: puppet, roles: ['finance', 'admin'] }),
      await propose('operators.token', enrolment(puppet, made)),
    ];
    for (const one of proposals) assert.equal((await approve('asha', one)).status, 403);
    const inHisName = { action: 'operators.token', payload: enrolment('juma', made), reason: 'x' };
    const refused = await operate(target, 'asha', 'POST', 'proposals', inHisName);
    assert.deepEqual([refused.status, refused.json.code], [409, 'conflict'], 'juma has a token');
    for (const one of [mine, ...proposals]) assert.equal((await approve(made.token, one)).status, 401);
    assert.equal(await gained(), 0);
  });

  it('an admin alone pays from nobody’s account: a key, and another secret of one, take two', async () => {
    const [own, stolen] = [makeKey('sk_test'), makeKey('sk_test', victim.apiKey.split('_')[2])];
    const printed = ({ id, fingerprint }: typeof own) => ({ key: `sk_test_${id}`, fingerprint });
    const account = { account_id: victim.accountId, scopes: ['payouts:write'] };
    for (const [method, where] of [
      ['POST', `accounts/${victim.accountId}/keys`],
      ['PUT', `accounts/${victim.accountId}/keys`],
      ['POST', `keys/${stolen.id}/rotate`],
      ['PUT', `keys/${stolen.id}`],
    ] as const)
      assert.equal(
        (await operate(target, 'asha', method, where, { ...account, ...printed(own) })).status,
        404,
      );
    const proposals = [
      await propose('keys.create', { ...account, ...printed(own) }),
      await propose('keys.rotate', printed(stolen)),
    ];
    for (const one of proposals) assert.equal((await approve('asha', one)).status, 403);
    const pay = ({ text }: typeof own) =>
      target.request('POST', 'payouts/mobile', { apiKey: text, key: newKey(), body: mobilePayoutBody() });
    for (const made of [own, stolen]) assert.equal((await pay(made)).status, 401);
    assert.equal(await gained(), 0);
    for (const one of proposals) assert.equal((await approve('juma', one)).json.proposal.state, 'executed');
    for (const made of [own, stolen]) assert.equal((await pay(made)).status, 200);
  });

  it('a token that was let in once opens nothing for another person, and not twice', async () => {
    const { token, ...made } = makeToken();
    const [one, two] = [`one-${newKey().slice(0, 8)}`, `two-${newKey().slice(0, 8)}`];
    for (const person of [one, two])
      await operate(target, 'asha', 'POST', 'operators', { name: person, email: `${person}@example.com` });
    const first = await propose('operators.token', enrolment(one, made));
    const second = await propose('operators.token', enrolment(two, made));
    assert.equal((await approve('juma', first)).json.proposal.state, 'executed');
    assert.equal((await approve('juma', second)).json.proposal.state, 'failed');
    // Known to everybody who may read proposals, and no token.
    assert.equal((await operate(target, `op_${made.tokenId}_${made.fingerprint}`, 'GET', 'me')).status, 401);
    assert.equal((await operate(target, token, 'GET', 'me')).status, 403, 'nobody gave a role');
  });
});

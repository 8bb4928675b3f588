// tests: hard
import assert from 'node:assert/strict';
import { makeKey } from '../../src/accounts/key-format.ts';
import { calls } from '../../src/operators/api/calls.ts';
import { type AuditHead, type AuditLine, createChainCheck } from '../../src/operators/people/audit-chain.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import { makeToken } from '../../src/operators/people/token-text.ts';
import { type Json, mobilePayoutBody, newKey } from '../support/gateway.ts';
import { cli } from '../support/shared-gateway.ts';
import { knock, openVictim, operate, useTarget, type Victim } from './target.ts';

type Made = Omit<ReturnType<typeof makeToken>, 'token'>;

describe('attack: operators', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  let hired = 0;
  /** A token of a person with these roles, whom nobody of the suite's operators has hired. */
  async function hire(...roles: Role[]): Promise<{ name: string; token: string }> {
    hired += 1;
    const name = `person-${hired}`;
    const asked = await operate(target, 'asha', 'POST', 'operators', { name, email: `${name}@example.com` });
    assert.equal(asked.status, 200, JSON.stringify(asked.json));
    if (roles.length > 0) {
      const proposed = await propose('operators.roles', { operator: name, roles });
      assert.equal((await approve('juma', proposed)).status, 200);
    }
    return { name, token: await letIn(name) };
  }
  async function letIn(operator: string): Promise<string> {
    const { token, ...made } = makeToken();
    const proposed = await propose('operators.token', enrolment(operator, made));
    assert.equal((await approve('juma', proposed)).json.proposal.state, 'executed');
    return token;
  }
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
  async function propose(action = 'accounts.top-up', payload: object = topUp(), as = 'asha'): Promise<Json> {
    const { status, json } = await operate(target, as, 'POST', 'proposals', {
      action,
      payload,
      reason: 'because',
    });
    assert.equal(status, 200, JSON.stringify(json));
    return json.proposal;
  }
  const approve = (as: string, proposal: Json, hash: string = proposal.payload_hash) =>
    operate(target, as, 'POST', `proposals/${proposal.id}/approve`, { payload_hash: hash });
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

  it('a viewer sees nobody’s data and proposes, approves and changes nothing', async () => {
    const { token } = await hire('viewer');
    const mine = await propose();
    for (const where of ['accounts', 'keys', 'attention', 'audit', 'operators', 'proposals'])
      assert.equal((await operate(target, token, 'GET', where)).status, 403, where);
    for (const action of ['accounts.top-up', 'accounts.withdraw', 'keys.create', 'keys.rotate'])
      assert.equal(
        (await operate(target, token, 'POST', 'proposals', { action, payload: topUp(), reason: 'x' })).status,
        403,
      );
    assert.equal((await approve(token, mine)).status, 403);
    for (const [method, where, body] of [
      ['POST', 'ledger/balances', undefined],
      ['POST', 'accounts', { name: 'Mine' }],
      [
        'POST',
        'proposals',
        {
          action: 'limits.set',
          payload: { account_id: victim.accountId, limits: { payout_max: 1 } },
          reason: 'r',
        },
      ],
      ['POST', 'proposals', { action: 'operators.disable', payload: { operator: 'juma' }, reason: 'r' }],
    ] as const)
      assert.equal((await operate(target, token, method, where, body)).status, 403, where);
    assert.equal(await gained(), 0);
  });

  it('nobody approves what he proposed', async () => {
    const mine = await propose();
    assert.equal((await approve('asha', mine)).status, 403);
    assert.equal(await gained(), 0);
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
    const { name } = await hire();
    await propose('operators.disable', { operator: name }, 'juma');
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

  it('what is approved is what was shown, once, however often and by however many it is sent', async () => {
    const [mine, other] = [await propose(), await propose()];
    for (const hash of [other.payload_hash, '', '0'.repeat(64), mine.payload_hash.slice(0, 4)])
      assert.ok([400, 409, 422].includes((await approve('juma', mine, hash)).status), hash);
    assert.equal(await gained(), 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => approve('juma', mine)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.ok(answers.every(({ status }) => [200, 409].includes(status)));
    assert.equal((await approve('juma', mine)).status, 409, 'a replay');
    assert.equal(await gained(), 100_000);
  });

  it('a payload that was changed by hand after its proposal is not carried out', async () => {
    const mine = await propose();
    const { database } = target;
    await database.query('ALTER TABLE proposals DISABLE TRIGGER proposals_guarded');
    await database.query(
      "UPDATE proposals SET payload = replace(payload, '100000', '99999999') WHERE id = $1",
      [mine.id],
    );
    await database.query('ALTER TABLE proposals ENABLE TRIGGER proposals_guarded');
    assert.equal((await approve('juma', mine)).status, 409);
    assert.equal(await gained(), 0);
  });

  it('a token that expired or was revoked, and one of a disabled person, opens nothing', async () => {
    const { name, token } = await hire('finance');
    const me = async (given: string) => (await operate(target, given, 'GET', 'me')).status;
    assert.equal(await me(token), 200);
    const mine = await propose();
    await target.database.query(
      "UPDATE operator_tokens SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second' WHERE operator = $1",
      [name],
    );
    assert.equal(await me(token), 401);
    assert.equal((await approve(token, mine)).status, 401);

    const second = await letIn(name);
    assert.equal(await me(second), 200);
    const tokenId = second.split('_')[1];
    await propose('operators.revoke', { token_id: tokenId }, 'juma');
    assert.equal(await me(second), 401);

    const third = await letIn(name);
    await propose('operators.disable', { operator: name }, 'juma');
    assert.equal(await me(third), 401);
    assert.equal(await gained(), 0);
  });

  /** What is wrong with the audit log as an admin reads it; null when nothing is. */
  async function breach(): Promise<string | null> {
    const check = createChainCheck();
    let [after, end] = [0, 1];
    for (let head: AuditHead | null = null; after < end; ) {
      const { json } = await operate(target, 'asha', 'GET', `audit?after=${after}`);
      head ??= json.head as AuditHead;
      end = head.id;
      for (const line of json.lines as AuditLine[]) {
        if (line.id > end) return check.endsAt(head);
        const wrong = check.take(line);
        if (wrong !== null) return wrong;
        after = line.id;
      }
      if (after >= end) return check.endsAt(head);
    }
    return null;
  }

  it('an audit log that somebody changed by hand is found', async () => {
    assert.equal(await breach(), null);
    const { database } = target;
    const { rows } = await database.query(
      'SELECT id, actor FROM audit_log ORDER BY id DESC OFFSET 3 LIMIT 1',
    );
    const [{ id, actor }] = rows;
    const rewrite = 'UPDATE audit_log SET actor = $2 WHERE id = $1';
    await assert.rejects(database.query(rewrite, [id, 'nobody']), 'its owner cannot by itself');
    const tamper = async (as: string) => {
      await database.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
      await database.query(rewrite, [id, as]);
      await database.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
    };
    await tamper('nobody');
    const found = new RegExp(`line ${id} is not what was written`);
    assert.match((await breach()) ?? 'nothing is wrong', found);
    await assert.rejects(cli(target, 'audit', 'verify'), found);
    await tamper(actor);
    assert.equal(await breach(), null);
  });
});

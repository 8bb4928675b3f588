import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { makeKey } from '../../src/accounts/key-format.ts';
import { createMerchant } from '../support/merchant.ts';
import { type Answer, useOperatorDesk } from '../support/operator-desk.ts';

type Made = ReturnType<typeof makeKey>;

describe("merchants' keys, which two operators let in", () => {
  const { test, desk } = useOperatorDesk({ poolMax: 10 });
  let accountId: string;
  before(async () => {
    ({ accountId } = await createMerchant(test.database));
  });

  const secretOf = ({ id, fingerprint }: Made) => ({ key: `sk_test_${id}`, fingerprint });
  const propose = (made: Made, more: object = {}) => {
    const payload = { account_id: accountId, scopes: ['payouts:write'], ...secretOf(made), ...more };
    return desk.propose('asha', 'keys.create', payload);
  };
  const proposeRotation = (made: Made) => desk.propose('asha', 'keys.rotate', secretOf(made));
  const approve = ({ body }: Answer, as = 'juma') => desk.consent(as, body.proposal);
  const opens = async ({ text }: Made) => (await desk.keys.authenticate(text, '127.0.0.1')) !== null;
  const linesAbout = async (subject: string) =>
    await test.sql`SELECT action, actor, detail FROM audit_log WHERE subject = ${subject} ORDER BY id`;

  it('open nothing before, and exactly what was agreed on after', async () => {
    const made = makeKey('sk_test');
    const asked = await propose(made, {
      label: 'till',
      scopes: ['payouts:write', 'payouts:read'],
      allowed_ips: ['192.0.2.0/24', '::1'],
      expires_at: '2999-01-01',
    });
    assert.equal(
      asked.body.proposal.summary,
      `Activate sk_test_${made.id}:${made.fingerprint} for the account of Test shop (${accountId}): payouts:write, payouts:read, from 192.0.2.0/24 and ::1, until 2998-12-31T21:00:00.000Z. Before you approve, ask the merchant for this fingerprint. Its label: "till"`,
    );
    assert.ok(!(await opens(made)));
    assert.equal((await approve(asked)).body.proposal.state, 'executed');
    const principal = await desk.keys.authenticate(made.text, '192.0.2.9');
    assert.deepEqual(
      [principal?.accountId, principal?.scopes, principal?.keyId],
      [accountId, ['payouts:write', 'payouts:read'], made.id],
    );
    assert.ok(!(await opens(made)), 'not from another address');
    const [line, ...others] = await linesAbout(made.id);
    assert.deepEqual(
      [others, line?.action, line?.actor, line?.detail.proposal],
      [[], 'keys.create', 'operator:juma', asked.body.proposal.id],
    );
  });

  it('are known to nobody here: the text is in no answer and in no table', async () => {
    const made = makeKey('sk_test');
    const answers = [await propose(made)];
    answers.push(await approve(answers[0] as Answer), await desk.call('asha', 'GET', 'keys?per_page=200'));
    const rows =
      await test.sql`SELECT (SELECT json_agg(s) FROM api_key_secrets s)::text || (SELECT json_agg(p) FROM proposals p)::text
      || (SELECT json_agg(a) FROM audit_log a)::text AS everything`;
    const secret = made.text.slice(-38, -6);
    for (const text of [rows[0].everything, JSON.stringify(answers.map(({ body }) => body))])
      assert.ok(text.length > 100 && !text.includes(secret));
    const guess = `sk_test_${made.id}_${made.fingerprint.slice(0, 38)}`;
    assert.equal(await desk.keys.authenticate(guess, '127.0.0.1'), null, 'a fingerprint is no key');
  });

  it('are let in by an id once, whatever else was proposed for it', async () => {
    const made = makeKey('sk_test');
    const [asked, again] = [await propose(made), await propose(made, { scopes: ['payments:read'] })];
    await approve(asked);
    const { proposal } = (await approve(again)).body;
    assert.deepEqual([proposal.state, /make another one/.test(proposal.outcome)], ['failed', true]);
    assert.equal((await linesAbout(made.id)).length, 1);
    assert.deepEqual((await desk.keys.authenticate(made.text, '127.0.0.1'))?.scopes, ['payouts:write']);
  });

  it('are not let in by an approval that did not end, and by its repetition once', async () => {
    const made = makeKey('sk_test');
    const asked = await propose(made);
    // The last statement of the approval fails: the key was written before it.
    await test.sql`CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.action = 'proposals.approve' THEN RAISE EXCEPTION 'disk full'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER no_audit BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION no_audit()`;
    try {
      assert.equal((await approve(asked)).status, 500);
    } finally {
      await test.database.query('DROP TRIGGER no_audit ON audit_log; DROP FUNCTION no_audit');
    }
    assert.ok(!(await opens(made)));
    assert.deepEqual(await linesAbout(made.id), []);
    assert.equal((await approve(asked)).body.proposal.state, 'executed');
    assert.ok(await opens(made));
    assert.equal((await approve(asked)).status, 409, 'its answer was lost');
    assert.equal((await linesAbout(made.id)).length, 1);
  });

  it('are not let in when they would have expired themselves', async () => {
    const short = makeKey('sk_test');
    const soon = await propose(short, { expires_at: new Date(Date.now() + 1_800_000).toISOString() });
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
    const { proposal } = (await approve(soon).finally(() => Object.assign(Date, { now }))).body;
    assert.deepEqual([proposal.state, /is in the past/.test(proposal.outcome)], ['failed', true]);
    assert.deepEqual(await linesAbout(short.id), []);
  });

  it('are refused where they make no sense', async () => {
    const made = makeKey('sk_test');
    for (const [wrong, why] of [
      [{ scopes: [] }, /at least one of payments:write, payments:read, payouts:write/],
      [{ scopes: undefined }, /at least one of/],
      [{ scopes: ['everything'] }, /must be one of payments:write/],
      [{ allowed_ips: ['10.0.0.0/33'] }, /must be an address or a network/],
      [{ allowed_ips: ['example.com'] }, /must be an address or a network/],
      [{ allowed_ips: [`fe80::1%${'x'.repeat(100)}`] }, /must be an address or a network/],
      [{ expires_at: '2020-01-01T00:00:00Z' }, /is in the past/],
      [{ expires_at: 'tomorrow' }, /ISO 8601/],
      [{ key: `sk_live_${made.id}` }, /here keys begin with sk_test_/],
      [{ key: made.text }, /must be what keys new printed/],
      [{ fingerprint: made.text }, /must be what keys new printed/],
      [{ label: '\u001b[2Kanother line' }, /label must be one line/],
      [{ label: '\u202eanother order' }, /label must be one line/],
      [{ text: made.text }, /payload.text is an unknown field/],
    ] as const) {
      const { status, body } = await propose(made, wrong);
      assert.equal(status, 422, JSON.stringify(wrong));
      assert.match(body.message, why);
    }
    assert.equal((await propose(made, { account_id: randomUUID() })).status, 404);
  });

  it('get another secret by two as well, beside the one before; never one that they had', async () => {
    const first = makeKey('sk_test');
    await approve(await propose(first));
    const second = makeKey('sk_test', first.id);
    const asked = await proposeRotation(second);
    assert.match(asked.body.proposal.summary, new RegExp(`sk_test_${first.id}:${second.fingerprint};`));
    assert.equal((await approve(asked, 'asha')).status, 403);
    assert.deepEqual([await opens(first), await opens(second)], [true, false]);
    assert.equal((await approve(asked)).body.proposal.state, 'executed');
    assert.deepEqual([await opens(first), await opens(second)], [true, true]);
    assert.equal((await linesAbout(first.id)).at(-1)?.detail.proposal, asked.body.proposal.id);

    const third = makeKey('sk_test', first.id);
    await approve(await proposeRotation(third));
    assert.deepEqual([await opens(first), await opens(third)], [false, true]);
    const { proposal } = (await approve(await proposeRotation(first))).body;
    assert.deepEqual([proposal.state, /had this secret before/.test(proposal.outcome)], ['failed', true]);
    assert.deepEqual([await opens(first), await opens(second), await opens(third)], [false, true, true]);

    const open = await proposeRotation(makeKey('sk_test', first.id));
    const revoke = () => desk.propose('asha', 'keys.revoke', { key_id: `sk_test_${first.id}` });
    assert.deepEqual([(await revoke()).status, (await revoke()).status], [200, 404]);
    assert.ok(!(await opens(third)));
    assert.equal((await linesAbout(first.id)).at(-1)?.action, 'keys.revoke');
    assert.equal((await approve(open)).body.proposal.state, 'failed', 'it was revoked meanwhile');
    assert.equal((await proposeRotation(makeKey('sk_test', first.id))).status, 404);
    assert.equal((await proposeRotation(makeKey('sk_test'))).status, 404);
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { audit } from '../../src/db/audit.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import { action } from '../../src/operators/proposals/actions.ts';
import { type By, createProposals, type Proposal } from '../../src/operators/proposals/proposals.ts';
import { actions } from '../support/actions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';

describe('four eyes', () => {
  let test: TestDatabase;
  let number = 0;
  before(async () => {
    test = await createTestDatabase({ poolMax: 10 });
    for (const name of ['asha', 'juma', 'neema'])
      await test.database.query(
        "INSERT INTO operators (name, email, roles) VALUES ($1, $1 || '@example.com', '{admin,finance}')",
        [name],
      );
  });
  after(() => test.drop());
  beforeEach(() => {
    mood = 'well';
    executed = [];
  });

  /** What the actions of this test do; `mood` says how it ends. */
  let mood: 'well' | 'refused' | 'broken' = 'well';
  let executed: string[] = [];
  const noted = action<{ what: string }>({
    role: 'finance',
    payload: z.strictObject({ what: z.string() }),
    describe: ({ what }) => `note ${what}`,
    check: async () => {},
    async execute(db, { what }, { actor, proposalId }) {
      executed.push(what);
      await audit(db, { actor, action: 'test.noted', subject: what, detail: { proposal: proposalId } });
      if (mood === 'refused') throw new GatewayError('conflict', 'it is too late');
      if (mood === 'broken') throw new Error('the database is gone');
      return { outcome: `${what} is noted`, wake: what };
    },
  });
  const desk = (fourEyes = true) =>
    createProposals({ database: test.database, actions: { ...actions, 'test.note': noted }, fourEyes });
  const by = (name: string, roles: Role[] = ['finance', 'admin']): By => ({
    caller: { name, roles, tokenId: 't' },
    actor: { operator: name, address: '192.0.2.1', requestId: 'req_1' },
  });
  const propose = (proposals = desk()): Promise<Proposal> => {
    number += 1;
    const asked = { action: 'test.note', payload: { what: `n${number}` }, reason: 'because' };
    return proposals.propose(asked, by('asha'));
  };
  const approve = ({ id, payloadHash }: Proposal, name = 'juma', proposals = desk()) =>
    proposals.approve({ id, payloadHash }, by(name));
  const linesAbout = async (subject: string) =>
    (
      await test.database.query('SELECT action FROM audit_log WHERE subject = $1 ORDER BY id', [subject])
    ).rows.map((row) => row.action);

  it('carry out what another operator approves, once, and say so in the audit log', async () => {
    const proposal = await propose();
    assert.equal(proposal.state, 'proposed');
    const { proposal: after, wake } = await approve(proposal);
    assert.deepEqual(
      [after.state, after.decidedBy, after.outcome],
      ['executed', 'juma', `n${number} is noted`],
    );
    assert.equal(wake, `n${number}`);
    await assert.rejects(approve(proposal, 'neema'), /executed by juma already/);
    assert.deepEqual(executed, [`n${number}`]);
    assert.deepEqual(await linesAbout(proposal.id), ['proposals.propose', 'proposals.approve']);
  });

  it('carry it out once however many approve at the same moment', async () => {
    const proposal = await propose();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => approve(proposal, index % 2 === 0 ? 'juma' : 'neema')),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(executed.length, 1);
    assert.deepEqual(await linesAbout(`n${number}`), ['test.noted']);
  });

  it('either approve or reject, when both come at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      executed = [];
      const proposal = await propose();
      const results = await Promise.allSettled([
        approve(proposal),
        desk().reject({ id: proposal.id, reason: 'no' }, by('neema')),
      ]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      const { state } = await desk().get(proposal.id, by('asha').caller);
      assert.equal(executed.length, state === 'executed' ? 1 : 0, state);
    }
  });

  it('let nobody approve what he proposed, but withdraw it', async () => {
    const proposal = await propose();
    await assert.rejects(approve(proposal, 'asha'), /another operator has to approve it/);
    const withdrawn = await desk().reject({ id: proposal.id, reason: 'typed twice' }, by('asha', []));
    assert.deepEqual([withdrawn.state, withdrawn.outcome], ['rejected', 'typed twice']);
    await assert.rejects(approve(proposal), /rejected by asha already/);
    assert.deepEqual(executed, []);
  });

  it('are two, says the database itself', async () => {
    const proposal = await propose();
    await assert.rejects(
      test.database.query(
        "UPDATE proposals SET state = 'approved', decided_by = 'asha', decided_at = now() WHERE id = $1",
        [proposal.id],
      ),
      /two_operators/,
    );
  });

  it('may be one where the setting says so', async () => {
    const alone = desk(false);
    const { proposal } = await approve(await propose(alone), 'asha', alone);
    assert.equal(proposal.state, 'executed');
  });

  it('approve exactly what has this hash', async () => {
    const proposal = await propose();
    const expected = createHash('sha256').update(`test.note\n{"what":"n${number}"}`).digest('hex');
    assert.equal(proposal.payloadHash, expected);
    const other = await propose();
    await assert.rejects(
      approve({ ...proposal, payloadHash: other.payloadHash }),
      /not that of this proposal/,
    );
    assert.deepEqual(executed, []);
  });

  it('notice a payload that somebody changed in the database, which refuses it in the first place', async () => {
    const proposal = await propose();
    const change = 'UPDATE proposals SET payload = \'{"what":"evil"}\' WHERE id = $1';
    await assert.rejects(test.database.query(change, [proposal.id]), /cannot be changed/);
    await test.database.query('ALTER TABLE proposals DISABLE TRIGGER proposals_guarded');
    await test.database.query(change, [proposal.id]);
    await test.database.query('ALTER TABLE proposals ENABLE TRIGGER proposals_guarded');
    await assert.rejects(approve(proposal), /not that of this proposal/);
    assert.deepEqual(executed, []);
  });

  it('need the role of the action, of both', async () => {
    const asked = { action: 'test.note', payload: { what: 'x' }, reason: 'r' };
    await assert.rejects(desk().propose(asked, by('asha', ['support', 'admin'])), /needs the role finance/);
    const { id, payloadHash } = await propose();
    await assert.rejects(
      desk().approve({ id, payloadHash }, by('juma', ['viewer'])),
      /needs the role finance/,
    );
    await assert.rejects(
      desk().reject({ id, reason: 'no' }, by('juma', ['viewer'])),
      /needs the role finance/,
    );
  });

  it('do not carry out what somebody proposed who may not any more', async () => {
    const proposal = await propose();
    await test.database.query("UPDATE operators SET roles = '{support}' WHERE name = 'asha'");
    try {
      await assert.rejects(approve(proposal), /asha may not propose this any more/);
    } finally {
      await test.database.query("UPDATE operators SET roles = '{admin,finance}' WHERE name = 'asha'");
    }
    assert.deepEqual(executed, []);
  });

  it('have 24 hours', async () => {
    const proposal = await propose();
    const hours = (Date.parse(proposal.expiresAt) - Date.parse(proposal.proposedAt)) / 3_600_000;
    assert.equal(hours, 24);
    await test.database.query('ALTER TABLE proposals DISABLE TRIGGER proposals_guarded');
    await test.database.query("UPDATE proposals SET expires_at = now() - interval '1 second' WHERE id = $1", [
      proposal.id,
    ]);
    await test.database.query('ALTER TABLE proposals ENABLE TRIGGER proposals_guarded');
    await assert.rejects(approve(proposal), /It has expired/);
    await assert.rejects(desk().reject({ id: proposal.id, reason: 'late' }, by('juma')), /It has expired/);
    assert.equal((await desk().get(proposal.id, by('asha').caller)).state, 'expired');
    const { items } = await desk().list({ page: 1, perPage: 10, state: 'expired' }, by('asha').caller);
    assert.deepEqual(
      items.map(({ id }) => id),
      [proposal.id],
    );
    assert.deepEqual(executed, []);
  });

  it('note what the action refuses as failed, and keep nothing of it', async () => {
    const proposal = await propose();
    mood = 'refused';
    const { proposal: after } = await approve(proposal);
    assert.deepEqual([after.state, after.outcome], ['failed', 'it is too late']);
    assert.deepEqual(await linesAbout(`n${number}`), [], 'what the action wrote is gone');
    mood = 'well';
    await assert.rejects(approve(proposal), /failed by juma already/);
  });

  it('leave a proposal open when its execution breaks: nothing happened, and it can be approved again', async () => {
    const proposal = await propose();
    mood = 'broken';
    await assert.rejects(approve(proposal), /the database is gone/);
    assert.equal((await desk().get(proposal.id, by('asha').caller)).state, 'proposed');
    assert.deepEqual(await linesAbout(`n${number}`), []);
    mood = 'well';
    assert.equal((await approve(proposal)).proposal.state, 'executed');
    assert.deepEqual(await linesAbout(`n${number}`), ['test.noted']);
  });

  it('say in plain words what a payload lacks, and which of its members nobody knows', async () => {
    const asked = { action: 'operators.roles', payload: { colour: 1, size: 2 }, reason: 'r' };
    await assert.rejects(desk().propose(asked, by('asha')), (error: GatewayError) => {
      const told = (error.detail.errors ?? []).map(({ field, message }) => `${field} ${message}`);
      assert.deepEqual(told.sort(), [
        'payload.colour is not known here',
        'payload.operator is required',
        'payload.roles is required',
        'payload.size is not known here',
      ]);
      assert.match(error.message, /^4 fields need correcting: payload\./);
      return true;
    });
    await assert.rejects(
      desk().propose({ ...asked, payload: { operator: 'neema', roles: 'support' } }, by('asha')),
      { message: 'payload.roles must be of the JSON type array' },
    );
  });

  it('refuse an unknown action and a payload that is none, field by field', async () => {
    const asked = {
      action: 'accounts.top-up',
      payload: { account_id: 'x', amount: 1.5, colour: 1 },
      reason: 'r',
    };
    await assert.rejects(desk().propose(asked, by('asha')), (error: GatewayError) => {
      assert.equal(error.code, 'validation_failed');
      const fields = error.detail.errors?.map(({ field }) => field);
      for (const field of ['payload.account_id', 'payload.amount', 'payload.currency', 'payload.reference'])
        assert.ok(fields?.includes(field), field);
      return true;
    });
    await assert.rejects(desk().propose({ ...asked, action: 'constructor' }, by('asha')), /must be one of/);
  });

  it('stay open to others when one person has proposed too much, and end with who is disabled', async () => {
    await test.database.query(
      "INSERT INTO operators (name, email, roles) VALUES ('baraka', 'b@example.com', '{finance}')",
    );
    await test.database.query(
      `INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at)
       SELECT 'pr_many_' || n, 'test.note', '{}', 'x', 'r', 'baraka', now() + interval '1 day'
       FROM generate_series(1, 1000) n`,
    );
    const asked = { action: 'test.note', payload: { what: 'one more' }, reason: 'r' };
    await assert.rejects(desk().propose(asked, by('baraka')), /200 proposals of yours are open/);
    const other = await propose();
    const operators = createOperators({ database: test.database, hashSecrets: ringOf() });
    assert.equal(await operators.disable({ name: 'baraka', actor: by('juma').actor }), true);
    const { rows } = await test.database.query(
      "SELECT state, decided_by, outcome, count(*)::int AS n FROM proposals WHERE proposed_by = 'baraka' GROUP BY 1, 2, 3",
    );
    assert.deepEqual(rows, [
      { state: 'rejected', decided_by: 'juma', outcome: 'baraka was disabled', n: 1000 },
    ]);
    assert.equal((await approve(other)).proposal.state, 'executed');
  });

  it('are overtaken where what they change was changed meanwhile', async () => {
    const { accountId } = await createMerchant(test.database, {});
    const setMax = (payout_max: number | null) =>
      desk().propose(
        { action: 'limits.set', payload: { account_id: accountId, limits: { payout_max } }, reason: 'r' },
        by('asha'),
      );
    const roles = (its: Role[]) =>
      desk().propose(
        { action: 'operators.roles', payload: { operator: 'neema', roles: its }, reason: 'r' },
        by('asha'),
      );
    const [limit, older, role, olderRole] = [
      await setMax(2_000_00),
      await setMax(9_000_00),
      await roles(['admin']),
      await roles(['admin', 'finance', 'support']),
    ];
    assert.deepEqual(limit.facts, [{ name: 'payout_max', before: 'none', after: '2,000.00 TZS' }]);
    assert.deepEqual(role.facts, [{ name: 'roles', before: 'admin and finance', after: 'admin' }]);
    for (const one of [limit, role]) assert.equal((await approve(one)).proposal.state, 'executed');
    const late = [await approve(older), await approve(olderRole)].map(({ proposal }) => proposal);
    assert.deepEqual(
      late.map(({ state, outcome }) => `${state}: ${outcome}`),
      [
        'failed: payout_max was set to 2,000.00 TZS meanwhile: look at it again, and propose it again',
        'failed: neema is admin meanwhile: look at it again, and propose it again',
      ],
    );
    const { rows } = await test.database.query('SELECT payout_max FROM limits WHERE account_id = $1', [
      accountId,
    ]);
    assert.equal(rows[0].payout_max, 2_000_00);
    const again = await approve(await roles(['admin', 'finance']));
    assert.equal(again.proposal.state, 'executed', 'what is proposed anew is looked at anew');
  });

  it('change roles', async () => {
    const payload = { operator: 'neema', roles: ['support', 'support'] };
    const asked = { action: 'operators.roles', payload, reason: 'new job' };
    const { proposal } = await approve(await desk().propose(asked, by('asha')));
    assert.equal(proposal.outcome, 'neema is support');
    const { rows } = await test.database.query("SELECT roles FROM operators WHERE name = 'neema'");
    assert.deepEqual(rows[0].roles, ['support']);
    await assert.rejects(
      desk().propose({ ...asked, payload: { operator: 'nobody', roles: [] } }, by('asha')),
      /no operator nobody/,
    );
  });
});

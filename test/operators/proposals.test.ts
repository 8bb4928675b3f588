import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { disableOperator } from '../../src/operators/people/operators.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { pick } from '../support/pick.ts';
import { expireProposal, setRoles } from '../support/signed-rows.ts';
import { useNotedProposals } from './noted-proposals.ts';

describe('four eyes', () => {
  const { test, acted, desk, by, propose, approve, linesAbout } = useNotedProposals();

  it('carry out what another operator approves, once, and say so in the audit log', async () => {
    const proposal = await propose();
    assert.equal(proposal.state, 'proposed');
    const { proposal: after, wake } = await approve(proposal);
    assert.deepEqual(
      [after.state, after.decidedBy, after.outcome],
      ['executed', 'juma', `n${acted.number} is noted`],
    );
    assert.equal(wake, `n${acted.number}`);
    await assert.rejects(approve(proposal, 'neema'), /executed already \(decided by juma\)/);
    assert.deepEqual(acted.executed, [`n${acted.number}`]);
    assert.deepEqual(await linesAbout(proposal.id), ['proposals.propose', 'proposals.approve']);
    const rows =
      await test.sql`SELECT approved_at = decided_at AS approved, expires_at = proposed_at + interval '1 day' AS expires
      FROM proposals JOIN approvals ON proposal_id = id WHERE id = ${proposal.id}`;
    assert.deepEqual(rows, [{ approved: true, expires: true }], 'by the clock of the database');
  });

  it('carry it out once however many approve at the same moment', async () => {
    const proposal = await propose();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => approve(proposal, index % 2 === 0 ? 'juma' : 'neema')),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(acted.executed.length, 1);
    assert.deepEqual(await linesAbout(`n${acted.number}`), ['test.noted']);
  });

  it('either approve or reject, when both come at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      acted.executed = [];
      const proposal = await propose();
      const results = await Promise.allSettled([
        approve(proposal),
        desk().reject({ id: proposal.id, reason: 'no' }, by('neema')),
      ]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      const { state } = await desk().get(proposal.id, by('asha').caller);
      assert.equal(acted.executed.length, state === 'executed' ? 1 : 0, state);
    }
  });

  it('let nobody approve what he proposed, but withdraw it', async () => {
    const proposal = await propose();
    await assert.rejects(approve(proposal, 'asha'), /another operator has to approve it/);
    const withdrawn = await desk().reject({ id: proposal.id, reason: 'typed twice' }, by('asha', []));
    assert.deepEqual([withdrawn.state, withdrawn.outcome], ['rejected', 'typed twice']);
    await assert.rejects(approve(proposal), /rejected already \(decided by asha\)/);
    assert.deepEqual(acted.executed, []);
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
    const expected = createHash('sha256').update(`test.note\n{"what":"n${acted.number}"}`).digest('hex');
    assert.equal(proposal.payloadHash, expected);
    const other = await propose();
    await assert.rejects(
      approve({ ...proposal, payloadHash: other.payloadHash }),
      /not the hash of the proposal/,
    );
    assert.deepEqual(acted.executed, []);
  });

  it('notice a payload that somebody changed in the database, which refuses it in the first place', async () => {
    const proposal = await propose();
    const change = 'UPDATE proposals SET payload = \'{"what":"evil"}\' WHERE id = $1';
    await assert.rejects(test.database.query(change, [proposal.id]), /cannot be changed/);
    await test.database.query('ALTER TABLE proposals DISABLE TRIGGER proposals_guarded');
    await test.database.query(change, [proposal.id]);
    await test.database.query('ALTER TABLE proposals ENABLE TRIGGER proposals_guarded');
    await assert.rejects(approve(proposal), /not the hash of the proposal/);
    assert.deepEqual(acted.executed, []);
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
    await setRoles(test.database, 'asha', ['support']);
    try {
      await assert.rejects(approve(proposal), /asha may not propose this any more/);
    } finally {
      await setRoles(test.database, 'asha', ['admin', 'finance']);
    }
    assert.deepEqual(acted.executed, []);
  });

  it('have 24 hours', async () => {
    const proposal = await propose();
    const hours = (Date.parse(proposal.expiresAt) - Date.parse(proposal.proposedAt)) / 3_600_000;
    assert.ok(Math.abs(hours - 24) < 0.01, `${hours} hours`);
    await expireProposal(test.database, proposal.id);
    await assert.rejects(approve(proposal), /The proposal has expired/);
    await assert.rejects(
      desk().reject({ id: proposal.id, reason: 'late' }, by('juma')),
      /The proposal has expired/,
    );
    assert.equal((await desk().get(proposal.id, by('asha').caller)).state, 'expired');
    const { items } = await desk().list({ page: 1, perPage: 10, state: 'expired' }, by('asha').caller);
    assert.deepEqual(pick(items, 'id'), [proposal.id]);
    assert.deepEqual(acted.executed, []);
  });

  it('note what the action refuses as failed, and keep nothing of it', async () => {
    const proposal = await propose();
    acted.mood = 'refused';
    const { proposal: after } = await approve(proposal);
    assert.deepEqual([after.state, after.outcome], ['failed', 'it is too late']);
    assert.deepEqual(await linesAbout(`n${acted.number}`), [], 'what the action wrote is gone');
    acted.mood = 'well';
    await assert.rejects(approve(proposal), /failed already \(decided by juma\)/);
  });

  it('leave a proposal open when its execution breaks: nothing happened, and it can be approved again', async () => {
    const proposal = await propose();
    acted.mood = 'broken';
    await assert.rejects(approve(proposal), /the database is gone/);
    assert.equal((await desk().get(proposal.id, by('asha').caller)).state, 'proposed');
    assert.deepEqual(await linesAbout(`n${acted.number}`), []);
    acted.mood = 'well';
    assert.equal((await approve(proposal)).proposal.state, 'executed');
    assert.deepEqual(await linesAbout(`n${acted.number}`), ['test.noted']);
  });

  it('are withdrawn with who is disabled, also one that is made at this moment', async () => {
    const { id } = await propose();
    const other = await test.database.connect();
    try {
      // What `propose` does: it locks the operator, and then writes.
      await other.query("BEGIN; SELECT FROM operators WHERE name = 'asha' FOR SHARE");
      const disabled = inTransaction(test.database, (db) =>
        disableOperator(db, { name: 'asha', actor: by('neema').actor, reason: 'left' }),
      );
      await untilLockAwaited(test.database);
      await other.query(
        `INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at, mac)
         SELECT 'pr_' || repeat('x', 12), action, payload, payload_hash, reason, proposed_by, expires_at, mac
         FROM proposals WHERE id = $1`,
        [id],
      );
      await other.query('COMMIT');
      assert.equal(await disabled, true);
    } finally {
      other.release();
    }
    assert.deepEqual(
      await test.sql`SELECT id FROM proposals WHERE proposed_by = 'asha' AND state = 'proposed' AND expires_at > now()`,
      [],
    );
    await assert.rejects(propose(), /asha|role/);
  });
});

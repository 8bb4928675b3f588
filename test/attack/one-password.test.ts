// tests: hard
import assert from 'node:assert/strict';
import { freeze } from '../../src/accounts/freeze.ts';
import { scopes as allScopes } from '../../src/accounts/keys.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { macOfRow } from '../../src/platform/db/proofs.ts';
import { agreedOn } from '../../src/transactions/care/agreed.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { actions } from '../support/actions.ts';
import { draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { by, hire } from '../support/finance.ts';
import { frozenAndLifted } from '../support/freeze.ts';
import { handedOver } from '../support/handed-over.ts';
import { createTestKeys } from '../support/keys.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';
import { byPasswordOf } from './by-password.ts';
import { hashSecrets } from './proven-rows.ts';

/** Whoever has the password of one process of Postgres writes rows that the others would believe. */
describe('attack: rows by the password of one process', () => {
  const test = useTestDatabase();
  const as = byPasswordOf(test);
  const sent = async (request: MoneyRequest = mobilePayoutRequest()) =>
    (await handedOver(test.database, request)).id;

  it('what became of a send that is unclear is not said to be nothing by the api, and may be shown by a door', async () => {
    const id = await sent();
    const set = 'UPDATE sends SET outcome = $2 WHERE transaction_id = $1';
    for (const outcome of ['not_sent', 'not_found', 'failed', 'unknown'])
      await assert.rejects(as('api', set, [id, outcome]), { code: '42501' }, outcome);
    await as('api', set, [id, 'accepted']);
  });

  describe('a notification', () => {
    const failed = { kind: 'failed', code: 'network_error', channelReference: null };
    const write = `INSERT INTO notifications (channel, event_key, transaction_id, content, state, mac)
      VALUES ('m-pesa', $2, $1, $3, $4, $5)`;

    for (const role of ['api', 'worker'] as const)
      it(`that was passed over is not read again by the ${role}: a refusal that came too late gives no hold back`, async () => {
        const id = await sent();
        const row = { event_key: `late ${role}`, channel: 'm-pesa', transaction_id: id, content: failed };
        const mac = macOfRow(test.database as never, 'notifications', row);
        await test.database.query(write, [id, row.event_key, failed, 'ignored', mac]);
        const again = "UPDATE notifications SET state = 'unapplied' WHERE transaction_id = $1";
        await assert.rejects(as(role, again, [id]), { code: '42501' });
        const ended = await tryToEnd(asRole(test.database, 'worker'), id, { kind: 'notifications' });
        assert.equal(ended.status, 'pending');
      });
  });

  for (const of of ['account', 'key'] as const)
    it(`the freeze of one ${of} is not lifted by what nobody agreed on, for any who ask for it`, async () => {
      const { database } = test;
      const worker = asRole(database, 'worker');
      const keys = createTestKeys({ database: asRole(database, 'api'), hashSecrets });
      const { accountId } = await createMerchant(database, { balance: 1_000_000 });
      const made = { accountId, scopes: allScopes, actor: 'test' };
      const { apiKey, id: apiKeyId } = await keys.createKey(made);
      const merchant = { accountId, apiKeyId };
      const other = await createMerchant(database);
      const { run } = await draftOf(database, merchant, [{}]);
      const { run: next } = await draftOf(database, merchant, [{ amount: 11_000 }]);
      await startBatch(worker, run);
      await frozenAndLifted(database, { ...other, apiKeyId: null });
      const subject = { accountId, apiKeyId: of === 'key' ? apiKeyId : null };
      await freeze(database, { ...subject, actor: 'asha', reason: 'theft' });
      const proposal = await plantProposal(database, 'accounts.unfreeze');
      // The proof is that of a true lift.
      await as(
        'api',
        `UPDATE freezes SET lifted_by = $2, mac = (SELECT mac FROM freezes WHERE account_id = $3) WHERE account_id = $1`,
        [accountId, proposal, other.accountId],
      );
      const acts = async () => ({
        signsIn: (await keys.authenticate(apiKey, '192.0.2.1'))?.frozen,
        pays: (await accept(worker, submissionFor(merchant, mobilePayoutRequest()))).answer.refused ?? null,
        starts: (await startBatch(worker, next)).kind,
        goesOn: (await nextSubmissions(worker, run)).length,
      });
      const frozen = { signsIn: of, pays: 'forbidden', starts: 'refused', goesOn: 0 };
      assert.deepEqual(await acts(), frozen);
      const [entry] = await attentionOf(database, `freezes:${accountId}`);
      assert.equal(entry?.reason, 'unproven_row');
      // People lift a new freeze.
      await frozenAndLifted(database, subject);
      assert.deepEqual(await acts(), { signsIn: null, pays: null, starts: 'running', goesOn: 1 });
    });

  it('a proposal allows nothing that its state alone says was agreed on', async () => {
    await hire(test.database, { names: ['baraka', 'zawadi'], roles: ['admin'] });
    const { accountId: account_id } = await createMerchant(test.database);
    const proposals = createProposals({ database: asRole(test.database, 'api'), actions, fourEyes: true });
    const asked = { action: 'accounts.batches', payload: { account_id, need_another: false }, reason: 'x' };
    const { id } = await proposals.propose(asked, by('baraka', ['admin']));
    const approved = "state = 'approved', decided_by = 'zawadi', decided_at = now()";
    for (const set of [approved, "state = 'executed'"])
      await as('api', `UPDATE proposals SET ${set} WHERE id = $1`, [id]);
    assert.equal(await agreedOn(test.database, { id, action: asked.action }), null);
    await assert.rejects(as('api', 'DELETE FROM approvals'), { code: '42501' });
  });

  for (const role of ['api', 'worker'] as const)
    it(`that a payout came back is not said by the ${role} without its money`, async () => {
      const id = await sent();
      const set = "UPDATE transactions SET returned_at = now(), return_reason = 'a thief' WHERE id = $1";
      await assert.rejects(as(role, set, [id]), { code: '42501' });
      await tryToEnd(asRole(test.database, 'worker'), id, {
        kind: 'answer',
        result: succeeded(10_000, `R-${id}`),
      });
      await assert.rejects(as(role, set, [id]), { code: '42501' });
      await test.database.query(set, [id]);
      const back = 'UPDATE transactions SET returned_at = NULL WHERE id = $1';
      await assert.rejects(as(role, back, [id]), { code: '42501' });
    });
});

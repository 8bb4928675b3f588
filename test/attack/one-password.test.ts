// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { freeze } from '../../src/accounts/freeze.ts';
import { scopes as allScopes } from '../../src/accounts/keys.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { newEventId } from '../../src/callbacks/event.ts';
import { signCallback } from '../../src/callbacks/signed.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { macOfRow } from '../../src/platform/db/proofs.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { deliveryFor, encryptionKeys, passphrase, saveSettings } from '../callbacks/delivery.ts';
import { startReceiver } from '../callbacks/receiver.ts';
import { accept } from '../support/accept.ts';
import { draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantDecision, plantProposal } from '../support/decision.ts';
import { frozenAndLifted } from '../support/freeze.ts';
import { handedOver } from '../support/handed-over.ts';
import { createTestKeys } from '../support/keys.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
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

  describe('what became of a send', () => {
    const set = 'UPDATE sends SET outcome = $2 WHERE transaction_id = $1';
    const again = async (id: string) =>
      (await recordSend(asRole(test.database, 'worker'), { transactionId: id, number: 2 })).granted;

    for (const role of ['api', 'worker'] as const)
      it(`that was taken is not made undone by the ${role}: nothing is sent twice`, async () => {
        const id = await sent();
        const send = { transactionId: id, number: 1, outcome: 'accepted' } as const;
        await recordSendOutcome(asRole(test.database, 'worker'), send);
        for (const outcome of ['not_sent', 'not_found', 'unknown', null])
          await assert.rejects(as(role, set, [id, outcome]), { code: '42501' }, String(outcome));
        assert.equal(await again(id), false);
      });

    it('that is unclear is not said to be nothing by the api, and may be shown by a door', async () => {
      const id = await sent();
      for (const outcome of ['not_sent', 'not_found', 'failed', 'unknown'])
        await assert.rejects(as('api', set, [id, outcome]), { code: '42501' }, outcome);
      assert.equal(await again(id), false);
      await as('api', set, [id, 'accepted']);
    });
  });

  describe('a notification', () => {
    const failed = { kind: 'failed', code: 'network_error', channelReference: null };
    const write = `INSERT INTO notifications (channel, event_key, transaction_id, content, state, mac)
      VALUES ('m-pesa', $2, $1, $3, $4, $5)`;
    const settled = (id: string) =>
      tryToEnd(asRole(test.database, 'worker'), id, { kind: 'notifications' }).then(({ status }) => status);

    it('that no door took gives no hold back, and people are told', async () => {
      const [id, other] = [await sent(), await sent()];
      await as('api', write, [id, 'forged', failed, 'unapplied', null]);
      assert.equal(await settled(id), 'pending');
      // Nor with the proof of one of another transaction.
      const row = { event_key: 'of another', channel: 'm-pesa', transaction_id: other, content: failed };
      const mac = macOfRow(test.database as never, 'notifications', row);
      await as('api', write, [id, 'of another', failed, 'unapplied', mac]);
      assert.equal(await settled(id), 'pending');
      const { rows } = await test.database.query(
        "SELECT subject FROM attention WHERE subject LIKE 'notifications:%' ORDER BY subject",
      );
      assert.deepEqual(
        rows.map(({ subject }) => subject),
        ['notifications:forged', 'notifications:of another'],
      );
    });

    for (const role of ['api', 'worker'] as const)
      it(`that was passed over is not read again by the ${role}: a refusal that came too late gives no hold back`, async () => {
        const id = await sent();
        const row = { event_key: `late ${role}`, channel: 'm-pesa', transaction_id: id, content: failed };
        const mac = macOfRow(test.database as never, 'notifications', row);
        await test.database.query(write, [id, row.event_key, failed, 'ignored', mac]);
        const again = "UPDATE notifications SET state = 'unapplied' WHERE transaction_id = $1";
        await assert.rejects(as(role, again, [id]), { code: '42501' });
        assert.equal(await settled(id), 'pending');
      });
  });

  describe('an event', () => {
    const events: Record<string, [event: string, said: object]> = {
      'of a payment that is no transaction of ours': ['payment.received', { amount: { value: '1000000' } }],
      'of nothing, whose body says that money came': ['ping', { event: 'payment.received' }],
      'of nothing, whose body names a transaction': ['ping', { transaction_id: randomUUID() }],
    };
    for (const role of ['api', 'worker'] as const)
      for (const [what, [event, said]] of Object.entries(events))
        it(`is not signed, ${what}, by the ${role}`, async () => {
          const { apiKeyId } = await createMerchant(test.database);
          const id = `evt_${randomUUID()}`;
          const body = JSON.stringify({ event, event_id: id, ...said });
          const write = `INSERT INTO callback_events (id, api_key_id, event, body, round, next_attempt_at)
            VALUES ($4, $1, $2, $3, 1, now())`;
          await assert.rejects(as(role, write, [apiKeyId, event, body, id]), { code: '42501' });
        });
  });

  it('an event that Postgres lets in, of a batch that there is not, is neither sent nor signed, and people are told', async () => {
    const receiver = await startReceiver();
    const merchant = await createMerchant(test.database);
    await saveSettings(test.database, merchant, { callbackUrl: receiver.url, passphrase });
    const eventId = newEventId();
    const body = JSON.stringify({ event: 'batch.finished', event_id: eventId, totals: { paid: 10_000 } });
    const write = `INSERT INTO callback_events (id, api_key_id, event, body, round, next_attempt_at, mac)
      VALUES ($1, $2, 'batch.finished', $3, 1, now(), 'first:forged')`;
    await as('api', write, [eventId, merchant.apiKeyId, body]);
    const asked = { eventId, keyId: merchant.apiKeyId };
    await assert.rejects(signCallback(test.database, asked, encryptionKeys), { code: 'not_found' });
    const outcome = await deliveryFor(asRole(test.database, 'worker')).attempt(eventId, 1);
    await receiver.close();
    assert.equal(outcome.kind, 'given_up');
    assert.equal(receiver.received.length, 0);
    const [entry] = await attentionOf(test.database, `callback_events:${eventId}`);
    assert.equal(entry?.reason, 'unproven_row');
    const { rows } = await test.database.query('SELECT state FROM callback_events WHERE id = $1', [eventId]);
    assert.equal(rows[0].state, 'failed', 'it holds up no later one');
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

  it('a decision that no process carried out ends nothing', async () => {
    const [id, other] = [await sent(), await sent()];
    await plantDecision(test.database, other, 'failed');
    const write = `INSERT INTO decisions (transaction_id, outcome, note, proposal_id, mac)
      SELECT $1, outcome, note, $2, mac FROM decisions WHERE transaction_id = $3`;
    await as('api', write, [id, await plantProposal(test.database, 'attention.decide'), other]);
    const worker = asRole(test.database, 'worker');
    assert.equal((await tryToEnd(worker, id, { kind: 'unanswered' })).status, 'pending');
    assert.equal((await tryToEnd(worker, other, { kind: 'unanswered' })).status, 'failed');
    const { rows } = await test.database.query('SELECT reason FROM attention WHERE subject = $1', [
      `decisions:${id}`,
    ]);
    assert.deepEqual(rows, [{ reason: 'unproven_row' }]);
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

  describe('an ending', () => {
    /** A transfer of this kind with these entries, and the state: all that a worker may write. */
    const ending = (id: string, kind: string, key: string, entries: string, state: string, event: string) => `
      BEGIN;
      UPDATE transactions SET ${state}, event = '${event}' WHERE id = '${id}';
      INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body)
        SELECT 'evt_' || id, id, api_key_id, event, 1, json_build_object('event', event, 'event_id', 'evt_' || id, 'transaction_id', id)
        FROM transactions WHERE id = '${id}';
      INSERT INTO transfers (id, kind, transaction_id, dedupe_key) VALUES ('${id}', '${kind}', '${id}', '${key}');
      INSERT INTO entries (transfer_id, ledger_account_id, amount)
        SELECT '${id}', a.id, e.amount FROM (VALUES ${entries}) e (kind, amount) JOIN transactions t ON t.id = '${id}'
        JOIN ledger_accounts a ON a.kind = e.kind AND a.currency = t.currency AND coalesce(a.account_id, t.account_id) = t.account_id;
      COMMIT`;
    const FAILED = "status = 'failed', failure_code = 'expired'";
    const PAID = "status = 'paid', paid_at = now()";

    it('gives back no less than was held', async () => {
      const id = await sent();
      const one = ending(
        id,
        'release',
        `resolve:${id}`,
        "('held', -1), ('available', 1)",
        FAILED,
        'payout.failed',
      );
      await assert.rejects(as('worker', one), /only with its event and its money/);
    });

    it('is no transfer of 0.01, nor one beside its hold', async () => {
      const id = await sent();
      const one = ending(
        id,
        'payout',
        `resolve:${id}`,
        "('held', -1), ('fees', 1)",
        PAID,
        'payout.completed',
      );
      await assert.rejects(as('worker', one), /only with its event and its money/);
      const { rows } = await test.database.query(
        'SELECT amount + fee AS held FROM transactions WHERE id = $1',
        [id],
      );
      const all = `('held', -${rows[0].held}), ('available', ${rows[0].held})`;
      await assert.rejects(
        as('worker', ending(id, 'release', `another:${id}`, all, FAILED, 'payout.failed')),
        /only with its event and its money/,
      );
    });

    it('credits no more than was paid', async () => {
      const id = await sent(pushRequest(5_000));
      const much = "('suspense', -99000000), ('available', 99000000)";
      const state = "status = 'completed', settled = 99000000";
      await assert.rejects(
        as('worker', ending(id, 'collection', `collection:${id}`, much, state, 'payment.received')),
        /only with its event and its money/,
      );
    });
  });
});

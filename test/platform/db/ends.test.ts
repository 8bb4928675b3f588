import assert from 'node:assert/strict';
import { processRoleNames, tableGrants } from '../../../src/platform/db/grants.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';
import { createMerchant } from '../../support/merchant.ts';
import { ends } from './forbidden.ts';

/** Every other moment that a process may change, and why it may go back. */
const MOVES: Record<string, string> = {
  'fence.closed_at': 'opened by the owner alone',
  'proposals.decided_at': 'written once, with the state',
  'decisions.applied_at': 'written once',
  'decisions.answered_at': 'written once',
  'transactions.status_at': 'the moment of the change, with the status',
  'closed_days.reopened_at': 'written once',
  // What is shown, or when somebody looks again.
  'api_keys.last_used_at': 'shown',
  'api_keys.callback_disabled_at': 'a merchant sets the address again',
  'api_keys.callback_updated_at': 'shown',
  'api_keys.callback_url_operator_at': 'shown; the merchant sets the address again',
  'operator_tokens.last_used_at': 'shown',
  'operator_sessions.last_seen_at': 'goes on with each click, for eight hours at most',
  'fence.swept_at': 'shown',
  'transactions.handed_over_at': 'shown; sends are rows',
  'transactions.prompt_expires_at': 'a new prompt',
  'transactions.next_enquiry_at': 'only delays',
  'transactions.hinted_at': 'only delays',
  'transactions.due_at': 'only delays',
  'transactions.overdue_at': 'only delays a call for people',
  'transactions.paid_at': 'shown; the status says it',
  'transactions.returned_at': 'written once, with its money (test/attack/one-password.test.ts)',
  'transactions.updated_at': 'shown',
  'abandoned_submissions.resolved_at': 'a refusal is stored once, under its key',
  'enquiries.last_at': 'shown',
  'channel_breakers.recovered_at': 'only delays',
  'channel_breakers.probe_at': 'only delays',
  'attention.resolved_at': 'hides: nothing is decided by an entry but what people may propose',
  'batches.start_at': 'its proof covers it (test/attack/batch-starts.test.ts)',
  'batches.started_at': 'its proof covers it',
  'batches.finished_at': 'written once',
  'batches.due_at': 'only delays',
  'batches.updated_at': 'shown',
  'batch_items.begun_at': 'only delays',
  'bill_receipts.signalled_at': 'signalled again, which is nothing twice',
  'owed_results.swept_at': 'only delays',
  'callback_events.next_attempt_at': 'only delays',
  'callback_events.swept_at': 'only delays',
  'callback_attempts.alive_at': 'only delays',
};

const granted = Object.entries(tableGrants).flatMap(([table, grants]) =>
  processRoleNames.map((role) => ({ table, role, text: grants[role] ?? '' })),
);

describe('what ended', () => {
  const test = useTestDatabase();

  it('is told from moments that go back: every one that a process may change is in one of two lists', () => {
    const changed = granted.flatMap(({ table, text }) =>
      (/UPDATE \(([^)]*)\)/.exec(text)?.[1] ?? '')
        .split(',')
        .map((column) => column.trim())
        .filter((column) => column.endsWith('_at'))
        .map((column) => `${table}.${column}`),
    );
    assert.deepEqual([...new Set(changed)].sort(), [...ends, ...Object.keys(MOVES)].sort());
    const whole = granted.filter(({ text }) => /UPDATE(?! \()/.test(text)).map(({ table }) => table);
    assert.deepEqual([...new Set(whole)].sort(), ['failed_authentications', 'rate_limit_buckets']);
  });

  it('is no row that is gone: what a role may delete and add again permits nothing by its absence', () => {
    const both = granted.filter(({ text }) => /DELETE/.test(text) && /INSERT/.test(text));
    assert.deepEqual(Object.fromEntries(both.map(({ table, role }) => [table, role])), {
      // Attempts, results and counts: they only delay, or admit more.
      callback_attempts: 'worker',
      channel_results: 'worker',
      failed_authentications: 'api',
      rate_limit_buckets: 'api',
    });
  });

  it('of a session or a passphrase is forgotten by its age alone', async () => {
    const { apiKeyId } = await createMerchant(test.database);
    await test.database.query(
      `INSERT INTO operators (name, email, roles) VALUES ('asha', 'asha@example.com', '{admin}');
       INSERT INTO operator_tokens (id, operator, hash, hashed_with, issued_by, expires_at) VALUES ('tk', 'asha', 'x', 'first', 'test', 'infinity');
       INSERT INTO operator_sessions (id, hash, token_id, address, ended_at) VALUES ('se', 'x', 'tk', '127.0.0.1', now() - interval '1 hour');
       INSERT INTO callback_passphrases (key_id, ciphertext, retires_at) VALUES ('${apiKeyId}', 'x', now() - interval '1 hour')`,
    );
    const api = asRole(test.database, 'api');
    const worker = asRole(test.database, 'worker');
    const left = async () => {
      await api.query('SELECT drop_old_sessions()');
      await worker.query('SELECT drop_retired_passphrases()');
      const rows =
        await test.sql`SELECT (SELECT count(*)::int FROM operator_sessions) AS sessions, (SELECT count(*)::int
          FROM callback_passphrases) AS passphrases`;
      return rows[0];
    };
    assert.deepEqual(await left(), { sessions: 1, passphrases: 1 });
    await test.database.query(
      "UPDATE operator_sessions SET created_at = now() - interval '49 hours'; UPDATE callback_passphrases SET retires_at = now() - interval '25 hours'",
    );
    assert.deepEqual(await left(), { sessions: 0, passphrases: 0 });
  });
});

import assert from 'node:assert/strict';
import { useTestDatabase } from '../../support/database.ts';

/** What people write and read: no key, rule or comparison of ours depends on its order or case. */
const prose = [
  'abandoned_submissions.request_id',
  'accounts.display_name',
  'accounts.name',
  'api_keys.callback_url',
  'api_keys.label',
  'attention.detail',
  'bill_receipts.full_name',
  'bills.description',
  'callback_attempts.error',
  'batch_items.cells',
  'batch_items.full_name',
  'batch_items.metadata',
  'batch_items.reference',
  'batches.columns',
  'batches.metadata',
  'batches.status_reason',
  'callback_events.body',
  'closures.reason',
  'enquiries.answer',
  'fence.reason',
  'freezes.reason',
  'numbers.description',
  'numbers.metadata',
  'previews.full_name',
  'proposals.reason',
  'decisions.note',
  'stored_answers.body',
  'suspense_items.detail',
  'transactions.full_name',
  'transactions.metadata',
  'transactions.refund_reason',
  'transactions.return_reason',
  'transfers.note',
];

describe('text in the database', () => {
  const test = useTestDatabase();

  /** Columns of text that are compared by the rules of some language. */
  const WEAK = `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
      AND NOT a.attisdropped AND a.attcollation <> 0 AND a.attcollation <> '"C"'::regcollation
      AND c.relname <> 'schema_migrations'`;

  it('is compared byte by byte, but where it is only read by people', async () => {
    const { rows } = await test.database.query(WEAK);
    const weak = rows.map(({ name }) => name as string);
    assert.deepEqual(
      weak.filter((name) => !prose.includes(name)),
      [],
      'these need COLLATE "C", or a place among the prose',
    );
  });

  it('that is only read by people is in no key, no rule and no unique index', async () => {
    const { rows } = await test.database.query(
      `SELECT DISTINCT name FROM (${WEAK.replace('AS name', 'AS name, a.attrelid, a.attnum')}) weak
       WHERE EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = weak.attrelid AND weak.attnum = ANY(k.conkey) AND k.contype <> 'n')
         OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = weak.attrelid AND i.indisunique AND weak.attnum = ANY(i.indkey))`,
    );
    // Whether a name is there at all is a rule; what it is, is not.
    const onlyThere = ['transactions.full_name', 'transactions.refund_reason', 'fence.reason'];
    assert.deepEqual(
      rows.map(({ name }) => name).filter((name) => !onlyThere.includes(name)),
      [],
    );
  });
});

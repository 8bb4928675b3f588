// tests: hard
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startBatch } from '../../src/batches/batch-start.ts';
import { type ProcessRole, processRoles } from '../../src/platform/db/grants.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { createMerchant, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';

/** A statement that changes a row, or the name of a table that takes new ones. */
type Act = string;

const transfer = `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('collection', 'theft') RETURNING id)
  INSERT INTO entries (transfer_id, ledger_account_id, amount)
  SELECT t.id, a.id, CASE a.kind WHEN 'fees' THEN -700 ELSE 700 END FROM t, ledger_accounts a
  WHERE a.kind = 'fees' OR a.account_id = (SELECT account_id FROM freezes)  AND a.kind = 'available'`;
const rob = `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('hold', 'robbery') RETURNING id),
  a AS (SELECT id, row_number() OVER (ORDER BY balance DESC) AS place FROM ledger_accounts WHERE kind = 'available')
  INSERT INTO entries (transfer_id, ledger_account_id, amount)
  SELECT t.id, a.id, CASE a.place WHEN 1 THEN -700 ELSE 700 END FROM t, a WHERE a.place <= 2`;
const ended = 'SELECT * FROM transactions WHERE xmin = pg_current_xact_id()::xid';
const told = `INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body)
  SELECT 'evt_' || id, id, api_key_id, event, 1, json_build_object('event', event, 'event_id', 'evt_' || id, 'transaction_id', id)
  FROM (${ended}) x`;
const complete = `UPDATE transactions SET status = 'completed', settled = amount, event = 'payment.received'
    WHERE mode = 'ussd' AND status = 'pending'; ${told};
  WITH x AS (${ended}),
  t AS (INSERT INTO transfers (kind, transaction_id, dedupe_key) SELECT 'collection', id, 'collection:' || id FROM x RETURNING id),
  m AS (INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, transaction_id, told_by)
    SELECT gen_random_uuid(), a.id, a.code, 'itself', x.amount, x.currency, x.id, 'channel'
    FROM x JOIN ledger_accounts a ON a.kind = 'clearing' AND a.channel = x.channel RETURNING id, ledger_account_id, amount)
  INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id)
  SELECT t.id, m.ledger_account_id, -m.amount, m.id FROM t, m
  UNION ALL SELECT t.id, a.id, CASE a.kind WHEN 'fees' THEN x.fee ELSE x.amount - x.fee END, NULL
  FROM t, x, ledger_accounts a WHERE a.kind = 'fees' OR a.kind = 'available' AND a.account_id = x.account_id`;
const giveBack = `UPDATE transactions SET status = 'failed', failure_code = 'network_error', event = 'payout.failed'
    WHERE type = 'payout' AND status = 'pending' AND batch_id IS NULL; ${told};
  WITH x AS (${ended}),
  t AS (INSERT INTO transfers (kind, transaction_id, dedupe_key) SELECT 'release', id, 'resolve:' || id FROM x RETURNING id),
  r AS (INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id) SELECT x.id, 'released', t.id FROM x, t)
  INSERT INTO entries (transfer_id, ledger_account_id, amount)
  SELECT t.id, a.id, CASE a.kind WHEN 'held' THEN -1 ELSE 1 END * (x.amount + x.fee) FROM t, x, ledger_accounts a
  WHERE a.account_id = x.account_id`;
const goOn = "UPDATE batches SET status = 'running' WHERE status = 'paused'";
const hide = "UPDATE attention SET resolved_at = now(); UPDATE callback_events SET state = 'delivered'";

/** The threat model lists these acts for each password. Each is tried and undone. */
const still: Record<string, Record<string, Act[]>> = {
  api: {
    'move money of the service or of another merchant to a merchant by a balanced transfer; `ledger check` reports it':
      [transfer, rob],
    'end a pending push as paid, although nobody has paid; no callback tells of it, and the statement of its network does not show it':
      [complete],
    'set other fees for an account, allow one key holder to start batches alone, change a callback address, have callbacks signed with a passphrase that was replaced':
      [
        `INSERT INTO account_fees (version, account_id, rows, effective_from) SELECT 'theirs', id, '{}', now() FROM accounts LIMIT 1`,
        'UPDATE accounts SET batches_need_another = false',
        "UPDATE api_keys SET callback_url = 'https://thief.example'",
        'INSERT INTO callback_passphrases (key_id, ciphertext) SELECT key_id, ciphertext FROM callback_passphrases WHERE retires_at <= now()',
      ],
    "write a preview, the space of a connection's receipts, a statement, its lines and matches; people then propose and close by these rows":
      ['previews', 'receipt_spaces', 'statements', 'statement_lines', 'line_matches', 'line_dismissals'],
    'write an item of suspense, or say whose an item without a transaction is: people then decide, and may pay the wrong payer back; if no transfer brought its money, `ledger check` reports it':
      ['suspense_items', 'UPDATE suspense_items SET transaction_id = (SELECT id FROM transactions LIMIT 1)'],
    'answer a request that has not come yet: store a false answer under the key that it will have': [
      'idempotency_keys',
      'stored_answers',
    ],
    'hide: close an attention entry, skip a notification, mark an event as delivered, cancel or delete a draft':
      [
        hide,
        "UPDATE notifications SET state = 'ignored'",
        "UPDATE batches SET status = 'cancelled'",
        "UPDATE batches SET errors = '[1]'; SELECT forget_draft(id) FROM batches",
      ],
    'resume a paused batch that its approver had started': [goOn],
    'stop: close the fence, freeze an account, write a false decision (it ends nothing, but blocks the true one), write false rows of limits (they are skipped, but slow payouts down)':
      [
        'limits',
        "UPDATE fence SET closed_at = now(), reason = 'a thief'",
        "INSERT INTO freezes (account_id, frozen_by, reason) SELECT id, 'a thief', 'none' FROM accounts ON CONFLICT DO NOTHING",
        `INSERT INTO decisions (transaction_id, outcome, note, proposal_id, mac)
        SELECT (payload::jsonb->>'transaction_id')::uuid, 'failed', '', id, '' FROM proposals WHERE action = 'attention.decide'`,
      ],
    'set counts of requests, previews and bills, so that too much is admitted, or nothing': [
      'rate_limit_buckets',
      'UPDATE uses SET uses = 0',
    ],
  },
  worker: {
    'move money of the service or of another merchant to a merchant by a balanced transfer; `ledger check` reports it':
      [transfer, rob],
    'end a pending push as paid, as above, or a pending payout as failed, although its network pays it; the statement shows the payout':
      [complete, giveBack],
    'mark an unclear send as not sent, so that it is sent again under the same reference, or so that its merchant cancels it although its network pays it; the statement shows the payout':
      ["UPDATE sends SET outcome = 'not_sent'"],
    'resume a batch that its approver had started, although it is paused or a restore has made it a draft': [
      goOn,
      "UPDATE batches SET status = 'scheduled', started_by = api_key_id, mac = 'kept' WHERE status = 'draft'",
    ],
    'set counters of limits, so that more is admitted than the limits allow': [
      'UPDATE payout_days SET value = 0, payouts = 0',
      'UPDATE payout_recipients SET value = 0',
    ],
    'write a bill or a number that no merchant asked for': ['bills', 'numbers'],
    'write an item of suspense, or say whose an item without a transaction is, as above': [
      'suspense_items',
      'UPDATE suspense_items SET transaction_id = (SELECT id FROM transactions LIMIT 1)',
    ],
    'hide and delay: change breakers, enquiries, attention entries, deliveries, or a claim on a bill': [
      hide,
      'channel_breakers',
      'enquiries',
    ],
  },
  reader: { 'read names and numbers of customers': ['SELECT msisdn, full_name FROM transactions'] },
};

describe('attack: what a password of Postgres can still do', () => {
  const test = useTestDatabase();

  before(async () => {
    const db = test.database;
    const merchant = await createMerchant(db, { balance: 1_000_000 });
    await plantPaidPush(db, merchant, { msisdn: '255754123456' });
    await draftOf(db, merchant, [{}]);
    const { run } = await draftOf(db, merchant, [{}], { allowTwins: true });
    await startBatch(db, run);
    await batchesIn(test).move(run, 'running', 'paused');
    const { id, merchant: other } = await handedOver(db, mobilePayoutRequest());
    await handedOver(db, pushRequest());
    await notify(db, id, { kind: 'failed', code: 'network_error', channelReference: null });
    await plantProposal(db, 'attention.decide', { payload: { transaction_id: id, outcome: 'failed' } });
    await db.query(
      `INSERT INTO freezes (account_id, frozen_by, reason) VALUES ('${merchant.accountId}', 'asha', 'theft');
       INSERT INTO callback_passphrases (key_id, ciphertext, retires_at) VALUES ('${merchant.apiKeyId}', 'x', now());
       INSERT INTO attention (transaction_id, reason) VALUES ('${id}', 'broken');
       INSERT INTO uses (account_id, use, since, uses) VALUES ('${other.accountId}', 'bills', now(), 1);
       INSERT INTO suspense_items (channel, space, receipt, amount, currency, detail)
       VALUES ('m-pesa', 'test', 'NOBODY', 0, 'TZS', 'a test')`,
    );
  });

  it('is what the threat model says, and nothing that it does not say is tried', () => {
    const page = readFileSync('docs/operations/threat-model.md', 'utf8');
    const [, section = ''] = page.split('## What a password of Postgres can still do');
    const said = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `malipo_(\w+)` \| (.*) \|$/gm)];
    const tried = Object.entries(still).flatMap(([role, acts]) =>
      Object.keys(acts).map((what) => `${role}: ${what}`),
    );
    assert.deepEqual(
      said.map(([, role, what]) => `${role}: ${what}`),
      tried,
    );
  });

  it('names the tests of what such a password cannot', () => {
    const page = readFileSync('docs/operations/threat-model.md', 'utf8');
    const [, section = ''] = page.split('## What a password of Postgres cannot do');
    const named = [...section.matchAll(/`([\w/-]+\.test\.ts)`: ((?:“[^”]+” ?)+)/g)];
    assert.ok(named.length > 15, 'the table is read');
    for (const [, file = '', titles = ''] of named)
      for (const title of titles.match(/[^“”]{2,}/g) ?? [])
        assert.ok(readFileSync(file, 'utf8').includes(title), `${file}: ${title}`);
  });

  for (const [role, acts] of Object.entries(still))
    for (const [what, ways] of Object.entries(acts))
      it(`${role}: ${what}`, async () => {
        const client = new pg.Client({ connectionString: test.urlOf(role as ProcessRole) });
        await client.connect();
        try {
          for (const way of ways) await tryAndTakeBack(client, role as ProcessRole, way);
        } finally {
          await client.end();
        }
      });

  async function tryAndTakeBack(client: pg.Client, role: ProcessRole, way: Act): Promise<void> {
    if (/^\w+$/.test(way)) {
      const asked = 'SELECT has_table_privilege($1, $2, $3) AS may';
      const { rows } = await test.database.query(asked, [processRoles[role], way, 'INSERT']);
      return assert.equal(rows[0].may, true, way);
    }
    await client.query('BEGIN');
    try {
      const done = (await client.query(way)) as unknown as pg.QueryResult | pg.QueryResult[];
      for (const { rowCount } of [done].flat()) assert.ok((rowCount ?? 0) > 0, way);
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    } finally {
      await client.query('ROLLBACK');
    }
  }

  it('lets a merchant cancel what its network may pay, where its send was unclear', async () => {
    const worker = asRole(test.database, 'worker');
    const { id: transactionId } = await handedOver(test.database, mobilePayoutRequest());
    await recordSendOutcome(worker, { transactionId, number: 1, outcome: 'unknown' });
    const cancel = async () => (await tryToEnd(worker, transactionId, { kind: 'cancel' })).status;
    assert.equal(await cancel(), 'pending');
    await worker.query("UPDATE sends SET outcome = 'not_sent' WHERE transaction_id = $1", [transactionId]);
    assert.equal(await cancel(), 'cancelled');
  });

  it('is found afterwards, where money was moved', async () => {
    const client = new pg.Client({ connectionString: test.urlOf('api') });
    await client.connect();
    await client.query(`${transfer}; ${rob}`).finally(() => client.end());
    const found = (await checkInvariants(test.database)).join('\n');
    assert.match(found, /theft credits a payment that there is not/);
    assert.match(found, /robbery \(hold\) moves money of a merchant, and nothing of ours says why/);
  });
});

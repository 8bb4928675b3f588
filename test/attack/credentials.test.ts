// tests: hard
import assert from 'node:assert/strict';
import pg from 'pg';
import { fingerprintOf, newKey, newKeyId } from '../../src/accounts/key-format.ts';
import { createKeys, type Scope } from '../../src/accounts/keys.ts';
import { addKey } from '../../src/accounts/new-keys.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { agreedOn, hashOfProposal } from '../../src/transactions/care/agreed.ts';
import { actions } from '../support/actions.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { by, hire } from '../support/finance.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';

/** Whoever has the API's password of Postgres, and none of the service's keys, writes rows that let somebody in. */
describe('attack: credentials by the password of the API', () => {
  const test = useTestDatabase();
  const hashSecrets = ringOf(Buffer.alloc(32, 5));
  const api = () => asRole(test.database, 'api');
  const keys = () => createKeys({ database: api(), hashSecrets, environment: 'test' });
  const operators = () => createOperators({ database: api(), hashSecrets });
  const opens = async (text: string) => (await keys().authenticate(text, '192.0.2.1'))?.accountId ?? null;

  async function steal(text: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: test.urlOf('api') });
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }
  const flagged = async (subject: string) =>
    (
      await test.database.query(
        "SELECT FROM attention WHERE subject = $1 AND reason = 'unproven_row' AND resolved_at IS NULL",
        [subject],
      )
    ).rowCount === 1;

  let victim: string;
  let ours: string;
  before(async () => {
    victim = (await createMerchant(test.database)).accountId;
    ours = (await createMerchant(test.database)).accountId;
    for (const [name, roles] of [
      ['asha', ['admin']],
      ['juma', ['viewer']],
    ] as [string, Role[]][])
      await operators().create({ name, email: `${name}@example.com`, roles, actor: 'test' });
  });

  /** Two operators let a key of ours in, by the fingerprint that we named: that of `text`, whatever its id. */
  async function letIn(text: string, keyId: string, scopes: Scope[] = ['payments:read']) {
    const fingerprint = fingerprintOf(text);
    await inTransaction(api(), (db) =>
      addKey(db, hashSecrets, { keyId, fingerprint, accountId: ours, scopes, actor: 'test' }),
    );
  }
  const transplanted =
    'INSERT INTO api_key_secrets (key_id, hash, hashed_with) SELECT $1, hash, hashed_with FROM api_key_secrets WHERE key_id = $2';

  describe('a key', () => {
    /** A row of the victim's, with the proof of a row of ours. */
    const plant = (id: string, other: string) =>
      steal(
        "INSERT INTO api_keys (id, account_id, scopes, mac) SELECT $1, $2, '{payouts:write}', mac FROM api_keys WHERE id = $3",
        [id, victim, other],
      );

    it('opens no other account by its hash, put beside a row of that account', async () => {
      const [id, named] = [newKeyId(), newKeyId()];
      const text = newKey('sk_test', id);
      await letIn(text, named);
      await plant(id, named);
      await steal(transplanted, [id, named]);
      assert.equal(await opens(text), null);
    });

    it('is no operator by its hash', async () => {
      const [id, named] = [newKeyId(), newKeyId()];
      const text = newKey('op', id);
      await letIn(text, named);
      await steal(
        `INSERT INTO operator_tokens (id, operator, hash, hashed_with, issued_by, expires_at)
         SELECT $1, 'asha', hash, hashed_with, 'test', now() + interval '1 day' FROM api_key_secrets WHERE key_id = $2`,
        [id, named],
      );
      assert.equal(await operators().authenticate(text), null);
    });
  });

  describe('a proposal', () => {
    const proposals = () => createProposals({ database: api(), actions, fourEyes: true });
    const payload = (payer: string) => JSON.stringify({ account_id: payer, need_another: false });
    const hashOfPlanted = (text: string) => hashOfProposal('accounts.batches', text);
    const write = (state: string) =>
      `INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at, mac${state})`;
    const needed = async () =>
      (await test.database.query('SELECT batches_need_another FROM accounts WHERE id = $1', [ours])).rows[0]
        .batches_need_another;

    before(() => hire(test.database, { names: ['baraka', 'zawadi'], roles: ['admin'] }));

    it('that nobody made is not carried out, whoever approves it, and people are told', async () => {
      const mine = await proposals().propose(
        {
          action: 'accounts.batches',
          payload: { account_id: victim, need_another: false },
          reason: 'because',
        },
        by('baraka', ['admin']),
      );
      for (const mac of [null, 'mac']) {
        const id = `pr_${newKeyId()}`;
        await steal(
          `${write('')} SELECT $1, 'accounts.batches', $2, $3, 'because', 'zawadi', expires_at, ${mac} FROM proposals WHERE id = $4`,
          [id, payload(ours), hashOfPlanted(payload(ours)), mine.id],
        );
        const asked = { id, payloadHash: hashOfPlanted(payload(ours)) };
        await assert.rejects(proposals().approve(asked, by('baraka', ['admin'])), { code: 'not_found' });
        assert.ok(await flagged(`proposals:${id}`));
      }
      assert.equal(await needed(), true);
    });

    it('allows nothing that its state alone says was agreed on', async () => {
      const mine = await proposals().propose(
        { action: 'accounts.batches', payload: { account_id: ours, need_another: false }, reason: 'because' },
        by('baraka', ['admin']),
      );
      await steal(
        "UPDATE proposals SET state = 'approved', decided_by = 'zawadi', decided_at = now() WHERE id = $1",
        [mine.id],
      );
      await steal("UPDATE proposals SET state = 'executed' WHERE id = $1", [mine.id]);
      const asked = { id: mine.id, action: 'accounts.batches' };
      assert.equal(await agreedOn(api(), asked), null);
      await assert.rejects(steal('DELETE FROM approvals'), { code: '42501' });
    });
  });
});

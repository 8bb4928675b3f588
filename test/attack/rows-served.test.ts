// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { fingerprintOf, hashOf, makeKey, newKeyId } from '../../src/accounts/key-format.ts';
import { newEventId } from '../../src/callbacks/event.ts';
import { keyRing } from '../../src/config/fields.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import type { ProcessRole } from '../../src/platform/db/grants.ts';
import { macOfRow } from '../../src/platform/db/proofs.ts';
import { hashOfProposal } from '../../src/transactions/care/agreed.ts';
import { type Receiver, startReceiver } from '../callbacks/receiver.ts';
import { ends } from '../platform/db/forbidden.ts';
import { createDeskClient } from '../support/desk-client.ts';
import { mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { openKey } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { knock, openVictim, reasonsOf, rowsOf, useTarget, type Victim } from './target.ts';

/** A thief has the password of one process, and the service that runs is asked to act by the rows that he writes. */
describe('attack: rows that a running service is asked to act by', function () {
  this.timeout(60_000);
  const target = useTarget();
  const { as, insertOf, plant, rowOf, ask, propose, approve } = rowsOf(target);

  let victim: Victim;
  let thief: Victim;
  beforeEach(async () => {
    [victim, thief] = [await openVictim(target), await openVictim(target)];
  });
  afterEach(async () => {
    for (const { money, transactions } of [victim, thief])
      assert.deepEqual([await money(), await transactions()], [{ current: 100_000_000, reserved: 0 }, 0]);
  });

  it('a hash that two operators let in for one account pays nobody from another, and is no operator', async () => {
    const [key, token] = [makeKey('sk_test'), makeKey('op')];
    const letIn = async (fingerprint: string) => {
      const named = newKeyId();
      const own = { account_id: thief.accountId, scopes: ['payouts:write'], fingerprint };
      await approve(await propose('keys.create', { ...own, key: `sk_test_${named}` }));
      const secret = await rowOf('api_key_secrets', named, 'hash, hashed_with', 'key_id');
      return { secret, ...(await rowOf('api_keys', named, 'scopes, mac')) };
    };
    const { secret, ...row } = await letIn(key.fingerprint);
    await plant('api_keys', { ...row, id: key.id, account_id: victim.accountId });
    await plant('api_key_secrets', { ...secret, key_id: key.id });
    const request = { apiKey: key.text, key: newKey(), body: mobilePayoutBody() };
    assert.equal((await target.request('POST', 'payouts/mobile', request)).status, 401);
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const of = { id: token.id, operator: 'asha', issued_by: 'test', expires_at };
    await plant('operator_tokens', { ...(await letIn(token.fingerprint)).secret, ...of });
    assert.equal(await meFor(token.text), 401);
  });

  it('a proposal that nobody made brings no money, though an operator approves it', async () => {
    const asked = { amount: 250_000, currency: 'TZS', reference: newKey() };
    const mine = await propose('accounts.top-up', { ...asked, account_id: victim.accountId });
    const payload = JSON.stringify({ ...asked, account_id: thief.accountId });
    const payload_hash = hashOfProposal('accounts.top-up', payload);
    const copied = await rowOf('proposals', mine.id, 'action, reason, proposed_by, expires_at, mac');
    for (const mac of [copied.mac, null]) {
      const id = `pr_${newKeyId()}`;
      await plant('proposals', { ...copied, id, payload, payload_hash, mac });
      assert.equal((await approve({ id, payload_hash })).status, 404);
      assert.deepEqual(await reasonsOf(target, `proposals:${id}`), ['unproven_row']);
    }
  });

  it('the rows of an earlier draft are not paid in the place of those that an approver read', async () => {
    const draft = async (phone_number: string) => {
      const items = [{ phone_number, amount: 300_000, currency: 'TZS' }];
      return (await victim.post('payouts/batches', { batch_number: 'SALARIES', items })).json.batch;
    };
    const forgotten = async (table: string, columns: string, by?: string) => {
      const row = await rowOf(table, id, columns, by);
      await target.database.query('DELETE FROM batches WHERE id = $1', [id]);
      return row;
    };
    const { id } = await draft('0754666666');
    const columns = 'batch_id, position, transaction_id, mode, channel, msisdn, amount, metadata, mac';
    const strangers = await forgotten('batch_items', columns, 'batch_id');
    const read = await draft('0754123456');
    await plant('batches', await forgotten('batches', '*'));
    await plant('batch_items', strangers);
    assert.equal((await draft('0754123456')).items_hash, read.items_hash, 'it is shown as it was read');
    const another = { accountId: victim.accountId, scopes: ['payouts:approve'], holder: 'another' } as const;
    const asked = { apiKey: await openKey(target, another), body: { items_hash: read.items_hash } };
    const started = await target.request('POST', `payouts/batches/${id}/start`, asked);
    assert.deepEqual([started.status, started.json.code], [409, 'items_changed']);
    assert.deepEqual(await reasonsOf(target, `batches:${id}`), ['unproven_row']);
  });

  const hashSecrets = () => keyRing.parse(target.secrets.KEY_HASH_SECRET);
  const COOKIE = 'malipo-desk=';
  const atDesk = async (cookie: string) =>
    (await createDeskClient(target.local.management_url, { cookie }).get('/desk/me')).status;
  /** What the browser keeps, and the id of the session, with which that begins. */
  async function signIn(token: string): Promise<{ cookie: string; id: string }> {
    const desk = createDeskClient(target.local.management_url);
    await desk.signIn(token);
    return { cookie: desk.cookie, id: desk.cookie.slice(COOKIE.length, -43) };
  }

  it('a session that nobody opened signs in as nobody', async () => {
    const juma = target.local.operators.find(({ name }) => name === 'juma');
    const own = await signIn(juma?.token ?? '');
    assert.equal(await atDesk(own.cookie), 200);
    const { token_id, mac } = await rowOf('operator_sessions', own.id);
    const hashFor = (id: string) => (fingerprint: string) =>
      hashOf(hashSecrets()[0].key, { kind: 'session', id, fingerprint }).toString('hex');
    type Row = { id: string; token_id: string; created_at: string };
    const planted = async (
      hash: (id: string) => (fingerprint: string) => string,
      macFor: (row: Row) => string | null,
    ) => {
      const row = { id: newKeyId(), token_id, created_at: new Date().toISOString() };
      const secret = row.id + 'x'.repeat(43);
      const hashed = `\\x${hash(row.id)(fingerprintOf(secret))}`;
      const more = { hash: hashed, address: '192.0.2.1', mac: macFor(row) };
      await plant('operator_sessions', { ...row, ...more });
      return {
        status: await atDesk(COOKIE + secret),
        told: await reasonsOf(target, `operator_sessions:${row.id}`),
      };
    };
    const unkeyed = () => (fingerprint: string) => fingerprint;
    const signed = (row: Row) => macOfRow(target.database, 'operator_sessions', row);
    const nobody = { status: 303, told: [] };
    assert.deepEqual(await planted(unkeyed, () => mac), nobody);
    // Each of the two keys alone opens nothing.
    assert.deepEqual(await planted(unkeyed, signed), nobody);
    assert.deepEqual(await planted(() => hashFor(own.id), signed), nobody);
    for (const other of [null, mac])
      assert.deepEqual(await planted(hashFor, () => other), { status: 303, told: ['unproven_row'] });
    assert.deepEqual(await planted(hashFor, signed), { status: 200, told: [] }, 'both keys make one');
  });

  /** From an address of its own, so that no other test is told to wait for what fails here. */
  const opens = async (url: string, secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await knock(url, { method: 'GET', headers, from: '203.0.113.60' })).status;
  };
  const balanceFor = (key: string) => opens(`${target.local.api_url}/api/v1/balance`, key);
  const meFor = (token: string) => opens(`${target.local.management_url}/operator/v1/me`, token);
  const end = async (action: string, payload: object) =>
    assert.equal((await ask(action, payload)).status, 200);

  type Ended = Record<string, { by: string; row: Record<string, unknown> }>;

  /** The thief knows a secret that people ended, and the one that they made in its place, of a key that they revoked. */
  async function endedKey() {
    const [, , id = ''] = victim.apiKey.split('_');
    for (const passphrase of ['the first passphrase of a shop', 'the second passphrase of a shop'])
      assert.equal((await victim.send('PUT', 'callbacks/settings', { passphrase })).status, 200);
    const first = await rowOf('api_key_secrets', id, 'key_id, hash, hashed_with', 'key_id');
    const [second, third] = [makeKey('sk_test', id), makeKey('sk_test', id)];
    for (const { fingerprint } of [second, third])
      await approve(await propose('keys.rotate', { key: `sk_test_${id}`, fingerprint }));
    const known = [victim.apiKey, second.text, third.text];
    const each = () => Promise.all(known.map(balanceFor));
    assert.deepEqual(await each(), [401, 200, 200]);
    // Neither added again, nor after it was taken from the row that ended.
    await assert.rejects(plant('api_key_secrets', first), { code: '23505' });
    const taken = `UPDATE api_key_secrets SET hash = '' WHERE key_id = $1 AND hash = $2`;
    for (const role of ['api', 'worker'] as const)
      await assert.rejects(as(role, taken, [id, first.hash]), { code: '42501' });
    assert.deepEqual(await each(), [401, 200, 200]);
    const rows: Ended = {
      'api_keys.revoked_at': { by: 'id', row: await rowOf('api_keys', id) },
      'api_key_secrets.retires_at': { by: 'key_id', row: first },
      'callback_passphrases.retires_at': { by: 'key_id', row: { key_id: id } },
    };
    await end('keys.revoke', { key_id: id });
    return { rows, each };
  }

  async function endedPerson() {
    const operators = createOperators({ database: target.database, hashSecrets: hashSecrets() });
    const operator = 'baraka';
    await operators.create({ name: operator, email: 'b@example.com', roles: ['admin'], actor: 'test' });
    const issue = () => operators.issueToken({ operator, days: 1, actor: 'test' });
    const [one, two] = [await issue(), await issue()];
    const session = await signIn(two.token);
    const each = () => Promise.all([meFor(one.token), atDesk(session.cookie), meFor(two.token)]);
    assert.deepEqual(await each(), [200, 200, 200]);
    const rows: Ended = {
      'operator_tokens.revoked_at': { by: 'id', row: await rowOf('operator_tokens', one.tokenId) },
      'operator_sessions.ended_at': { by: 'id', row: await rowOf('operator_sessions', session.id) },
      'operators.disabled_at': { by: 'name', row: await rowOf('operators', operator, '*', 'name') },
    };
    await end('operators.revoke', { token_id: one.tokenId });
    await end('operators.end-session', { session_id: session.id });
    assert.deepEqual(await each(), [401, 303, 200]);
    await end('operators.disable', { operator });
    return { rows, each };
  }

  it('what people ended is not set back, neither its moment nor its row, and opens nothing', async () => {
    const [key, person] = [await endedKey(), await endedPerson()];
    const rows = { ...key.rows, ...person.rows };
    assert.deepEqual(Object.keys(rows).sort(), [...ends].sort());
    for (const [ended, { by, row }] of Object.entries(rows)) {
      const [table = '', column = ''] = ended.split('.');
      for (const role of ['api', 'worker'] as const)
        for (const later of ['NULL', "'infinity'"]) {
          const back = `UPDATE ${table} SET ${column} = ${later} WHERE ${by} = $1`;
          await assert.rejects(as(role, back, [row[by]]), { code: '42501' }, `${role}: ${back}`);
        }
      // A sealed passphrase can be added again: docs/operations/threat-model.md.
      if (table !== 'callback_passphrases') await assert.rejects(plant(table, row), { code: '23505' }, table);
    }
    assert.deepEqual(
      [await key.each(), await person.each()],
      [
        [401, 401, 401],
        [401, 303, 401],
      ],
    );
  });

  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());

  it('an event that no process of ours wrote is neither sent nor signed, and people are told', async () => {
    const shop = await openVictim(target);
    const signed = { callback_url: receiver.url, passphrase: 'the passphrase of this shop' };
    await shop.send('PUT', 'callbacks/settings', signed);
    const { transaction_id } = (await shop.post('payments/ussd', pushBody())).json;
    await until(() => receiver.received.length === 1, { deadlineMs: 30_000, what: 'a true event comes' });
    const { api_key_id, mac } = await rowOf('callback_events', transaction_id, '*', 'transaction_id');
    const forged = (event: string, said: object, more: object = {}) => {
      const id = newEventId();
      const body = JSON.stringify({ event, event_id: id, ...said });
      // Due since a while, so that the next sweep takes it.
      const due = new Date(Date.now() - 60_000).toISOString();
      const at = { created_at: due, next_attempt_at: due };
      return { id, api_key_id, event, body, round: 1, mac, ...at, ...more };
    };
    // A state is told in the transaction that writes it.
    const write = (role: ProcessRole, row: object) =>
      as(
        role,
        `UPDATE transactions SET updated_at = now() WHERE id = '${transaction_id}';${insertOf('callback_events', row)}`,
      );
    const paid = { transaction_id, amount: { value: '5,000,000.00' } };
    const planted: string[] = [];
    for (const [number, role] of (['api', 'worker'] as const).entries()) {
      for (const row of [
        forged('payment.received', { amount: paid.amount }),
        forged('payment.failed', paid, { transaction_id, sequence: 9 }),
        forged('ping', { event: 'payment.received' }),
        forged('ping', { transaction_id: randomUUID() }),
      ])
        await assert.rejects(write(role, row), { code: '42501' }, row.body);
      for (const row of [
        forged('payment.received', paid, { transaction_id, sequence: 2 + number }),
        forged('batch.finished', { totals: { paid: 10_000 } }),
        forged('callbacks.address_changed', { new_host: 'thief.example' }, { mac: null }),
      ]) {
        await write(role, row);
        planted.push(row.id);
      }
    }
    const tried = async (round: number) => {
      const text =
        "SELECT state FROM callback_events WHERE id = ANY($1) AND round = $2 AND state <> 'pending'";
      const ask = () => target.database.query(text, [planted, round]);
      const areOver = async () => (await ask()).rowCount === planted.length;
      await until(areOver, { deadlineMs: 15_000, what: `round ${round} is over`, everyMs: 250 });
      return [...new Set((await ask()).rows.map(({ state }) => state)), receiver.received.length];
    };
    assert.deepEqual(await tried(1), ['failed', 1]);
    for (const id of planted) {
      assert.deepEqual(await reasonsOf(target, `callback_events:${id}`), ['unproven_row']);
      assert.equal((await shop.send('GET', `callbacks/${id}`)).status, 404);
      assert.equal((await shop.send('POST', `callbacks/${id}/resend`)).status, 200);
    }
    assert.deepEqual(await tried(2), ['failed', 1]);
  });

  /** A transfer of this kind with these entries, the state and its event: all that a process may write. */
  const ending = (
    id: string,
    [kind, key, entries, state, event]: [string, string, string, string, string],
  ) => `
    BEGIN;
    UPDATE transactions SET ${state}, event = '${event}' WHERE id = '${id}';
    INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body)
      SELECT 'evt_' || id, id, api_key_id, event, 1, json_build_object('event', event, 'event_id', 'evt_' || id, 'transaction_id', id)
      FROM transactions WHERE id = '${id}';
    INSERT INTO transfers (id, kind, transaction_id, dedupe_key) VALUES ('${id}', '${kind}', '${id}', '${key}:${id}');
    INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT '${id}', a.id, e.amount FROM (VALUES ${entries}) e (kind, amount) JOIN transactions t ON t.id = '${id}'
      JOIN ledger_accounts a ON a.kind = e.kind AND a.currency = t.currency AND coalesce(a.account_id, t.account_id) = t.account_id;
    COMMIT`;

  it('a transaction ends with all of its money, or not at all', async () => {
    const shop = await openVictim(target);
    const payout = (await shop.post('payouts/mobile', mobilePayoutBody('129'))).json.transaction_id;
    const push = (await shop.post('payments/ussd', pushBody('129'))).json.transaction_id;
    const before = await shop.money();
    const held = before.reserved;
    const failed = ["status = 'failed', failure_code = 'expired'", 'payout.failed'] as const;
    const paid = ["status = 'paid', paid_at = now()", 'payout.completed'] as const;
    const completed = ["status = 'completed', settled = 99000000", 'payment.received'] as const;
    const much = "('suspense', -99000000), ('available', 99000000)";
    for (const role of ['api', 'worker'] as const) {
      for (const text of [
        ending(payout, ['payout', 'resolve', "('held', -1), ('fees', 1)", ...paid]),
        ending(payout, ['release', 'resolve', "('held', -1), ('available', 1)", ...failed]),
        ending(payout, ['release', 'another', `('held', -${held}), ('available', ${held})`, ...failed]),
        ending(push, ['collection', 'collection', much, ...completed]),
      ])
        await assert.rejects(as(role, text), /only with its event and its money/);
      const dearer = 'UPDATE transactions SET fee = fee + 1 WHERE id = $1';
      await assert.rejects(as(role, dearer, [payout]), { code: '42501' });
    }
    for (const where of [`payouts/${payout}`, `payments/${push}`])
      assert.equal((await shop.send('GET', where)).json.status, 'pending');
    assert.deepEqual(await shop.money(), before);
  });

  it('people who look find nothing sealed and no hash in what they may read', async () => {
    for (const which of ['first', 'second']) {
      const callback_url = `${target.local.callback_url}?${which}`;
      const change = { callback_url, passphrase: `the ${which} passphrase of a shop` };
      assert.equal((await victim.send('PUT', 'callbacks/settings', change)).status, 200);
    }
    const { rows } = await target.database.query(
      `SELECT encode(ciphertext, 'hex') AS hex FROM callback_passphrases
       UNION ALL SELECT encode(hash, 'hex') FROM api_key_secrets UNION ALL SELECT encode(hash, 'hex') FROM operator_tokens`,
    );
    const secrets = rows.map(({ hex }) => hex);
    const readable = `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ') AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
        AND has_column_privilege(c.oid, a.attnum, 'SELECT') GROUP BY 1 ORDER BY 1`;
    const found = async (ask: (text: string, values?: unknown[]) => Promise<pg.QueryResult>) => {
      const tables: string[] = [];
      for (const { name, columns } of (await ask(readable)).rows) {
        const any = 'SELECT FROM unnest($1::text[]) secret WHERE strpos(t::text, secret) > 0';
        const asked = `SELECT FROM (SELECT ${columns} FROM ${name}) t WHERE EXISTS (${any})`;
        if ((await ask(asked, [secrets])).rowCount !== 0) tables.push(name);
      }
      return tables;
    };
    const sealed = ['api_key_secrets', 'callback_events', 'callback_passphrases', 'operator_tokens'];
    const owner = await found((text, values) => target.database.query(text, values));
    assert.deepEqual(owner, sealed, 'they are there');
    assert.deepEqual(await found((text, values) => as('reader', text, values)), []);
  });
});

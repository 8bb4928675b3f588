// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { scopes } from '../../src/accounts/keys.ts';
import { createMerchant } from '../support/merchant.ts';
import { assertRefused } from './support/api.ts';
import { callOperation, exampleBodies, guarded, whole, withId } from './support/operations.ts';
import { useTestApi } from './support/use-api.ts';

describe('accounts are isolated', () => {
  const { api, test } = useTestApi();
  let stranger: string;
  let ids: string[];

  before(async () => {
    await fillAccount();
    ids = idsOf(await everything());
    const { accountId } = await createMerchant(test.database, { balance: 2_000_000 });
    stranger = (await api.keys.createKey({ accountId, actor: 'test', scopes })).apiKey;
  });

  /** One of everything that a merchant can make: all examples of all operations, an event, and an attempt to send it. */
  async function fillAccount(): Promise<void> {
    for (const operation of guarded) {
      for (const body of exampleBodies(operation)) {
        const answer = await callOperation(api, operation, { body });
        assert.ok(answer.status < 500, answer.text);
      }
    }
    const event = `evt_${randomUUID().replaceAll('-', '')}`;
    await test.sql`INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, state)
      SELECT ${event}, id, api_key_id, 'payment.failed', 1, '{}', 'failed' FROM transactions ORDER BY created_at LIMIT 1`;
    await test.sql`INSERT INTO callback_attempts (event_id, event_at, number, sent_at, http_status, duration_ms)
      SELECT id, created_at, 1, now(), 500, 3 FROM callback_events WHERE id = ${event}`;
  }

  /** All rows of all tables, as text, in a fixed order. */
  async function everything(): Promise<string[]> {
    const tables = await test.sql`SELECT format('%I', table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' ORDER BY 1`;
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await test.database.query(
        `SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${name} t ORDER BY 1`,
      );
      texts.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return texts;
  }

  /** Whatever could be taken for an id of anything: UUIDs, events, previews, keys, references, payment numbers. */
  function idsOf(rows: string[]): string[] {
    const words = rows.flatMap((row) => row.match(/(?<=")[\w-]{8,64}(?=")/g) ?? []);
    return [...new Set(words.filter((word) => /\d/.test(word)))];
  }

  it('has one of everything to ask for', () => {
    assert.ok(withId.length >= 6, `${withId.length}`);
    for (const kind of [/^[0-9a-f-]{36}$/, /^evt_/, /^prv_/, /^P[OY][0-9A-Z]{16}$/]) {
      assert.ok(
        ids.some((id) => kind.test(id)),
        `${kind}`,
      );
    }
  });

  for (const operation of withId) {
    it(`${operation.name} answers a stranger alike for every id of another account and one of nobody`, async () => {
      const before = await everything();
      const headers = { 'x-request-id': 'same', 'idempotency-key': 'same' };
      for (const path of operation.endpoint.paths) {
        const ask = (id: string) => callOperation(api, operation, { path, key: stranger, id, headers });
        const unknown = await ask(randomUUID());
        assertRefused(unknown, 404, 'not_found');
        for (const id of ids) assert.deepEqual(whole(await ask(id)), whole(unknown), id);
      }
      assert.deepEqual(await everything(), before);
    });
  }

  for (const operation of guarded) {
    const inBody = Object.keys(operation.endpoint.body ?? {}).filter((field) => field.endsWith('_id'));
    if (inBody.length === 0) continue;
    it(`${operation.name} takes no ${inBody.join(' or ')} of another account`, async () => {
      const before = await everything();
      const [example] = exampleBodies(operation);
      for (const field of inBody) {
        const ask = (id: string) => {
          const headers = { 'x-request-id': 'same', 'idempotency-key': 'same' };
          return callOperation(api, operation, { key: stranger, body: { ...example, [field]: id }, headers });
        };
        const unknown = await ask('prv_0000000000000000');
        assert.ok(unknown.status >= 400 && unknown.status < 500, unknown.text);
        for (const id of ids) assert.deepEqual(whole(await ask(id)), whole(unknown), id);
      }
      assert.deepEqual(await everything(), before);
    });
  }

  for (const operation of guarded.filter((one) => one.endpoint.method === 'GET' && !withId.includes(one)))
    it(`${operation.name} has nothing of another account`, async () => {
      const { status, text } = await callOperation(api, operation, { key: stranger });
      assert.ok(status < 500, text);
      for (const id of ids.filter(({ length }) => length === 36)) assert.ok(!text.includes(id), id);
    });

  for (const operation of guarded) {
    const filters = Object.keys(operation.endpoint.query ?? {}).filter((name) =>
      /reference|_id$|_key$/.test(name),
    );
    if (filters.length === 0) continue;
    it(`${operation.name} lists nothing of another account by ${filters.join(', ')}`, async () => {
      for (const filter of filters) {
        for (const id of ids) {
          const path = `${operation.endpoint.paths[0]}?${filter}=${encodeURIComponent(id)}`;
          const answer = await callOperation(api, operation, { path, key: stranger });
          if (answer.status === 422) continue;
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.body.pagination.total_items, 0, path);
        }
      }
    });
  }
});

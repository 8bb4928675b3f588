import assert from 'node:assert/strict';
import { createMalipo } from '../../clients/typescript/src/index.ts';
import { openScriptedServer } from '../support/scripted-server.ts';

type Item = { transaction_id: string; created_at: string; status: string };

/** Answers a list as the API does: newest first, of one time the larger id first, `to` exclusive. */
function pageOf(items: Item[], path: string) {
  const query = new URL(path, 'http://malipo.test').searchParams;
  const [page, perPage] = [Number(query.get('page')), Number(query.get('per_page'))];
  const [to, status] = [query.get('to'), query.get('status')];
  const sorted = items
    .filter((item) => (to === null || item.created_at < to) && (status === null || item.status === status))
    .sort((a, b) => (`${a.created_at}${a.transaction_id}` < `${b.created_at}${b.transaction_id}` ? 1 : -1));
  return sorted.slice((page - 1) * perPage, page * perPage);
}

const at = (micros: number) => `2026-11-20T08:15:59.${String(micros).padStart(6, '0')}Z`;
const item = (id: number, micros: number, status = 'pending'): Item => ({
  transaction_id: `t${String(id).padStart(3, '0')}`,
  created_at: at(micros),
  status,
});

describe("the TypeScript client's lists", () => {
  /** What the client yields, while `meanwhile` changes the list after each answer. */
  async function read(items: Item[], perPage: number, meanwhile: (asked: number) => void = () => {}) {
    const server = await openScriptedServer(({ path }) => {
      const data = pageOf(items, path);
      meanwhile(server.asked.length);
      return { type: 'application/json', body: JSON.stringify({ success: true, message: 'Here', data }) };
    });
    try {
      const malipo = createMalipo({ baseUrl: server.url, apiKey: 'sk_test' });
      const ids: string[] = [];
      for await (const each of malipo.allTransactions({ per_page: perPage, status: 'pending' }))
        ids.push(each.transaction_id);
      assert.ok(server.asked.length < 50);
      return ids;
    } finally {
      await server.close();
    }
  }
  const everyId = (items: Item[]) => pageOf(items, '/?page=1&per_page=1000').map((one) => one.transaction_id);

  it('give every item once, in the order of the list', async () => {
    const items = Array.from({ length: 25 }, (_, index) => item(index, index * 10));
    assert.deepEqual(await read(items, 10), everyId(items));
    assert.deepEqual(await read(items, 5), everyId(items), 'the last page is full');
    assert.deepEqual(await read([], 5), []);
  });

  it('give those of one microsecond once each, however many they are', async () => {
    const items = Array.from({ length: 17 }, (_, index) => item(index, index < 3 ? 1 : 999_999));
    assert.deepEqual(await read(items, 5), everyId(items));
    assert.deepEqual(await read(items, 1), everyId(items));
  });

  it('neither miss nor repeat an item when the list changes meanwhile', async () => {
    const items = Array.from({ length: 20 }, (_, index) => item(index, index * 10));
    const expected = everyId(items);
    const ids = await read(items, 5, (asked) => {
      // New ones come in front, and those that were seen leave the filter: pages would move in both directions.
      items.push(item(100 + asked, 1_000 + asked));
      for (const one of items) if (expected.indexOf(one.transaction_id) < asked * 4) one.status = 'paid';
    });
    assert.deepEqual(ids, expected);
  });
});

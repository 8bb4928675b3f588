import assert from 'node:assert/strict';
import { callbackList } from '../../../src/contract/callback-answers.ts';
import { plantEvent } from '../../callbacks/planted.ts';
import { useTestApi } from './use-api.ts';

export const CALLBACK_URL = 'https://shop.example/callbacks';
/** The id of an event that nobody has. */
export const unknownEvent = `evt_${'0'.repeat(32)}`;

/** For each test of a block the API with a key that has a callback URL, and hands that put events into the log. */
export function useCallbacks() {
  const { test, flows, api } = useTestApi({ each: true });
  beforeEach(async () => {
    await test.sql`UPDATE api_keys SET callback_url = ${CALLBACK_URL} WHERE id = ${api.keyId}`;
  });

  /** events are planted under a key of the account's own */
  const merchant = () => ({ accountId: api.accountId, apiKeyId: api.keyId });
  const plant = () => plantEvent(test.database, merchant());
  const update = (change: string, ids: string[]) =>
    test.database.query(`UPDATE callback_events SET ${change} WHERE id = ANY($1)`, [ids]);
  const attempted = (id: string, status: number, number = 1) => test.sql`INSERT INTO callback_attempts
      (event_id, event_at, number, sent_at, http_status, duration_ms)
    SELECT id, created_at, ${number}, now(), ${status}, 35 FROM callback_events WHERE id = ${id}`;
  const log = async (query = '', key?: string) => {
    const answer = await api.call('GET', `callbacks${query}`, key === undefined ? {} : { key });
    assert.equal(answer.status, 200, answer.text);
    return callbackList.parse(answer.body);
  };
  const idsOf = async (query: string) => (await log(query)).data.map((item) => item.event_id);

  return { test, flows, api, merchant, plant, update, attempted, log, idsOf };
}

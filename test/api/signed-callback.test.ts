import assert from 'node:assert/strict';
import { hasServiceSignature, readCallback } from '../../clients/typescript/src/index.ts';
import { callbackAnswer } from '../../src/contract/callback-answers.ts';
import { loadEvent, plantEvent } from '../callbacks/planted.ts';
import { assertRefused } from './support/api.ts';
import { unknownEvent, useCallbacks } from './support/callbacks.ts';

describe('GET callbacks/{event_id}', () => {
  const { test, flows, api, merchant, plant, attempted, update } = useCallbacks();
  const passphrase = 'correct horse battery staple';

  const get = (id: string, key?: string) =>
    api.call('GET', `callbacks/${id}`, key === undefined ? {} : { key });
  const signedOf = async (id: string) => {
    const answer = await get(id);
    assert.equal(answer.status, 200, answer.text);
    const { headers, body } = callbackAnswer.parse(answer.body);
    const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { headers: Object.fromEntries(entries) as Record<string, string>, body };
  };
  const setPassphrase = (value: string | null) =>
    api.call('PUT', 'callbacks/settings', { body: { passphrase: value } });

  it('has the exact bytes of the event, and signatures that hold now', async () => {
    await setPassphrase(passphrase);
    const id = await plant();
    const { headers, body } = await signedOf(id);
    assert.equal(body, (await loadEvent(test.database, id))?.body);
    assert.equal(readCallback({ body, headers, passphrase }).event_id, id);
    assert.ok(hasServiceSignature(body, headers['service-signature'], passphrase));
  });

  it('signs with both passphrases during a change, and with none where none is set', async () => {
    const id = await plant();
    assert.deepEqual(Object.keys((await signedOf(id)).headers).sort(), [
      'content-type',
      'webhook-id',
      'webhook-timestamp',
    ]);
    await setPassphrase(passphrase);
    await setPassphrase('another passphrase of ours');
    for (const each of [passphrase, 'another passphrase of ours'])
      assert.ok(readCallback({ ...(await signedOf(id)), passphrase: each }));
  });

  it('sends nothing and changes nothing, whatever became of the event', async () => {
    const id = await plant();
    await attempted(id, 500);
    for (const state of ['pending', 'delivered', 'failed', 'no_url']) {
      await update(`state = '${state}'`, [id]);
      const before = await loadEvent(test.database, id);
      await signedOf(id);
      assert.deepEqual(await loadEvent(test.database, id), before);
    }
    assert.deepEqual(flows.rounds, []);
  });

  it('knows neither another key’s event, nor another account’s, nor one that never was', async () => {
    const own = await api.createKey();
    const others = await plantEvent(test.database, { ...merchant(), apiKeyId: own.id });
    for (const id of [others, unknownEvent, 'evt_1', 'evt_%00', 'x'.repeat(5_000)])
      assertRefused(await get(id), 404, 'not_found');
    assert.equal((await get(others, own.apiKey)).status, 200);
  });

  it('signs nothing of an event whose people were forgotten', async () => {
    const id = await plant();
    await update("body = '{}'", [id]);
    assertRefused(await get(id), 404, 'not_found');
  });

  it('leaves the addresses beside it as they are', async () => {
    assert.equal((await get('settings')).status, 200);
    for (const id of ['test', 'resend']) assertRefused(await get(id), 405, 'method_not_allowed');
  });
});

import assert from 'node:assert/strict';
import { answersSeen, assertAsDocumented, document } from '../../support/contract.ts';
import { freshKey } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

describe('what the API answers', () => {
  const { api } = useTestApi();

  it('is as documented, success and refusal, at every operation', async () => {
    // The client of these tests holds every answer against the document; here every operation is called.
    for (const [path, item] of Object.entries<Record<string, { operationId: string }>>(document.paths)) {
      for (const method of Object.keys(item).map((name) => name.toUpperCase())) {
        const at = path.slice(1).replace(/\{\w+\}/g, 'unknown');
        const withoutKey = await api.call(method, at, { key: null });
        assert.notEqual(withoutKey.status, 405, `${method} ${at}`);
        await api.call(method, at, { headers: freshKey() });
        if (method !== 'GET') await api.call(method, at, { headers: freshKey(), raw: '{"other":1}' });
        await api.call('DELETE', at, { headers: freshKey() });
      }
    }
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    for (const id of ids) {
      assert.ok(
        [...answersSeen].some((seen) => seen.startsWith(`${id} `)),
        `no answer of ${id} was seen`,
      );
    }
  });

  it('is found wanting when a member, a header, a status or a code is not described', async () => {
    const { headers, text, status } = await api.call('GET', 'balance');
    const good = { headers, text, status };
    assertAsDocumented('GET', '/v1/api/balance', good);
    const members = { ...JSON.parse(text), surprise: 1 };
    const { code: _, ...error } = { ...JSON.parse(text), success: false, code: 'x' };
    const wrong = [
      { ...good, text: JSON.stringify(members) },
      { ...good, headers: { ...headers, 'x-surprise': '1' } },
      { ...good, headers: { ...headers, 'x-request-id': undefined } },
      { ...good, headers: { ...headers, 'content-type': 'text/plain' } },
      { ...good, status: 418 },
      { ...good, status: 401, text: JSON.stringify(error) },
    ];
    for (const answer of wrong) assert.throws(() => assertAsDocumented('GET', '/v1/balance', answer));
    const refused = await api.call('GET', 'balance', { key: null });
    const other = { ...refused, text: refused.text.replace('unauthorized', 'not_cancellable') };
    assert.throws(() => assertAsDocumented('GET', '/v1/balance', other));
  });
});

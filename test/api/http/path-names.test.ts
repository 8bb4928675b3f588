import assert from 'node:assert/strict';
import { prefixes } from '../../../src/api/kit/app.ts';
import { payPaths } from '../../../src/api/pay/app.ts';
import { calls } from '../../../src/operators/api/calls.ts';
import { pages } from '../../../src/operators/desk/pages.ts';
import { appOf } from '../../../src/platform/http/app.ts';
import { listen } from '../../../src/platform/process/listen.ts';
import { createDeskClient } from '../../support/desk-client.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { startPayPages } from '../../support/pay-pages.ts';
import { callOperation, withId } from '../support/operations.ts';
import { useTestApi } from '../support/use-api.ts';

/** Every route whose path has a parameter, of merchants, payers and operators. Doors of channels have tests of their own. */

const NAMES: Record<string, string> = {
  'a NUL': '%00',
  'a NUL in it': 'a%00b',
  'a UUID and a NUL': '0f6c9ee4-53a4-5f4a-9bd9-2b1f6ad3c2c1%00',
  'a line end': '%0A',
  'a deleted character': '%7F',
  'half a pair': '%ED%A0%80',
  'a byte that is no UTF-8': '%FF',
  'a percent sign': '%',
  'an escape that is none': '%zz',
  'an emoji': '%F0%9F%98%80',
  'a UUID that is a digit short': '09c97599-0ab0-5cb9-ad18-d6327c66ef0',
  'a quote': "'",
  'five thousand letters': 'x'.repeat(5_000),
  'a day of the year 1': '0001-01-01',
  'a day of the year 275760': '275760-09-13',
  'a moment of the year 275760': '%2B275760-09-13T00:00:00.000Z',
};

describe('a path with a name in it that nothing has', () => {
  const { api } = useTestApi();
  const { test, desk } = useOperatorDesk();
  const named = (path: string, name: string) => path.replace(/\{\w+\}/g, name);
  /** Not found, or refused before it is looked for. */
  function assertRefused(status: number, what: string): void {
    assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
  }

  it('is handed to no route with anything in it that no name has', async () => {
    const below = (prefix: string, paths: readonly string[]) => paths.map((path) => `${prefix}/${path}`);
    const paths = [
      ...withId.flatMap(({ endpoint }) => below('/api/v1', endpoint.paths)),
      ...Object.values(calls).flatMap((call) => below('/operator/v1', call.paths)),
      ...below(
        '/desk',
        pages.map(({ path }) => path),
      ),
      ...Object.values(payPaths),
    ].filter((path) => path.includes('{'));
    const handed: string[] = [];
    const app = appOf({
      served: paths.map((path) => ({
        name: path,
        method: 'GET',
        path,
        handle: async ({ params, res }) => {
          handed.push(...Object.values(params));
          res.end();
        },
      })),
      layers: [],
      seeAlso: '',
    });
    const { port, close } = await listen(app.callback(), { port: 0, host: '127.0.0.1' });
    for (const path of paths)
      for (const name of Object.values(NAMES)) await fetch(`http://127.0.0.1:${port}${named(path, name)}`);
    await close(0);
    assert.ok(handed.length >= 10 * paths.length, `${handed.length} of ${paths.length} routes`);
    assert.deepEqual(
      handed.filter((name) => /[\p{Cc}\p{Cs}]/u.test(name) || name.length > 300),
      [],
    );
  });

  for (const operation of withId) {
    it(`is not found: ${operation.name}`, async () => {
      for (const prefix of prefixes)
        for (const path of operation.endpoint.paths)
          for (const [what, name] of Object.entries(NAMES)) {
            const at = `${prefix}/${named(path, name)}`;
            const { status } = await callOperation(api, operation, { path: at });
            assertRefused(status, `${what} at ${at.slice(0, 100)}`);
          }
    });
  }

  for (const [name, { method, paths }] of Object.entries(calls)) {
    if (!paths[0].includes('{')) continue;
    it(`is not found by operators: ${name}`, async () => {
      for (const [what, odd] of Object.entries(NAMES)) {
        const sent = method === 'GET' ? undefined : {};
        const { status } = await desk.call('asha', method, named(paths[0], odd), sent);
        assertRefused(status, what);
      }
    });
  }

  for (const { path, acts } of pages.filter((page) => page.path.includes('{'))) {
    it(`is no page of the desk: ${path}`, async () => {
      const asha = createDeskClient(desk.url);
      await asha.signIn(desk.tokens.asha ?? '');
      const csrf = await asha.csrf();
      for (const [what, odd] of Object.entries(NAMES)) {
        const at = `/desk/${named(path, odd)}`;
        assertRefused((await asha.get(at)).status, what);
        for (const act of Object.keys(acts ?? {}))
          assertRefused((await asha.post(at, { csrf, act })).status, `${what}, ${act}`);
      }
    });
  }

  it('is no page to pay on', async () => {
    const own = await startPayPages(test.database);
    try {
      for (const path of Object.values(payPaths))
        for (const [what, odd] of Object.entries(NAMES))
          for (const method of ['GET', 'POST'])
            assertRefused((await fetch(`${own.url}${named(path, odd)}`, { method })).status, what);
    } finally {
      await own.close();
    }
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import type { Json } from '../support/gateway.ts';
import { openAccount, sharedGateway } from '../support/shared-gateway.ts';

const collection: Json = JSON.parse(
  readFileSync(new URL('../../clients/postman/malipo.postman_collection.json', import.meta.url), 'utf8'),
);

/** What can come too late, because the sandbox is quick, or too early. */
const MAY_BE_REFUSED = /\/cancel$|\/refunds$|\/settlement$|\/batches\/[^/]+\/\w+$/;

/** Every request of the collection, in its order and with its scripts, as Postman's runner sends it. */
describe('the Postman collection and the running service', function () {
  this.timeout(120_000);

  it('works from the first request to the last', async () => {
    const gateway = await sharedGateway();
    const { local } = gateway;
    const { apiKey } = await openAccount(gateway, { balance: 10_000_000 });
    const callback_url = `${local.simulator_url}/receiver`;
    await gateway.request('PUT', 'callbacks/settings', { apiKey, body: { callback_url } });

    const variables = new Map<string, string>(collection.variable.map((one: Json) => [one.key, one.value]));
    variables.set('base_url', local.api_url).set('api_key', apiKey);
    const filled = (text: string) =>
      text.replace(/\{\{(\$?\w+)\}\}/g, (_, name) => {
        const value = name === '$guid' ? randomUUID() : variables.get(name);
        assert.ok(value, `${name} has no value yet`);
        return value;
      });

    const collectionVariables = {
      get: (key: string) => variables.get(key),
      set: (key: string, value: string) => variables.set(key, value),
    };
    const run = (events: Json[], listen: string, pm: object) => {
      for (const event of events.filter((one) => one.listen === listen))
        vm.runInNewContext(event.script.exec.join('\n'), { pm });
    };

    for (const { name, request, event = [] } of collection.item.flatMap((folder: Json) => folder.item)) {
      run(event, 'prerequest', {
        info: { requestName: name },
        request: { url: request.url.raw, body: request.body?.raw },
        variables: { replaceIn: filled },
        collectionVariables,
      });
      const url = request.url.raw.replace(/:(\w+)/g, (whole: string, key: string) => {
        return request.url.variable?.find((one: Json) => one.key === key)?.value ?? whole;
      });
      const headers = request.header.filter((one: Json) => !one.disabled);
      const response = await fetch(filled(url), {
        method: request.method,
        headers: {
          ...(request.auth?.type === 'noauth' ? {} : { Authorization: `Bearer ${apiKey}` }),
          ...Object.fromEntries(headers.map((one: Json) => [one.key, filled(one.value)])),
        },
        ...(request.body && { body: filled(request.body.raw) }),
      });
      const text = await response.text();
      const allowed = MAY_BE_REFUSED.test(url) ? [200, 403, 409] : [200];
      assert.ok(allowed.includes(response.status), `${name}: ${response.status} ${text}`);
      assert.equal(response.headers.get('x-ignored-fields'), null, name);
      run(event, 'test', {
        response: { code: response.status, json: () => JSON.parse(text) },
        collectionVariables,
      });
    }

    const { json } = await gateway.request('GET', 'transactions', { apiKey });
    const modes = json.data
      .map((one: Json) => one.transaction_mode)
      .filter((mode: string) => mode !== 'refund');
    assert.deepEqual(modes, ['bank', 'mobile', 'qr', 'billpay', 'ussd']);
  });
});

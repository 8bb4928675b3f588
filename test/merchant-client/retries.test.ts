import assert from 'node:assert/strict';
import { createMalipo, isReplayed, MalipoError, type Settings } from '../../clients/typescript/src/index.ts';
import { openScriptedServer, type ScriptedAnswer } from '../support/scripted-server.ts';
import { until } from '../support/wait.ts';

const push = { amount: 5_000, currency: 'TZS', phone_number: '0754123456' };
const accepted = { success: true, message: 'Asked', transaction_id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03' };
const json = (status: number, body: object, headers?: Record<string, string>): ScriptedAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
  ...(headers && { headers }),
});
const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  json(
    status,
    {
      success: false,
      message: `It is ${code}`,
      code,
      request_id: 'r-1',
      retryable: status >= 429 && status !== 431,
    },
    headers,
  );
const worked = json(200, accepted);
const dropped: ScriptedAnswer = { breaks: 'before' };
const brokenOff: ScriptedAnswer = { ...worked, breaks: 'within' };

describe("the TypeScript client's retries", () => {
  let server: Awaited<ReturnType<typeof openScriptedServer>>;
  let script: ScriptedAnswer[];
  const malipo = (settings: Partial<Settings> = {}) =>
    createMalipo({ baseUrl: server.url, apiKey: 'sk_test', backoffMs: 1, ...settings });
  const thrownBy = async (call: Promise<unknown>): Promise<MalipoError> => {
    const error = await call.then(
      () => assert.fail('it worked'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof MalipoError, String(error));
    return error;
  };
  const keys = () => server.asked.map(({ headers }) => headers['idempotency-key']);

  it('tell an answer that was given before from a new one', async () => {
    script = [json(200, accepted, { 'Idempotent-Replayed': 'true' }), worked];
    assert.equal(isReplayed(await malipo().initiateUssdPush({ body: push })), true);
    assert.equal(isReplayed(await malipo().initiateUssdPush({ body: push })), false);
  });

  beforeEach(async () => {
    script = [];
    server = await openScriptedServer(() => script.shift() ?? assert.fail('one attempt too many'));
  });
  afterEach(() => server.close());

  for (const [name, answer] of Object.entries({
    'a connection that ends without an answer': dropped,
    'an answer that breaks off': brokenOff,
    'a 500': refusal(500, 'internal_error'),
    'a 503': refusal(503, 'unavailable', { 'retry-after': '0' }),
    'an unknown outcome': refusal(503, 'outcome_unknown', { 'retry-after': '0' }),
    'a 429': refusal(429, 'rate_limited', { 'retry-after': '0' }),
    'a page of a proxy': { status: 502, body: '<h1>Bad gateway</h1>' },
    'a page of a proxy that says it went well': { status: 200, body: '<h1>Log in</h1>' },
  }))
    it(`repeat the same bytes under the same key after ${name}`, async () => {
      script = [answer, answer, worked];
      assert.equal((await malipo().initiateUssdPush({ body: push })).transaction_id, accepted.transaction_id);
      const [first, ...others] = server.asked;
      assert.match(String(first?.headers['idempotency-key']), /^[0-9a-f-]{36}$/);
      assert.equal(others.length, 2);
      for (const other of others) {
        assert.equal(other.headers['idempotency-key'], first?.headers['idempotency-key']);
        assert.deepEqual([other.path, other.body], [first?.path, first?.body]);
      }
    });

  it('make one key for each call, unless one is given', async () => {
    script = [worked, worked, worked];
    await malipo().initiateUssdPush({ body: push });
    await malipo().initiateUssdPush({ body: push });
    await malipo().initiateUssdPush({ body: push, idempotencyKey: 'order-1' });
    assert.equal(new Set(keys()).size, 3);
    assert.equal(keys()[2], 'order-1');
  });

  it('send no key where none is meant, and for a bill only one that is given', async () => {
    script = [worked, worked, worked];
    const bill = {
      amount: 5_000,
      payment_number: 'INV-1',
      payment_mode: 'exact',
      description: 'Fees',
    } as const;
    await malipo().getPayment({ id: accepted.transaction_id });
    await malipo().createBill({ body: bill });
    await malipo().createBill({ body: bill, idempotencyKey: 'bill-1' });
    assert.deepEqual(keys(), [undefined, undefined, 'bill-1']);
  });

  for (const [status, code] of [
    [400, 'invalid_json'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'insufficient_balance'],
    [422, 'validation_failed'],
  ] as const)
    it(`never repeat a ${status}`, async () => {
      script = [refusal(status, code)];
      const error = await thrownBy(malipo().initiateUssdPush({ body: push, idempotencyKey: 'k' }));
      assert.deepEqual(
        [
          error.code,
          error.status,
          error.requestId,
          error.idempotencyKey,
          error.outcomeUnknown,
          error.message,
        ],
        [code, status, 'r-1', 'k', false, `It is ${code}`],
      );
    });

  it('end after attemptsMax, with the key under which the outcome can be asked for', async () => {
    script = [dropped, dropped, dropped];
    const error = await thrownBy(malipo({ attemptsMax: 3 }).initiateUssdPush({ body: push }));
    assert.deepEqual([error.code, error.status, error.outcomeUnknown], ['no_answer', null, true]);
    assert.equal(error.idempotencyKey, keys()[0]);
  });

  it('do not follow a redirect, which would change the request', async () => {
    script = [{ status: 302, headers: { location: '/elsewhere' } }];
    assert.equal((await thrownBy(malipo().initiateUssdPush({ body: push }))).status, 302);
  });

  it('say that the outcome is unknown as long as any attempt may have been carried out', async () => {
    const ends = async (...answers: ScriptedAnswer[]) => {
      script = answers;
      const call = malipo({ attemptsMax: answers.length }).initiateUssdPush({ body: push });
      return (await thrownBy(call)).outcomeUnknown;
    };
    const unavailable = refusal(503, 'unavailable');
    assert.equal(await ends(unavailable, unavailable), false, 'nothing was started, twice');
    assert.equal(await ends(refusal(503, 'outcome_unknown')), true);
    assert.equal(await ends(dropped, unavailable), true);
    assert.equal(await ends(dropped, refusal(429, 'rate_limited')), true);
    assert.equal(await ends(dropped, refusal(401, 'unauthorized')), true);
    assert.equal(await ends(dropped, refusal(409, 'insufficient_balance')), false, 'decided under the key');
    assert.equal(await ends(refusal(429, 'rate_limited')), false);
  });

  it('wait for as long as Retry-After says', async () => {
    script = [refusal(503, 'unavailable', { 'retry-after': '1' }), worked];
    const startedAt = performance.now();
    await malipo().initiateUssdPush({ body: push });
    assert.ok(performance.now() - startedAt >= 1_000);
  });

  it('end at once where Retry-After is longer than the caller wants to wait, and say how long it is', async () => {
    script = [refusal(429, 'rate_limited', { 'retry-after': '120' })];
    assert.equal((await thrownBy(malipo().initiateUssdPush({ body: push }))).retryAfterMs, 120_000);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    script = [refusal(503, 'unavailable', { 'retry-after': date })];
    const { retryAfterMs } = await thrownBy(malipo().initiateUssdPush({ body: push }));
    assert.ok(Number(retryAfterMs) > 3_000_000 && Number(retryAfterMs) <= 3_600_000, String(retryAfterMs));
  });

  it('give up an attempt that is not answered in time', async () => {
    await server.close();
    server = await openScriptedServer(() => new Promise(() => {}));
    const call = malipo({ timeoutMs: 100, attemptsMax: 2 }).getBalance();
    const error = await thrownBy(call);
    assert.match(error.message, /in time/);
    assert.equal(error.outcomeUnknown, false, 'a lookup changes nothing');
    assert.equal(server.asked.length, 2);
  });

  it('end when the caller ends them, in an attempt and between two', async () => {
    const reason = new Error('the shop closes');
    const endAfterOneAttempt = async () => {
      const stop = new AbortController();
      const ended = assert.rejects(malipo().getBalance({ signal: stop.signal }), reason);
      await until(() => server.asked.length === 1, 'an attempt');
      stop.abort(reason);
      await ended;
      await assert.rejects(malipo().getBalance({ signal: stop.signal }), reason);
    };
    script = [refusal(503, 'unavailable', { 'retry-after': '30' })];
    await endAfterOneAttempt();
    await server.close();
    server = await openScriptedServer(() => new Promise(() => {}));
    await endAfterOneAttempt();
  });
});

describe("the TypeScript client's requests", () => {
  it('carry names, filters, language and key where the API reads them', async () => {
    const server = await openScriptedServer(() => worked);
    try {
      const malipo = createMalipo({ baseUrl: `${server.url}/`, apiKey: 'sk_test', language: 'sw' });
      await malipo.getTransactions({ query: { status: 'paid', metadata: { order_id: 'INV 1&2' } } });
      await malipo.getPayment({ id: 'a/../b?c' });
      assert.throws(() => malipo.getPayment({ id: '' }), /id must be a text/);
      const [list, lookup] = server.asked;
      const query = new URLSearchParams(list?.path.split('?')[1]);
      assert.deepEqual(
        [...query],
        [
          ['status', 'paid'],
          ['metadata[order_id]', 'INV 1&2'],
        ],
      );
      assert.equal(lookup?.path, '/api/v1/payments/a%2F..%2Fb%3Fc');
      assert.equal(lookup?.headers.authorization, 'Bearer sk_test');
      assert.equal(lookup?.headers['accept-language'], 'sw');
    } finally {
      await server.close();
    }
  });
});

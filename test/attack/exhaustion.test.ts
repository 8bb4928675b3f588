// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { mobilePayoutBody } from '../support/gateway.ts';
import { BILLS_PER_DAY, knock, openVictim, PREVIEWS_PER_DAY, useTarget } from './target.ts';

describe('attack: exhaustion', function () {
  this.timeout(60_000);
  const target = useTarget();

  it('previews, which ask a network for names, have a cap a day', async () => {
    const [victim, other] = [await openVictim(target), await openVictim(target)];
    const preview = (by: typeof victim) => by.send('POST', 'payouts/mobile/preview', mobilePayoutBody());
    const statuses: number[] = [];
    for (let i = 0; i < PREVIEWS_PER_DAY + 2; i += 1) statuses.push((await preview(victim)).status);
    assert.deepEqual(statuses, [...Array(PREVIEWS_PER_DAY).fill(200), 429, 429]);
    assert.equal((await preview(other)).status, 200, 'nobody else pays for it');
  });

  it('bills have a cap a day, however many are made at once', async () => {
    const victim = await openVictim(target);
    const answers = await Promise.all(
      Array.from({ length: BILLS_PER_DAY + 8 }, () =>
        victim.send('POST', 'payments/billpay', {
          amount: 1_000,
          payment_number: randomUUID(),
          description: 'x',
        }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, BILLS_PER_DAY);
    assert.equal(answers.filter(({ status }) => status === 429).length, 8);
    assert.equal(await victim.transactions(), BILLS_PER_DAY);
  });

  it('a body that is too long, too deep or no JSON is refused before anything is done', async () => {
    const victim = await openVictim(target);
    for (const body of [
      `{"amount":1,"metadata":{"x":"${'a'.repeat(2_000_000)}"}}`,
      `{"metadata":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      `{"amount":${'9'.repeat(60_000)}}`,
    ]) {
      const { status } = await knock(`${target.local.api_url}/api/v1/payments/ussd`, {
        body,
        headers: {
          authorization: `Bearer ${victim.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
      });
      assert.ok(status >= 400 && status < 500, String(status));
    }
    assert.equal(await victim.transactions(), 0);
  });

  it('large answers that nobody reads are there once, and asked for in turn', async () => {
    const { hostname, port } = new URL(target.local.api_url);
    const ask = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(6);
    const sockets = Array.from({ length: 300 }, () =>
      connect(Number(port), hostname)
        .pause()
        .on('error', () => {}),
    );
    for (const socket of sockets) socket.write(ask);
    const url = `${target.local.api_url}/api/v1`;
    const answers: number[] = [];
    for (let i = 0; i < 20; i += 1) answers.push((await knock(`${url}/status`, { method: 'GET' })).status);
    assert.deepEqual([...new Set(answers)], [200], 'everybody else is answered meanwhile');
    for (const socket of sockets) socket.destroy();
    // Who has it already is counted, too, and quickly answered: the bucket fills again while a slow machine sends 500 of them.
    const { headers } = await knock(`${url}/openapi.json`, { method: 'GET' });
    const known = { method: 'GET', headers: { 'if-none-match': headers.get('etag') ?? '' } };
    const again = async () => (await knock(`${url}/openapi.json`, known)).status;
    const crowd = await Promise.all(Array.from({ length: 500 }, again));
    assert.ok(crowd.includes(429), 'one address reads as much as people do, and no more');
    assert.equal((await knock(`${url}/status`, { method: 'GET' })).status, 200, 'health never has a limit');
  });

  it('the status, which needs no key, is answered to a crowd', async () => {
    const url = `${target.local.api_url}/api/v1/status`;
    const answers = await Promise.all(Array.from({ length: 300 }, () => knock(url, { method: 'GET' })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });
});

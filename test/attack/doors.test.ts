// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { signRequest } from '../../src/channels/kit/signature.ts';
import { minor } from '../../src/domain/money.ts';
import { bankPayoutBody, type Json } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { FAILURES_PER_MINUTE, knock, liesAbout, openVictim, statusReport, useTarget } from './target.ts';

/** minor units */
const AMOUNT = minor(40_000_000);
const BANK_DOOR = '/channels/iso20022';

describe('attack: the doors of the channels', function () {
  this.timeout(60_000);
  const target = useTarget();
  const door = (where: string) => `${target.local.api_url}${where}`;

  /** Seconds of the processor that the API has used. */
  async function cpuOf(): Promise<number> {
    const { text } = await knock(`${target.local.management_url}/metrics`, { method: 'GET' });
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  }

  it('hostile XML from nobody does not keep the API busy', async () => {
    const declarations = Array.from({ length: 10_000 }, (_, i) => `xmlns:n${i}="urn:n${i}"`).join(' ');
    const bodies = [
      `<Document ${declarations}/>`,
      `<Document ${declarations.slice(0, 30_000)}"/>`,
      '<a>'.repeat(10_000),
      `<!DOCTYPE a [<!ENTITY b "${'b'.repeat(1_000)}">]><a>${'&b;'.repeat(5_000)}</a>`,
      '<a '.repeat(10_000),
    ];
    const before = await cpuOf();
    const doors = [BANK_DOOR, '/channels/bill/notification', '/channels/gsma/x/y'];
    for (const body of [...bodies, ...bodies])
      for (const where of doors) {
        const headers = { 'content-type': where === BANK_DOOR ? 'application/xml' : 'application/json' };
        const { status } = await knock(door(where), { body, headers, from: '203.0.113.9' });
        assert.ok(status >= 400 && status < 500, `${where}: ${status}`);
        const alive = await knock(`${target.local.management_url}/livez`, { method: 'GET' });
        assert.equal(alive.status, 200);
      }
    const used = (await cpuOf()) - before;
    assert.ok(used < 5, `30 bodies cost ${used} s of the processor`);
  });

  describe('a bank between which and us somebody sits', () => {
    let victim: Awaited<ReturnType<typeof openVictim>>;
    let id: string;
    let reference: string;
    before(async () => {
      victim = await openVictim(target);
      const { json, text } = await victim.post('payouts/bank', bankPayoutBody('789', AMOUNT / 100));
      id = json.transaction_id;
      assert.ok(id, text);
      reference = await until(
        async () =>
          (await target.database.query('SELECT reference FROM transactions WHERE id = $1', [id])).rows[0]
            ?.reference,
        'the payout has its reference',
      );
    });
    const status = async () => (await victim.send('GET', `payouts/${id}`)).json.status;

    it('pays nothing for good by answers that it did not sign', async () => {
      // The payment and some enquiries, each answered with "paid".
      await until(() => (liesAbout.get(reference) ?? 0) >= 4, {
        deadlineMs: 30_000,
        what: 'the bank was asked again and again',
      });
      assert.equal(await status(), 'pending');
      assert.ok((await victim.money()).reserved > 0, 'its money is held');
    });

    const xml = () => statusReport(reference, AMOUNT);
    const signedAs = (
      changes: { secret?: string; path?: string; method?: string; body?: string; now?: Date } = {},
    ) => {
      const {
        secret = target.secrets.BANK_SECRET,
        path = BANK_DOOR,
        method = 'POST',
        now = new Date(),
      } = changes;
      return signRequest({ method, path, body: changes.body ?? xml() }, { secrets: [secret], now });
    };
    const forgeries: Record<string, () => string> = {
      'no signature': () => '',
      'a signature of zeros': () => `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
      'a signature with another secret': () => signedAs({ secret: 'x'.repeat(48) }),
      'a signature with no secret at all': () => signedAs({ secret: '' }),
      'a signature of another address': () => signedAs({ path: '/channels/bill/notification' }),
      'a signature of another method': () => signedAs({ method: 'GET' }),
      'a signature of another body': () => signedAs({ body: xml().replace('ACSC', 'RJCT') }),
      'a signature of an hour ago': () => signedAs({ now: new Date(Date.now() - 3_600_000) }),
      'a signature of the next hour': () => signedAs({ now: new Date(Date.now() + 3_600_000) }),
    };
    for (const [what, header] of Object.entries(forgeries))
      it(`is not believed with ${what}`, async () => {
        const answer = await knock(door(BANK_DOOR), {
          body: xml(),
          headers: { 'content-type': 'application/xml', 'x-signature': header() },
          from: '203.0.113.10',
        });
        assert.equal(answer.status, 401, answer.text);
        assert.equal(await status(), 'pending');
      });
  });

  it('a start with other channels than before is in the audit log, by name and without a secret', async () => {
    const { rows } = await target.database.query(
      "SELECT detail FROM audit_log WHERE action = 'channels.configured' ORDER BY id DESC LIMIT 1",
    );
    assert.ok(rows[0]?.detail.changed.includes('networks'), JSON.stringify(rows));
    for (const digits of Object.values(rows[0].detail.connections))
      assert.match(String(digits), /^[0-9a-f]{8}$/);
  });

  it('who proves nothing at the door of GSMA decides nothing', async () => {
    const victim = await openVictim(target);
    const { json } = await victim.post('payments/ussd', {
      amount: 5_000,
      currency: 'TZS',
      phone_number: '0754123129',
    });
    const id: string = json.transaction_id;
    const paid = JSON.stringify({
      transactionReference: 'R1',
      transactionStatus: 'completed',
      type: 'merchantpay',
      amount: '5000',
      currency: 'TZS',
    });
    for (const token of ['x', '0'.repeat(64), randomUUID(), encodeURIComponent('../..')]) {
      const headers = { 'content-type': 'application/json' };
      const answer = await knock(door(`/channels/gsma/${id}/${token}`), {
        method: 'PUT',
        body: paid,
        headers,
        from: '203.0.113.11',
      });
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
    }
    assert.equal((await victim.send('GET', `payments/${id}`)).json.status, 'pending');
    assert.equal((await victim.money()).current, 100_000_000);
  });

  describe('who guesses is stopped by address, and nobody else is', () => {
    const guess: Record<string, (from: string) => Promise<{ status: number; json: Json; headers: Headers }>> =
      {
        'keys of merchants': (from) =>
          knock(door('/api/v1/balance'), { method: 'GET', headers: { authorization: 'Bearer wrong' }, from }),
        'tokens of the bill door': (from) =>
          knock(door('/channels/bill/notification'), {
            body: '{}',
            headers: { authorization: `Bearer ${randomUUID()}`, 'content-type': 'application/json' },
            from,
          }),
        'signatures of the bank': (from) =>
          knock(door(BANK_DOOR), {
            body: statusReport('PO1', AMOUNT),
            headers: {
              'content-type': 'application/xml',
              'x-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
            },
            from,
          }),
      };
    for (const [number, [what, one]] of Object.entries(guess).entries())
      it(what, async () => {
        const from = `198.51.100.${number + 1}`;
        const statuses: number[] = [];
        for (let i = 0; i <= FAILURES_PER_MINUTE; i += 1) statuses.push((await one(from)).status);
        assert.deepEqual([...new Set(statuses.slice(0, -1))], [401]);
        assert.equal(statuses.at(-1), 429);
        assert.equal((await one(`198.51.100.${number + 101}`)).status, 401, 'another address');
        const known = await knock(door('/api/v1/balance'), {
          method: 'GET',
          headers: { authorization: `Bearer ${target.local.api_key}` },
          from,
        });
        assert.equal(known.status, 200, 'a good key from there');
      });

    it('is not deceived by addresses that the caller writes before the proxy’s', async () => {
      let last = 0;
      for (let i = 0; i <= FAILURES_PER_MINUTE; i += 1) {
        const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': `192.0.2.${i}, 198.51.100.77` };
        last = (await knock(door('/api/v1/balance'), { method: 'GET', headers })).status;
      }
      assert.equal(last, 429);
    });
  });
});

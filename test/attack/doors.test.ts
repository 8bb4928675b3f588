// tests: hard
import assert from 'node:assert/strict';
import { signRequest } from '../../src/channels/kit/signature.ts';
import { minor } from '../../src/domain/money.ts';
import { bankPayoutBody } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { FAILURES_PER_MINUTE, knock, liesAbout, openVictim, statusReport, useTarget } from './target.ts';

/** minor units */
const AMOUNT = minor(40_000_000);
const BANK_DOOR = '/channels/iso20022';

describe('attack: the doors of the channels', function () {
  this.timeout(60_000);
  const target = useTarget();
  const door = (where: string) => `${target.local.api_url}${where}`;

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

  it('who guesses signatures of the bank is stopped by address, and nobody else is', async () => {
    const guess = (from: string) =>
      knock(door(BANK_DOOR), {
        body: statusReport('PO1', AMOUNT),
        headers: {
          'content-type': 'application/xml',
          'x-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
        },
        from,
      });
    const from = '198.51.100.1';
    const statuses: number[] = [];
    for (let i = 0; i <= FAILURES_PER_MINUTE; i += 1) statuses.push((await guess(from)).status);
    assert.deepEqual([...new Set(statuses.slice(0, -1))], [401]);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await guess('198.51.100.101')).status, 401, 'another address');
    const headers = { authorization: `Bearer ${target.local.api_key}` };
    const known = await knock(door('/api/v1/balance'), { method: 'GET', headers, from });
    assert.equal(known.status, 200, 'a good key from there');
  });
});

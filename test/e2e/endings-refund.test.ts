import assert from 'node:assert/strict';
import { newKey } from '../support/gateway.ts';
import { merchantOf, plantPaidPush } from '../support/paid-push.ts';
import { movementsOf, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

/** A refund ends like a payout to the number that paid, whose endings are endings.test.ts's. A code: it fails with it. */
const endings: Record<string, 'paid' | 'pending' | string> = {
  '029': 'recipient_not_found',
  '129': 'pending',
  '209': 'pending',
  '229': 'network_error',
  '456': 'paid',
};

/** Endings whose money moved although the refund is not paid, and what a person is notified of. */
const odd: Record<string, string> = { '209': 'wrong_amount', '229': 'late_success' };

const AMOUNT = 5_000;
const HELD = (AMOUNT + 400) * 100;

describe('how a refund ends', function () {
  this.timeout(120_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  /** by ending: the payment, and its refund */
  const ids = new Map<string, { payment: string; refund: string }>();
  const idsOf = (ending: string) => ids.get(ending) ?? assert.fail('not started');

  const sumOn = async (id: string, account: string): Promise<number> => {
    const { rows } = await gateway.database.query(
      `SELECT coalesce(sum(e.amount), 0)::int AS sum FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1 AND a.kind = $2`,
      [id, account],
    );
    return rows[0].sum;
  };

  before(async () => {
    gateway = await sharedGateway();
    const merchant = await merchantOf(gateway.database, gateway.local.account_id);
    for (const ending of Object.keys(endings)) {
      const payment = await plantPaidPush(gateway.database, merchant, { msisdn: `255754123${ending}` });
      ids.set(ending, { payment, refund: '' });
    }
    const start = async ([ending, { payment }]: [string, { payment: string }]) => {
      const key = newKey();
      const answer = await until(
        async () => {
          const attempt = await gateway.request('POST', `payments/${payment}/refunds`, { key, body: {} });
          return attempt.status === 503 ? null : attempt;
        },
        { deadlineMs: 30_000, what: `the refund of ${ending} is answered` },
      );
      assert.equal(answer.status, 200, `${ending}: ${answer.text}`);
      ids.set(ending, { payment, refund: answer.json.transaction_id });
    };
    await Promise.all([...ids].map(start));
  });

  for (const [ending, expected] of Object.entries(endings)) {
    if (expected === 'pending') continue;
    it(`to a number ending in ${ending} ends as ${expected}, and its callback says so`, async () => {
      const { payment, refund } = idsOf(ending);
      const { status, payout } = await gateway.outcome('payouts', refund, { deadlineMs: 60_000 });
      const isPaid = expected === 'paid';
      assert.deepEqual(
        [status, payout.failure_code],
        isPaid ? ['paid', undefined] : ['failed', expected],
        JSON.stringify(payout),
      );
      assert.equal(payout.refund_of, payment);
      const [event] = await until(async () => {
        const events = await receivedEvents(gateway, refund);
        return events.length > 0 ? events : null;
      }, 'its callback');
      const body = JSON.parse(event.body);
      assert.deepEqual(
        [body.event, body.transaction_mode, body.refund_of],
        [isPaid ? 'payout.completed' : 'payout.failed', 'refund', payment],
      );
      const shown = (await gateway.request('GET', `payments/${payment}`)).json.payment;
      assert.equal(shown.refunded, isPaid ? '5,000.00' : '0.00');
      assert.equal(shown.refunds[0].status, status);
    });
  }

  it('puts a late success and a wrong amount into suspense and notifies a person', async () => {
    for (const [ending, reason] of Object.entries(odd)) {
      const { refund } = idsOf(ending);
      const suspended = await until(() => sumOn(refund, 'suspense'), { deadlineMs: 40_000, what: ending });
      const { payout } = (await gateway.request('GET', `payouts/${refund}`)).json;
      const [moved] = await movementsOf(gateway, payout.payout_reference);
      assert.equal(suspended, -moved.amount * 100, ending);
      const { rows } = await gateway.database.query(
        'SELECT reason FROM attention WHERE transaction_id = $1 AND resolved_at IS NULL',
        [refund],
      );
      assert.deepEqual(rows, [{ reason }], ending);
      if (reason === 'late_success') assert.equal(await sumOn(refund, 'held'), 0, 'the hold was given back');
    }
  });

  it('moves money once where it is paid or odd, to the payer, and never elsewhere', async () => {
    for (const [ending, expected] of Object.entries(endings)) {
      const { payout } = (await gateway.request('GET', `payouts/${idsOf(ending).refund}`)).json;
      const moved = await movementsOf(gateway, payout.payout_reference);
      assert.equal(moved.length, expected === 'paid' || ending in odd ? 1 : 0, ending);
      if (moved.length === 0) continue;
      assert.deepEqual([moved[0].direction, moved[0].party], ['out', `255754123${ending}`]);
      assert.equal(moved[0].amount === AMOUNT, odd[ending] !== 'wrong_amount', ending);
    }
  });

  it('unknown is not failed: it stays pending and its money held', async () => {
    for (const ending of ['129', '209']) {
      const { refund } = idsOf(ending);
      const { json } = await gateway.request('GET', `payouts/${refund}`);
      assert.equal(json.status, 'pending', ending);
      assert.equal(await sumOn(refund, 'held'), HELD, ending);
    }
  });
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { bankPayoutBody, type Json, mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { cli, movementsOf, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Kind = 'push' | 'mobile' | 'bank';
const kinds: Kind[] = ['push', 'mobile', 'bank'];

/** What the merchant sees of an ending: a final state, or one failure code per kind of order. */
type Expectation = 'succeeds' | 'pending' | Record<Kind, string>;

const customerIsGone = { push: 'customer_timeout', mobile: 'network_error', bank: 'network_unavailable' };

const endings: Record<string, Expectation> = {
  '019': {
    push: 'payer_limit_reached',
    mobile: 'recipient_limit_reached',
    bank: 'recipient_limit_reached',
  },
  '029': { push: 'payer_not_found', mobile: 'recipient_not_found', bank: 'invalid_account' },
  '039': { push: 'customer_declined', mobile: 'account_blocked', bank: 'account_blocked' },
  '049': { push: 'insufficient_funds', mobile: 'insufficient_float', bank: 'insufficient_float' },
  '059': customerIsGone,
  '069': { push: 'network_error', mobile: 'network_error', bank: 'network_error' },
  '129': 'pending',
  '139': 'succeeds',
  '149': 'succeeds',
  '159': 'succeeds',
  '169': 'succeeds',
  '179': 'succeeds',
  '189': 'succeeds',
  '199': customerIsGone,
  '209': 'pending',
  '219': 'succeeds',
  '229': customerIsGone,
  '239': 'succeeds',
  '456': 'succeeds',
};

const LATE_SUCCESS = ['199', '229'];
const WRONG_AMOUNT = '209';
/** endings whose money the networks' book shows, although the transaction is not successful */
const ODD_MONEY = [...LATE_SUCCESS, WRONG_AMOUNT];

const order = {
  push: {
    path: 'payments/ussd',
    family: 'payments',
    amount: 5_000,
    party: (e: string) => `255754123${e}`,
    way: 'in',
  },
  mobile: {
    path: 'payouts/mobile',
    family: 'payouts',
    amount: 50_000,
    party: (e: string) => `255754123${e}`,
    way: 'out',
  },
  bank: {
    path: 'payouts/bank',
    family: 'payouts',
    amount: 400_000,
    party: (e: string) => `0150123456${e}`,
    way: 'out',
  },
} as const;

const bodyOf = { push: pushBody, mobile: mobilePayoutBody, bank: bankPayoutBody };

/** A bank that returns the money has a second event. */
const eventsExpected = (kind: Kind, ending: string) => (kind === 'bank' && ending === '239' ? 2 : 1);

describe('every ending of the sandbox', function () {
  this.timeout(120_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  let codes: { code: string; reason: string }[];
  const ids = new Map<string, string>();
  const idOf = (kind: Kind, ending: string) => ids.get(`${kind} ${ending}`) ?? assert.fail('not started');

  /** the reference under which the channel knows it: the contract does not show a push's, the database does */
  async function referenceOf(id: string): Promise<string> {
    const { rows } = await gateway.database.query('SELECT reference FROM transactions WHERE id = $1', [id]);
    return rows[0].reference;
  }

  async function ledgerOf(id: string): Promise<Json[]> {
    const { rows } = await gateway.database.query(
      `SELECT a.kind AS account, t.kind, e.amount::int FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1`,
      [id],
    );
    return rows;
  }

  const sumOn = async (id: string, account: string) =>
    (await ledgerOf(id))
      .filter((entry) => entry.account === account)
      .reduce((sum, entry) => sum + entry.amount, 0);

  before(async () => {
    gateway = await sharedGateway();
    codes = JSON.parse(
      await readFile(new URL('../../data/failure-codes.json', import.meta.url), 'utf8'),
    ).codes;
    const all = kinds.flatMap((kind) => Object.keys(endings).map((ending) => ({ kind, ending })));
    await Promise.all(
      all.map(async ({ kind, ending }) => {
        const body = bodyOf[kind](ending);
        const key = newKey();
        const answer = await until(
          async () => {
            const attempt = await gateway.request('POST', order[kind].path, { key, body });
            return attempt.status === 503 ? null : attempt;
          },
          { deadlineMs: 30_000, what: `${kind} ${ending} is answered` },
        );
        assert.equal(answer.status, 200, `${kind} ${ending}: ${answer.text}`);
        ids.set(`${kind} ${ending}`, answer.json.transaction_id);
      }),
    );
  });

  for (const kind of kinds) {
    for (const [ending, expected] of Object.entries(endings)) {
      if (expected === 'pending') continue;
      const outcome = expected === 'succeeds' ? 'succeeds' : `fails with ${expected[kind]}`;
      it(`a ${kind} order to a number ending in ${ending} ${outcome}`, async () => {
        const { family } = order[kind];
        const answer = await gateway.outcome(family, idOf(kind, ending), { deadlineMs: 60_000 });
        const detail = answer.payment ?? answer.payout;
        if (expected === 'succeeds') {
          assert.equal(answer.status, kind === 'push' ? 'completed' : 'paid');
          assert.equal(detail.failure_code, undefined);
          return;
        }
        const known = codes.find(({ code }) => code === expected[kind]);
        assert.equal(answer.status, 'failed');
        assert.equal(detail.failure_code, expected[kind]);
        assert.equal(detail.failure_reason, known?.reason);
      });
    }
  }

  it('money that moved too late or in the wrong amount lies in suspense and is shown to a person', async () => {
    const listed = async (id: string) => (await cli(gateway, 'attention', 'show', id)).includes('! ');
    for (const kind of kinds) {
      for (const ending of ODD_MONEY) {
        const id = idOf(kind, ending);
        const name = `${kind} ${ending}`;
        const suspended = await until(() => sumOn(id, 'suspense'), { deadlineMs: 40_000, what: name });
        const [moved] = await movementsOf(gateway, await referenceOf(id));
        assert.equal(suspended, (kind === 'push' ? 1 : -1) * moved.amount * 100, name);
        assert.ok(moved.amount >= order[kind].amount);
        assert.equal(moved.amount === order[kind].amount, ending !== WRONG_AMOUNT, name);
        const attention = await gateway.database.query(
          'SELECT reason FROM attention WHERE transaction_id = $1 AND resolved_at IS NULL',
          [id],
        );
        assert.deepEqual(
          attention.rows.map((row) => row.reason),
          [ending === WRONG_AMOUNT ? 'wrong_amount' : 'late_success'],
          name,
        );
      }
    }
    assert.ok(await listed(idOf('push', '209')));
    const list = await cli(gateway, 'attention', 'list');
    for (const ending of ODD_MONEY) assert.ok(list.includes(idOf('mobile', ending)));
  });

  it('a late success leaves the transaction failed, and the hold of a payout released', async () => {
    for (const kind of kinds) {
      for (const ending of LATE_SUCCESS) {
        const id = idOf(kind, ending);
        const { json } = await gateway.request('GET', `${order[kind].family}/${id}`);
        assert.equal(json.status, 'failed');
        assert.equal(await sumOn(id, 'available'), 0, `${kind} ${ending}`);
        assert.equal(await sumOn(id, 'held'), 0, `${kind} ${ending}`);
      }
    }
  });

  it('a bank payout that was returned stays paid and says so', async () => {
    const id = idOf('bank', '239');
    const { payout, status } = await until(
      async () => {
        const { json } = await gateway.request('GET', `payouts/${id}`);
        return json.payout.returned_at ? json : null;
      },
      { deadlineMs: 20_000, what: 'returned_at is shown' },
    );
    assert.equal(status, 'paid');
    assert.equal(payout.event, 'payout.completed');
    assert.match(payout.returned_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.match(payout.return_reason, /\S/);
    assert.ok(payout.returned_at > payout.paid_at);
    assert.ok((await ledgerOf(id)).some((entry) => entry.kind === 'reversal'));
    assert.ok((await cli(gateway, 'attention', 'list')).includes(id));
    const mobile = await gateway.request('GET', `payouts/${idOf('mobile', '239')}`);
    assert.equal(mobile.json.payout.returned_at, undefined);
  });

  it('unknown is not failed: they stay pending, the money of payouts held', async () => {
    for (const kind of kinds) {
      for (const ending of ['129', '209']) {
        const id = idOf(kind, ending);
        const { json, status } = await gateway.request('GET', `${order[kind].family}/${id}`);
        const detail = json.payment ?? json.payout;
        assert.equal(status, 200);
        assert.equal(json.status, 'pending', `${kind} ${ending}`);
        assert.match(detail.status_reason, /\S/);
        assert.equal(detail.event, kind === 'push' ? 'payment.pending' : 'payout.pending');
        assert.deepEqual(await receivedEvents(gateway, id), []);
        if (kind === 'push') assert.equal(await sumOn(id, 'available'), 0);
        else assert.ok((await sumOn(id, 'held')) > order[kind].amount * 100);
      }
    }
  });

  it('each final transaction sent one callback, signed in both ways, and a returned one a second', async () => {
    for (const [name, id] of ids) {
      const [kind, ending] = name.split(' ') as [Kind, string];
      const expected = endings[ending];
      if (expected === 'pending') continue;
      const event = `${kind === 'push' ? 'payment' : 'payout'}.${expected === 'succeeds' ? (kind === 'push' ? 'received' : 'completed') : 'failed'}`;
      const received = await until(
        async () => {
          const events = await receivedEvents(gateway, id);
          return events.length >= eventsExpected(kind, ending) ? events : null;
        },
        { deadlineMs: 15_000, what: `the callback of ${name}` },
      );
      assert.equal(received.length, eventsExpected(kind, ending), name);
      assert.equal(received[0].service_signature_verified, true, name);
      assert.equal(received[0].standard_webhooks_verified, true, name);
      const body = JSON.parse(received[0].body);
      assert.equal(body.event, event, name);
      assert.equal(body.transaction_id, id);
      assert.equal(body.sequence, 1);
      assert.equal(body.event_id, received[0].headers['webhook-id']);
      if (typeof expected === 'object') assert.equal(body.failure_code, expected[kind], name);
      const { rows } = await gateway.database.query(
        'SELECT event FROM callback_events WHERE transaction_id = $1 ORDER BY sequence',
        [id],
      );
      assert.deepEqual(rows[0], { event }, name);
      assert.equal(rows.length, eventsExpected(kind, ending), name);
    }
  });

  it("the networks' own book shows each reference once where money moved, else never", async () => {
    for (const [name, id] of ids) {
      const [kind, ending] = name.split(' ') as [Kind, string];
      const reference = await referenceOf(id);
      const moved = await movementsOf(gateway, reference);
      const expected = endings[ending] === 'succeeds' || ODD_MONEY.includes(ending) ? 1 : 0;
      assert.equal(moved.length, expected, `${name} (${reference})`);
      if (expected === 0) continue;
      assert.equal(moved[0].reference, reference);
      assert.equal(moved[0].direction, order[kind].way, name);
      assert.equal(moved[0].party, order[kind].party(ending), name);
      if (ending !== WRONG_AMOUNT) assert.equal(moved[0].amount, order[kind].amount, name);
    }
    const { movements } = await gateway.simulator('truth');
    assert.equal(new Set(movements.map((movement: Json) => movement.reference)).size, movements.length);
  });
});

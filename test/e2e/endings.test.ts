import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import { type Json, newKey } from '../support/gateway.ts';
import { pick } from '../support/pick.ts';
import { cli, movementsOf, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { attentionOf } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';
import {
  bodyOf,
  endings,
  eventsExpected,
  type Kind,
  kinds,
  ODD_MONEY,
  order,
  WRONG_AMOUNT,
} from './ending-table.ts';
import { attentionList, flaggedInTemporal, readableOf, temporalOf } from './in-temporal.ts';

const reasonOf = (ending: string) => (ending === WRONG_AMOUNT ? 'wrong_amount' : 'late_success');

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
        const answer = await until(async () => {
          const attempt = await gateway.request('POST', order[kind].path, { key, body });
          return attempt.status === 503 ? null : attempt;
        }, `${kind} ${ending} is answered`);
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
        const answer = await gateway.outcome(family, idOf(kind, ending));
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
        const suspended = await until(() => sumOn(id, 'suspense'), name);
        const [moved] = await movementsOf(gateway, await referenceOf(id));
        assert.equal(suspended, (kind === 'push' ? 1 : -1) * moved.amount * 100, name);
        assert.ok(moved.amount >= order[kind].amount);
        assert.equal(moved.amount === order[kind].amount, ending !== WRONG_AMOUNT, name);
        const reasons = pick(await attentionOf(gateway.database, id), 'reason');
        assert.deepEqual(reasons, [reasonOf(ending)], name);
      }
    }
    assert.ok(await listed(idOf('push', '209')));
    const list = await cli(gateway, 'attention', 'list');
    for (const ending of ODD_MONEY) assert.ok(list.includes(idOf('mobile', ending)));
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
      const received = await until(async () => {
        const events = await receivedEvents(gateway, id);
        return events.length >= eventsExpected(kind, ending) ? events : null;
      }, `the callback of ${name}`);
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

  describe('in the Temporal UI', () => {
    let temporal: TemporalClient;
    let client: Client;
    before(async () => {
      temporal = await temporalOf(gateway);
      client = temporal.client;
    });
    after(() => temporal?.close());

    /** Once the sweep has compared them. */
    const flagged = (isExpected: (entries: string[]) => boolean) =>
      until(async () => {
        const [listed, shown] = [await attentionList(gateway), await flaggedInTemporal(client)];
        return listed.join() === shown.join() && isExpected(shown) ? shown : null;
      }, '`Attention = true` is what is on the attention list');

    it('`Attention = true` is the attention list, also of what was flagged after its workflow ended, and once it is closed', async () => {
      const returned = `${idOf('bank', '239')} returned`;
      const odd = kinds.flatMap((kind) =>
        ODD_MONEY.map((ending) => `${idOf(kind, ending)} ${reasonOf(ending)}`),
      );
      await flagged((entries) => [returned, ...odd].every((entry) => entries.includes(entry)));
      await cli(gateway, 'attention', 'close', idOf('bank', '239'), '--note', 'the merchant knows');
      await flagged(
        (entries) => !entries.includes(returned) && odd.every((entry) => entries.includes(entry)),
      );
    });

    it('no name and no number is in a summary, a detail, a search attribute or a result', async () => {
      const digits = (number: string) => new RegExp(number.split('').join('[\\s().-]*'));
      const secrets = (kind: Kind, ending: string) => [
        /asha|juma/i,
        digits(kind === 'bank' ? `150123456${ending}` : `754123${ending}`),
      ];
      for (const [name, id] of ids) {
        const [kind, ending] = name.split(' ') as [Kind, string];
        const text = await readableOf(client, `transaction/${id}`);
        // It is looked at: masked, the same is there.
        assert.match(text, kind === 'bank' ? /\*\*\*/ : /0754\*\*\*/, name);
        for (const secret of secrets(kind, ending)) assert.doesNotMatch(text, secret, name);
      }
      for (const [kind, ending] of [
        ['bank', '199'],
        ['push', '229'],
      ] as const) {
        const text = await readableOf(client, `attention/${idOf(kind, ending)}/late_success`);
        assert.match(text, /A person is needed.*late_success/);
        for (const secret of secrets(kind, ending)) assert.doesNotMatch(text, secret);
      }
    });
  });
});

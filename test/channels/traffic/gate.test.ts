import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { close, open } from '../../../src/channels/traffic/closures.ts';
import type { Gate, Passenger } from '../../../src/channels/traffic/gate.ts';
import { forgetResults, isAnswerToEnquiry, isAnswerToSend } from '../../../src/channels/traffic/results.ts';
import { beforeStatements } from '../../support/before-statements.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';
import { plantProposal } from '../../support/decision.ts';
import { gateOf } from '../../support/gate.ts';
import { pick } from '../../support/pick.ts';
import { until } from '../../support/wait.ts';

const payouts = { channel: 'm-pesa', connection: 'ours', direction: 'payout' } as const;

describe('the gate before a channel', () => {
  const test = useTestDatabase();
  let clock = 0;
  /** Two processes: what one of them finds or does, the other knows within its memory of two seconds. */
  let gate: Gate;
  let other: Gate;
  beforeEach(async () => {
    await test.sql`TRUNCATE channel_results, channel_breakers, closures`;
    gate = gateOf(asRole(test.database, 'worker'), () => clock);
    other = gateOf(asRole(test.database, 'worker'), () => clock);
    clock += 10_000;
  });

  const someone = (of: Partial<Passenger> = {}): Passenger => ({ id: randomUUID(), ...payouts, ...of });
  const db = () => asRole(test.database, 'worker');
  const mayTry = async (of: Gate, passenger: Passenger) => of.mayTry(db(), await of.view(), passenger);
  const pass = async (of: Gate, passenger: Passenger) => of.pass(db(), await of.view(), passenger);
  const stateOf = async (of: Gate) => (await of.states()).of('m-pesa', 'payouts');
  const forget = () => {
    clock += 2_000;
  };
  const note = (of: Gate, answered: number, failed: number) => {
    for (let n = 0; n < answered; n += 1) of.note(payouts, true);
    for (let n = 0; n < failed; n += 1) of.note(payouts, false);
  };
  async function goDown(): Promise<void> {
    note(gate, 0, 10);
    await gate.flush();
    forget();
  }
  const probeDue = () => test.sql`UPDATE channel_breakers SET probe_at = now()`;

  it('lets everything through while nothing speaks against it', async () => {
    assert.deepEqual(await pass(gate, someone()), { open: true, probe: false });
    assert.equal(await stateOf(gate), 'up');
  });

  it('adds up what all processes see, and is shut in all of them', async () => {
    note(gate, 0, 5);
    await gate.flush();
    assert.equal((await pass(gate, someone())).open, true);
    note(other, 0, 5);
    await other.flush();
    forget();
    for (const each of [gate, other]) {
      assert.deepEqual(await pass(each, someone()), { open: false });
      assert.equal(await stateOf(each), 'down');
    }
    const collection = someone({ direction: 'collection' });
    assert.equal((await pass(gate, collection)).open, true, 'its payments are another service');
    assert.equal((await pass(gate, someone({ channel: 'airtel-money' }))).open, true);
  });

  it('calls a channel degraded that answers some requests, and sends on', async () => {
    note(gate, 7, 3);
    await gate.flush();
    assert.equal(await stateOf(gate), 'degraded');
    assert.equal((await pass(gate, someone())).open, true);
  });

  it('lets one request probe it when its time has come, however many ask', async () => {
    await goDown();
    assert.equal(await mayTry(gate, someone()), false, 'not at once');
    await probeDue();
    forget();
    assert.equal(await stateOf(gate), 'degraded', 'the next request will be tried');
    const many = Array.from({ length: 20 }, (_, n) => ({ of: n % 2 ? gate : other, passenger: someone() }));
    const tried = await Promise.all(many.map(({ of, passenger }) => mayTry(of, passenger)));
    assert.equal(tried.filter(Boolean).length, 1);
    const prober = many[tried.indexOf(true)]?.passenger ?? someone();
    assert.equal((await pass(gate, someone())).open, false);
    assert.deepEqual(await pass(other, prober), { open: true, probe: true });
    assert.equal((await pass(other, prober)).open, false, 'a probe is one request');
  });

  it('gives a lost probe to another one later, twice as long after each', async () => {
    await goDown();
    const pauses: number[] = [];
    for (let probe = 0; probe < 4; probe += 1) {
      await probeDue();
      assert.equal(await mayTry(gate, someone()), true);
      const rows =
        await test.sql`SELECT extract(epoch FROM probe_at - now()) * 1000 AS ms FROM channel_breakers`;
      pauses.push(Number(rows[0].ms));
    }
    assert.ok(
      pauses.every((ms, at) => at === 0 || ms > (pauses[at - 1] ?? 0) || ms > 1_500),
      String(pauses),
    );
    assert.ok(
      pauses.every((ms) => ms <= 2_000),
      'and never more than the longest',
    );
  });

  it('opens when a probe is answered, and forgets what was before', async () => {
    await goDown();
    await gate.recover(payouts);
    forget();
    for (const each of [gate, other]) assert.equal((await pass(each, someone())).open, true);
    assert.equal(await stateOf(other), 'up');
    note(gate, 0, 9);
    await gate.flush();
    forget();
    assert.equal((await pass(gate, someone())).open, true, 'nine new results are too few');
  });

  it('is shut for the connection whose login is refused, and open for the others of its network', async () => {
    for (let n = 0; n < 17; n += 1) gate.note(payouts, null, true);
    await gate.flush();
    forget();
    assert.equal((await pass(gate, someone())).open, false);
    assert.equal((await pass(other, someone())).open, false);
    assert.equal((await pass(other, someone({ connection: 'another' }))).open, true);
    assert.equal(await stateOf(gate), 'up');
    const api = gateOf(
      asRole(test.database, 'worker'),
      () => clock,
      () => 'ours',
    );
    assert.equal(await stateOf(api), 'down', 'nobody without a route of his own is carried');
    await probeDue();
    const prober = someone();
    assert.equal(await mayTry(gate, prober), true);
    assert.deepEqual(await pass(gate, prober), { open: true, probe: true });
    await gate.recover(payouts);
    forget();
    assert.equal((await pass(other, someone())).open, true);
  });

  it('goes on with the waiting time that it had reached, when it is shut again soon', async () => {
    const waitMs = async () => {
      const rows =
        await test.sql`SELECT extract(epoch FROM probe_at - now()) * 1000 AS ms FROM channel_breakers
          WHERE channel = 'm-pesa'`;
      return Number(rows[0].ms);
    };
    await goDown();
    assert.ok((await waitMs()) <= 500);
    for (let probe = 0; probe < 2; probe += 1) {
      await probeDue();
      assert.equal(await mayTry(gate, someone()), true);
    }
    await gate.recover(payouts);
    // Of the slot in which it was back nothing counts.
    await test.sql`UPDATE channel_breakers
      SET recovered_at = recovered_at - interval '20 seconds', probe_at = now()`;
    await goDown();
    assert.equal((await pass(gate, someone())).open, false);
    assert.ok((await waitMs()) > 1_000);
    await probeDue();
    assert.equal(await mayTry(gate, someone()), true);
    assert.ok((await waitMs()) > 1_000, 'and from there on');
  });

  it('is shut within five seconds where an operator closes a channel or a kind, and open again after', async () => {
    const api = asRole(test.database, 'api');
    const mine = someone();
    const proposalId = await plantProposal(test.database, 'channels.open');
    const closing = { services: ['payouts'] as const, reason: 'a test', actor: 'test' };
    const isOpen = async () => {
      forget();
      return (await pass(other, mine)).open;
    };
    for (const channel of ['m-pesa', null]) {
      await close(api, { ...closing, channel });
      await close(api, { ...closing, channel });
      assert.equal(await isOpen(), false);
      assert.equal(await mayTry(other, mine), false);
      assert.equal(await stateOf(other), 'down');
      assert.equal((await pass(other, { ...mine, direction: 'collection' })).open, true);
      const opened = await open(test.database, { ...closing, channel, proposalId });
      assert.deepEqual(pick(opened, 'service'), ['payouts']);
      assert.equal(await isOpen(), true);
    }
  });

  it('reads once for all who ask at the same moment, and again after an error', async () => {
    let reads = 0;
    let broken = false;
    const database = beforeStatements(asRole(test.database, 'worker'), async () => {
      reads += 1;
      if (broken) throw new Error('Postgres is away');
    });
    const watched = gateOf(database, () => clock);
    await Promise.all([watched.view(), watched.view(), watched.view()]);
    assert.equal(reads, 2, 'what is closed, and what is down');
    forget();
    broken = true;
    await assert.rejects(watched.view());
    broken = false;
    await watched.view();
    assert.equal(reads, 5);
  });

  it('writes what it counted by itself, and the sweep forgets it after a day', async () => {
    note(gate, 1, 0);
    const stored = async () =>
      (await test.sql`SELECT sum(answered)::int AS n FROM channel_results WHERE channel = 'm-pesa'`)[0].n ===
      1;
    await until(stored, 'the count is written');
    await forgetResults(db());
    assert.ok(await stored());
    await test.sql`UPDATE channel_results SET slot = slot - 8641`;
    await forgetResults(db());
    assert.ok(!(await stored()));
  });
});

describe('what an answer says about its channel', () => {
  it('is that it is there, unless nothing usable came back', () => {
    const failed = (code: 'insufficient_funds' | 'network_unavailable') =>
      ({ kind: 'failed', code, channelReference: null }) as const;
    assert.equal(isAnswerToSend({ kind: 'accepted', channelReference: null }), true);
    assert.equal(isAnswerToSend(failed('insufficient_funds')), true, 'a refusal is an answer');
    assert.equal(isAnswerToSend(failed('network_unavailable')), false, 'unless it says that it is not there');
    assert.equal(isAnswerToSend({ kind: 'not_sent', detail: '' }), false);
    assert.equal(isAnswerToSend({ kind: 'not_sent', detail: '', refused: 'login' }), null, 'it was there');
    assert.equal(isAnswerToSend({ kind: 'unknown', detail: '' }), false);
    assert.equal(isAnswerToSend({ kind: 'unknown', detail: '', seen: true }), true);
    assert.equal(isAnswerToEnquiry({ kind: 'unknown', detail: '', refused: 'login' }), null, 'it was there');
    assert.equal(isAnswerToEnquiry({ kind: 'not_found' }), null, 'it may still take no sends');
    assert.equal(isAnswerToEnquiry({ kind: 'unknown', detail: '' }), false);
  });
});

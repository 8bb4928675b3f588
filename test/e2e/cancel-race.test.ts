import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { mobilePayoutBody, newKey } from '../support/gateway.ts';
import { type Parts, startParts } from '../support/parts.ts';
import { until } from '../support/wait.ts';

/** 200 are in the long tests. */
const RACES = Number(process.env.CANCEL_RACES) || 60;
const AT_ONCE = 10;
const DELAY_MS_MAX = 400;

type Race = { id: string; cancelled: boolean };

describe('a cancel that races the hand-over', () => {
  let parts: Parts;
  let races: Race[];
  let finals: Map<string, { status: string; moved: number; events: string[]; resolution: string }>;

  before(async function () {
    this.timeout(180_000);
    parts = await startParts();
    await parts.startWorker();
    races = await raceAll(parts);
    await until(async () => (await countPending(parts)) === 0, {
      deadlineMs: 60_000,
      what: 'every payout is final',
      everyMs: 200,
    });
    finals = await readFinals(parts);
  });
  after(async function () {
    this.timeout(30_000);
    await parts?.stop();
  });

  // How often each wins is the machine's; that both do is what the next test needs.
  it('is won by either side several times', () => {
    const cancelled = races.filter((race) => race.cancelled).length;
    assert.equal(races.length, RACES);
    assert.ok(cancelled >= 5 && cancelled <= RACES - 5, `${cancelled} of ${RACES} were cancelled`);
  });

  it('never ends both cancelled and paid: what was promised holds, in the network’s own book too', () => {
    for (const { id, cancelled } of races) {
      const final = finals.get(id);
      assert.deepEqual(
        final,
        cancelled
          ? { status: 'cancelled', moved: 0, events: ['payout.failed'], resolution: 'released' }
          : { status: 'paid', moved: 1, events: ['payout.completed'], resolution: 'taken' },
      );
    }
  });

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});

/** Each race moves the next one's pause towards the moment when both sides have a chance. */
async function raceAll(parts: Parts): Promise<Race[]> {
  const races: Race[] = [];
  let delayMs = 10;
  const runner = async () => {
    while (races.length < RACES - AT_ONCE + 1) {
      const race = await raceOnce(parts, delayMs * Math.random() * 2);
      races.push(race);
      delayMs = Math.min(DELAY_MS_MAX, Math.max(0, race.cancelled ? delayMs + 1 : delayMs * 0.8));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  return races;
}

async function raceOnce(parts: Parts, delayMs: number): Promise<Race> {
  const created = await parts.request('POST', 'payouts/mobile', {
    key: newKey(),
    body: mobilePayoutBody('456', 1_000),
  });
  assert.equal(created.status, 200);
  const id = created.json.transaction_id;
  await pause(delayMs);
  const { status, json } = await parts.request('POST', `payouts/${id}/cancel`);
  if (status === 200) {
    assert.equal(json.status, 'cancelled');
    return { id, cancelled: true };
  }
  assert.deepEqual([status, json.code], [409, 'not_cancellable']);
  return { id, cancelled: false };
}

async function countPending(parts: Parts): Promise<number> {
  const { rows } = await parts.database.query(
    "SELECT count(*)::int AS pending FROM transactions WHERE status = 'pending'",
  );
  return rows[0].pending;
}

async function readFinals(parts: Parts) {
  const { movements } = await parts.simulator('truth');
  const moved = new Map<string, number>();
  for (const { reference } of movements) moved.set(reference, (moved.get(reference) ?? 0) + 1);
  const { rows } = await parts.database.query(
    `SELECT t.id, t.status, t.reference, r.resolution,
       (SELECT array_agg(e.event) FROM callback_events e WHERE e.transaction_id = t.id) AS events
     FROM transactions t JOIN hold_resolutions r ON r.transaction_id = t.id`,
  );
  return new Map(
    rows.map(({ id, status, reference, resolution, events }) => [
      id,
      { status, moved: moved.get(reference) ?? 0, events, resolution },
    ]),
  );
}

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkInvariants } from '../../src/ledger/invariants.ts';
import { transactionIdOf } from '../../src/transactions/idempotency.ts';
import { type Json, type Kind, kinds } from '../support/gateway.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import { type Step, type StopPlan, steps } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

/** Endings without a notification, where only an enquiry can tell: a step that it would hide is struck for real. */
const endings: Partial<Record<Step, string>> = {
  'after the channel call': '139',
  'after recordSendOutcome': '139',
  'before enquire': '149',
  'after enquire': '149',
};

/** Steps at which nothing has reached the channel yet. */
const unsent: Step[] = ['before recordSend', 'after recordSend', 'before the channel call'];

type Case = { kind: Kind; step: Step; key: string; id: string };

describe('a worker that is killed between any two steps', () => {
  let parts: Parts;
  let cases: Case[];
  const log = path.join(os.tmpdir(), `malipo-stops-${process.pid}.log`);
  const logged = (line: string) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((one) => one === line).length;

  before(async function () {
    this.timeout(180_000);
    parts = await startParts();
    cases = steps.flatMap((step) =>
      (Object.keys(kinds) as Kind[]).map((kind) => {
        const key = `${kind} ${step}`.replaceAll(' ', '-');
        return { kind, step, key, id: transactionIdOf(parts.accountId, key) };
      }),
    );
    const plan: StopPlan = {
      signal: 'SIGKILL',
      at: Object.fromEntries(cases.map(({ id, step }) => [id, step])),
    };
    const worker = await parts.startWorker({
      entry: crashingWorker,
      environment: { STOP_PLAN: JSON.stringify(plan), STOP_LOG: log },
    });
    const answers = Promise.all(cases.map((one) => submitUntilAnswered(parts, one)));
    await until(() => worker.child.signalCode === 'SIGKILL', {
      deadlineMs: 40_000,
      what: 'every transaction is at its step and the worker dies',
    }).catch((error) => {
      throw new Error(`${error.message}; there: ${readFileSync(log, 'utf8')} ${worker.lastOutput()}`);
    });
    // The same wiring without a plan: it goes on noting the calls.
    await parts.startWorker({ entry: crashingWorker, environment: { STOP_LOG: log } });
    await answers;
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  for (const step of steps) {
    for (const kind of Object.keys(kinds) as Kind[]) {
      it(`${step}: a ${kind} is done once and told once`, async () => {
        const one = cases.find((candidate) => candidate.kind === kind && candidate.step === step);
        assert.ok(one);
        assert.equal(logged(`stopped ${step} ${one.id}`), 1, 'it was struck there');
        const { lookup, success } = kinds[kind];
        const final = await until(
          async () => {
            const { json } = await parts.request('GET', `${lookup}/${one.id}`);
            return json.status !== 'pending' && json.status !== undefined ? json : null;
          },
          { deadlineMs: 60_000, what: `${one.key} is final`, everyMs: 100 },
        );
        // A push is not sent again when its prompt would have run out meanwhile: then it fails, and nothing moved.
        const safelyFailed = kind === 'push' && unsent.includes(step) && final.status === 'failed';
        assert.equal(final.status, safelyFailed ? 'failed' : success, JSON.stringify(final));
        const times = safelyFailed ? 0 : 1;
        assert.equal(await movementsOf(parts, one), times);
        assert.equal(logged(`call ${one.id}`), times);
        await assertToldOnce(parts, one);
        if (step.endsWith('callback send')) await assertInterruptionLogged(parts, one);
        if (lookup === 'payouts') await assertHoldTakenOnce(parts, one);
      }).timeout(70_000);
    }
  }

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});

/** What a careful merchant does: the same key again until there is an answer. */
async function submitUntilAnswered(parts: Parts, { kind, step, key, id }: Case): Promise<void> {
  const answer = await until(
    async () => {
      const { status, json } = await parts.request('POST', kinds[kind].path, {
        key,
        body: kinds[kind].body(endings[step]),
      });
      assert.ok(status === 200 || json.code === 'outcome_unknown', `${status} ${json.code}`);
      assert.equal(json.transaction_id, id);
      return status === 200;
    },
    { deadlineMs: 60_000, what: `${key} is answered`, everyMs: 200 },
  );
  assert.ok(answer);
}

async function movementsOf(parts: Parts, { id }: Case): Promise<number> {
  const { rows } = await parts.database.query('SELECT reference FROM transactions WHERE id = $1', [id]);
  const { movements } = await parts.simulator(`truth?reference=${rows[0].reference}`);
  return movements.length;
}

/** One event; its bytes may come more than once, because nobody knows whether the receiver had them. */
async function assertToldOnce(parts: Parts, { id }: Case): Promise<void> {
  await until(
    async () => {
      const { rows } = await parts.database.query(
        'SELECT state FROM callback_events WHERE transaction_id = $1',
        [id],
      );
      assert.equal(rows.length, 1);
      return rows[0].state === 'delivered';
    },
    { deadlineMs: 40_000, what: 'the event is delivered', everyMs: 100 },
  );
  const { events } = await parts.simulator(`receiver/events?transaction_id=${id}`);
  assert.ok(events.length >= 1);
  assert.equal(new Set(events.map((event: Json) => event.body)).size, 1);
}

/** The attempt that the worker died in was noted before it was made, and counts. */
async function assertInterruptionLogged(parts: Parts, { id }: Case): Promise<void> {
  const { rows } = await parts.database.query(
    `SELECT a.number, a.http_status, a.duration_ms IS NULL AS interrupted FROM callback_attempts a
     JOIN callback_events e ON e.id = a.event_id WHERE e.transaction_id = $1 ORDER BY a.number`,
    [id],
  );
  assert.deepEqual(rows, [
    { number: 1, http_status: null, interrupted: true },
    { number: 2, http_status: 200, interrupted: false },
  ]);
}

async function assertHoldTakenOnce(parts: Parts, { id }: Case): Promise<void> {
  const { rows } = await parts.database.query(
    'SELECT resolution FROM hold_resolutions WHERE transaction_id = $1',
    [id],
  );
  assert.deepEqual(rows, [{ resolution: 'taken' }]);
}

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import type { Json } from '../support/gateway.ts';
import { merchantOf, plantPaidPush } from '../support/paid-push.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import type { Step, StopPlan } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

/** What a merchant asks for, over one protocol. */
export type CrashKind = {
  /** with `{id}`: a refund of a payment that stands there already */
  path: string;
  /** of a refund: the first seven digits of the number that paid, over which network; the last three are the ending */
  paidBy?: { msisdn: string; channel: string };
  lookup: 'payments' | 'payouts';
  success: string;
  /** of a request to a number with this ending, an ordinary one when it is left out */
  body(ending?: string): object;
  /** what a killed worker leaves: `sent again` where the channel deduplicates our reference, else `for a person` */
  unsent: 'sent again' | 'for a person';
};

type Case = { name: string; kind: CrashKind; step: Step; key: string; id: string; path: string };

/** Endings without a notification, where only an enquiry can tell: a step that it would hide is struck for real. */
export const endings: Partial<Record<Step, string>> = {
  'after the channel call': '139',
  'after recordSendOutcome': '139',
  'while the send is open': '139',
  'before enquire': '149',
  'after the enquiry call': '149',
  'after enquire': '149',
};

/** Steps at which nothing has reached the channel yet, and those of them at which a send is recorded. */
export const unsent: Step[] = ['before recordSend', 'after recordSend', 'before the channel call'];
const recorded: Step[] = ['after recordSend', 'before the channel call'];

/** Long after the time in which "not found" would have ended it: a transaction that stays open until then stays open. */
const STAYS_OPEN_MS = 12_000;

/**
 * One transaction of each kind at each step, a worker that one blow kills there, and another worker that goes on. Every
 * transaction moves money once and is told once, or is left to a person with nothing moved.
 */
export function killedBetweenSteps(subject: {
  kinds: Record<string, CrashKind>;
  steps: readonly Step[];
  /** of every process */
  environment?: NodeJS.ProcessEnv;
}): void {
  let parts: Parts;
  let cases: Case[];
  let restartedAt = 0;
  const log = path.join(os.tmpdir(), `malipo-stops-${process.pid}-${Object.keys(subject.kinds).length}.log`);
  const logged = (line: string) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((one) => one === line).length;

  before(async function () {
    this.timeout(180_000);
    parts = await startParts(subject.environment);
    const all = subject.steps.flatMap((step) =>
      Object.entries(subject.kinds).map(([name, kind]) => caseOf(parts, { name, kind, step })),
    );
    cases = await Promise.all(all);
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
    restartedAt = performance.now();
    await answers;
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  for (const step of subject.steps) {
    for (const [name, kind] of Object.entries(subject.kinds)) {
      const staysOpen = kind.unsent === 'for a person' && recorded.includes(step);
      it(`${step}: a ${name} ${staysOpen ? 'stays open, and moves nothing' : 'is done once and told once'}`, async () => {
        const one = cases.find((candidate) => candidate.name === name && candidate.step === step);
        assert.ok(one);
        assert.equal(logged(`stopped ${step} ${one.id}`), 1, 'it was struck there');
        if (staysOpen) await assertStaysOpen(parts, one, restartedAt + STAYS_OPEN_MS);
        else await assertDoneOnce(parts, one, logged);
      }).timeout(70_000);
    }
  }

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
}

async function caseOf(parts: Parts, one: Pick<Case, 'name' | 'kind' | 'step'>): Promise<Case> {
  const { path: address, paidBy } = one.kind;
  const key = `${one.name} ${one.step}`.replaceAll(' ', '-');
  const id = transactionIdOf(parts.accountId, key);
  if (!paidBy) return { ...one, key, id, path: address };
  const merchant = await merchantOf(parts.database, parts.accountId);
  const msisdn = `${paidBy.msisdn}${endings[one.step] ?? '456'}`;
  const paid = await plantPaidPush(parts.database, merchant, { ...paidBy, msisdn });
  return { ...one, key, id, path: address.replace('{id}', paid) };
}

async function assertDoneOnce(parts: Parts, one: Case, logged: (line: string) => number): Promise<void> {
  const { kind, step, key, id } = one;
  const final = await until(
    async () => {
      const { json } = await parts.request('GET', `${kind.lookup}/${id}`);
      return json.status !== 'pending' && json.status !== undefined ? json : null;
    },
    { deadlineMs: 60_000, what: `${key} is final`, everyMs: 100 },
  );
  const safelyFailed =
    final.status === 'failed' && unsent.includes(step) && (await mayFailUnsent(parts, one));
  assert.equal(final.status, safelyFailed ? 'failed' : kind.success, JSON.stringify(final));
  const times = safelyFailed ? 0 : 1;
  assert.equal(await movementsOf(parts, one), times);
  assert.equal(logged(`call ${id}`), times);
  await assertToldOnce(parts, one);
  if (step.endsWith('callback send')) await assertInterruptionLogged(parts, one);
  if (kind.lookup === 'payouts') await assertHoldEndedOnce(parts, one, safelyFailed ? 'released' : 'taken');
}

/** Nobody can say whether the channel has it, and a second send could move money twice. */
async function assertStaysOpen(parts: Parts, one: Case, openUntil: number): Promise<void> {
  await until(() => performance.now() >= openUntil, {
    deadlineMs: 60_000,
    what: 'it stayed open long enough',
  });
  const { json } = await parts.request('GET', `${one.kind.lookup}/${one.id}`);
  assert.equal(json.status, 'pending');
  assert.equal(await movementsOf(parts, one), 0);
  const { rows } = await parts.database.query(
    `SELECT (SELECT count(*)::int FROM sends WHERE transaction_id = $1) AS sends,
       (SELECT count(*)::int FROM callback_events WHERE transaction_id = $1) AS events,
       (SELECT count(*)::int FROM hold_resolutions WHERE transaction_id = $1) AS resolved`,
    [one.id],
  );
  assert.deepEqual(rows, [{ sends: 1, events: 0, resolved: 0 }]);
}

/** What a careful merchant does: the same key again until there is an answer. */
async function submitUntilAnswered(parts: Parts, one: Case): Promise<void> {
  const { kind, step, key, id } = one;
  const answer = await until(
    async () => {
      const { status, json } = await parts.request('POST', one.path, {
        key,
        body: kind.body(endings[step]),
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

/**
 * A push is not sent again when its prompt would have run out meanwhile. Nothing is when no worker was there for so long
 * that the time to send was over, which a busy machine manages.
 */
async function mayFailUnsent(parts: Parts, { kind, id }: Case): Promise<boolean> {
  if (kind.lookup === 'payments') return true;
  const { rows } = await parts.database.query(
    `SELECT updated_at - created_at >= (timing->>'notSentRetryMs')::int * interval '1 millisecond' AS late
     FROM transactions WHERE id = $1`,
    [id],
  );
  return rows[0].late;
}

async function assertHoldEndedOnce(
  parts: Parts,
  { id }: Case,
  resolution: 'taken' | 'released',
): Promise<void> {
  const { rows } = await parts.database.query(
    'SELECT resolution FROM hold_resolutions WHERE transaction_id = $1',
    [id],
  );
  assert.deepEqual(rows, [{ resolution }]);
}

import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/kit/flows.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { PAYBACK_VALUE, plantPayback } from '../support/agreed-payback.ts';
import { type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import type { Parts } from '../support/parts.ts';
import { until } from '../support/wait.ts';
import type { AskedFor } from './careful-merchant.ts';
import type { Flow, Struck } from './crashes.ts';
import { type Step, steps } from './stop-at.ts';
import { assertToldOnce } from './told-once.ts';

/** What a merchant asks for, over one protocol. */
type CrashKind = AskedFor & {
  /** of a refund: the first seven digits of the number that paid, over which network; the last three are the ending */
  paidBy?: { msisdn: string; channel: string };
  /** `for a person`: nothing is sent again, because the channel does not deduplicate our reference */
  unsent?: 'for a person';
};

/** A push to, or a payout to, a number with this prefix: `0784` is Airtel's. */
export const pushTo = (prefix: string) =>
  ({
    path: 'payments/ussd',
    lookup: 'payments',
    success: 'completed',
    body: (ending: string) => ({ ...pushBody(), phone_number: `${prefix}123${ending}` }),
  }) as const;

export const payoutTo = (prefix: string) =>
  ({
    path: 'payouts/mobile',
    lookup: 'payouts',
    success: 'paid',
    body: (ending: string) => ({ ...mobilePayoutBody(), phone_number: `${prefix}123${ending}` }),
  }) as const;

/** What was paid by such a number goes back to it. */
export const refundTo = (prefix: string, channel: string) =>
  ({
    path: 'payments/{id}/refunds',
    paidBy: { msisdn: `255${prefix.slice(1)}123`, channel },
    lookup: 'payouts',
    success: 'paid',
    body: () => ({}),
  }) as const;

/** Endings without a notification, where only an enquiry can tell: a step that it would hide is struck for real. */
const endings: Partial<Record<Step, string>> = {
  'after the channel call': '139',
  'after recordSendOutcome': '139',
  'while the send is open': '139',
  'before enquire': '149',
  'after the enquiry call': '149',
  'after enquire': '149',
};
export const endingAt = (step: Step) => endings[step] ?? '456';

/** Steps at which nothing has reached the channel yet, and those of them at which a send is recorded. */
export const unsent: Step[] = ['before recordSend', 'after recordSend', 'before the channel call'];
const recorded: Step[] = ['after recordSend', 'before the channel call'];
/** Those in which protocols differ. */
export const sending = steps.slice(steps.indexOf('before recordSend'), steps.indexOf('after end') + 1);

/** Long after the time in which "not found" would have ended it: a transaction that stays open until then stays open. */
const STAYS_OPEN_MS = 12_000;

type Asked = { kind: CrashKind; step: Step; key: string; id: string };

/** What moves money once and is told once, or is left to a person with nothing moved. */
export function transactions(what: string, kind: CrashKind, at: readonly Step[] = steps): Flow {
  const staysOpen = (step: Step) => kind.unsent === 'for a person' && recorded.includes(step);
  return {
    what,
    steps: at,
    fact: (step) => (staysOpen(step) ? 'stays open, and moves nothing' : 'is done once and told once'),
    async make(parts, { step, name: key }) {
      const id = transactionIdOf(parts.accountId, key);
      const one = { kind: { ...kind, path: await pathOf(parts, kind, step) }, step, key, id };
      return {
        at: { [id]: step },
        ask: () => submitUntilAnswered(parts, one),
        assertRight: (struck) =>
          staysOpen(step)
            ? assertStaysOpen(parts, one, struck.at + STAYS_OPEN_MS)
            : assertDoneOnce(parts, one, struck),
      };
    },
  };
}

async function pathOf(parts: Parts, { path, paidBy }: CrashKind, step: Step): Promise<string> {
  if (!paidBy) return path;
  const { accountId, database } = parts;
  const { rows } = await database.query(
    "SELECT id FROM api_keys WHERE account_id = $1 AND 'payments:write' = ANY(scopes)",
    [accountId],
  );
  const merchant = { accountId, apiKeyId: rows[0].id };
  const msisdn = `${paidBy.msisdn}${endingAt(step)}`;
  return path.replace('{id}', await plantPaidPush(database, merchant, { ...paidBy, msisdn }));
}

/** What two operators have agreed on: nobody asks for it, and no callback tells of it. */
export const paybacks: Flow = {
  what: 'payback',
  steps: sending,
  fact: () => 'gives its payer the money once, and nobody is notified',
  async make({ database, client, simulator }, { step }) {
    const { id, isOpen } = await plantPayback(database, {
      connection: 'mobile-money',
      msisdn: `255754123${endingAt(step)}`,
      timing: 'fast',
      // No worker is there for long on a busy machine.
      times: { notSentRetryMs: 180_000, sendQueueMs: 180_000 },
    });
    return {
      at: { [id]: step },
      async ask() {
        const payback = (await getTransaction(database, id)) ?? assert.fail();
        await createFlows({ ...client, submissionKeys }).begin(payback);
      },
      async assertRight() {
        const sql = 'SELECT reference, status, failure_code FROM transactions WHERE id = $1';
        const ended = await until(async () => {
          const [row] = (await database.query(sql, [id])).rows;
          return row.status !== 'pending' && row;
        }, `payback ${id} is final`);
        assert.deepEqual([ended.status, ended.failure_code], ['paid', null]);
        const { movements } = await simulator(`truth?reference=${ended.reference}`);
        assert.deepEqual(
          movements.map(({ direction, amount }: Json) => [direction, amount]),
          [['out', PAYBACK_VALUE / 100]],
        );
        assert.equal(await isOpen(), false);
        const events = 'SELECT 1 FROM callback_events WHERE transaction_id = $1';
        assert.equal((await database.query(events, [id])).rowCount, 0);
      },
    };
  },
};

async function assertDoneOnce(parts: Parts, one: Asked, struck: Struck): Promise<void> {
  const { kind, step, id } = one;
  const { death, calls, thawedCalls } = struck;
  const final = await parts.outcome(kind.lookup, id);
  const safelyFailed =
    death !== 'the worker freezes' &&
    final.status === 'failed' &&
    (unsent.includes(step) || (await neverLeft(parts, one))) &&
    (await mayFailUnsent(parts, one));
  const said = `${JSON.stringify(final)}, called ${calls(id)} times, moved ${await movementsOf(parts, one)} times, sends ${await sendsOf(parts, one)}`;
  assert.equal(final.status, safelyFailed ? 'failed' : kind.success, said);
  const times = safelyFailed ? 0 : 1;
  assert.equal(await movementsOf(parts, one), times);
  // A Temporal that died may not know that the channel was called: it is called again, with the same reference.
  if (death === 'Temporal dies') assert.ok(calls(id) >= times);
  else assert.equal(calls(id), times, said);
  // A process may freeze between any two instructions: what passed all checks leaves late, and the channel refuses it.
  if (thawedCalls) assert.equal(thawedCalls(id), step === 'before the channel call' ? 1 : 0);
  await assertToldOnce(parts, id);
  if (death === 'the worker dies' && step.endsWith('callback send'))
    await assertInterruptionLogged(parts, one);
  if (kind.lookup === 'payouts') await assertHoldEndedOnce(parts, one, safelyFailed ? 'released' : 'taken');
}

/** Nobody can say whether the channel has it, and a second send could move money twice. */
async function assertStaysOpen(parts: Parts, one: Asked, openUntil: number): Promise<void> {
  await until(() => performance.now() >= openUntil, 'it stayed open long enough');
  const { json } = await parts.request('GET', `${one.kind.lookup}/${one.id}`);
  assert.equal(json.status, 'pending');
  assert.equal(await movementsOf(parts, one), 0);
  const { rows } = await parts.database.query(
    `SELECT (SELECT count(*)::int FROM sends WHERE transaction_id = $1
         AND outcome IS DISTINCT FROM 'not_sent') AS sends,
       (SELECT count(*)::int FROM callback_events WHERE transaction_id = $1) AS events,
       (SELECT count(*)::int FROM hold_resolutions WHERE transaction_id = $1) AS resolved`,
    [one.id],
  );
  assert.deepEqual(rows, [{ sends: 1, events: 0, resolved: 0 }]);
}

/** What a careful merchant does: the same key again until there is an answer. */
async function submitUntilAnswered(parts: Parts, one: Asked): Promise<void> {
  const { kind, step, key, id } = one;
  await until(async () => {
    const body = kind.body(endingAt(step));
    const { status, json } = await parts.request('POST', kind.path, { key, body });
    assert.ok(status === 200 || json.code === 'outcome_unknown', `${status} ${json.code}`);
    assert.equal(json.transaction_id, id);
    return status === 200;
  }, `${key} is answered`);
}

async function movementsOf(parts: Parts, { id }: Asked): Promise<number> {
  const { rows } = await parts.database.query('SELECT reference FROM transactions WHERE id = $1', [id]);
  const { movements } = await parts.simulator(`truth?reference=${rows[0].reference}`);
  return movements.length;
}

/** The attempt that the worker died in was noted before it was made, and counts. */
async function assertInterruptionLogged(parts: Parts, { id }: Asked): Promise<void> {
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
async function mayFailUnsent(parts: Parts, { kind, id }: Asked): Promise<boolean> {
  if (kind.lookup === 'payments') return true;
  const { rows } = await parts.database.query(
    `SELECT updated_at - created_at >= (timing->>'notSentRetryMs')::int * interval '1 millisecond' AS late
     FROM transactions WHERE id = $1`,
    [id],
  );
  return rows[0].late;
}

/** A send that took too long to record is not made (`SEND_FRESH_MS`), which a busy machine manages, too. */
async function neverLeft(parts: Parts, { id }: Asked): Promise<boolean> {
  const { rows } = await parts.database.query(
    "SELECT coalesce(bool_and(outcome = 'not_sent'), false) AS never FROM sends WHERE transaction_id = $1",
    [id],
  );
  return rows[0].never;
}

/** For whoever reads a failure: a second send needs proof that the first did nothing. */
async function sendsOf(parts: Parts, { id }: Asked): Promise<string> {
  const { rows } = await parts.database.query(
    'SELECT number, outcome FROM sends WHERE transaction_id = $1 ORDER BY number',
    [id],
  );
  return JSON.stringify(rows);
}

async function assertHoldEndedOnce(parts: Parts, { id }: Asked, resolution: 'taken' | 'released') {
  const { rows } = await parts.database.query(
    'SELECT resolution FROM hold_resolutions WHERE transaction_id = $1',
    [id],
  );
  assert.deepEqual(rows, [{ resolution }]);
}

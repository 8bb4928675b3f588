import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowCode } from '../../src/platform/temporal/workflow-code.ts';
import '../support/quiet-runtime.ts';

const folder = new URL('../histories/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));

/** Written down here, so that deleting a file is noticed. */
const required = [
  ...[
    'completed',
    'declined',
    'expired',
    'asked-about-when-its-time-was-over',
    'hinted',
    'lost-answer',
    'cancelled',
    'callback-retried',
    'sent-again-after-not-found',
    'resumed-by-the-sweep',
  ].map((name) => `ussd-push-${name}`),
  ...[
    'paid',
    'failed',
    'cancelled',
    'insufficient-balance',
    'lost-answer',
    'sent-again-after-not-found',
    'resumed-by-the-sweep',
    'decided-by-two-people',
  ].map((name) => `payout-${name}`),
  ...[
    'exact-paid',
    'flexible-paid-in-three-parts',
    'expired',
    'expired-partly-paid',
    'cancelled',
    'resumed-by-the-sweep',
  ].map((name) => `bill-order-${name}`),
  ...['paid', 'expired'].map((name) => `qr-payment-${name}`),
  'sweep-completed',
  'attention-closed',
  'number-made',
  'number-payment-completed',
  'batch-held',
  'batch-finished',
  'settlement-paid',
  'settlements-of-a-day',
];

type History = { events: HistoryEvent[] };
type HistoryEvent = { eventType: string } & Record<string, unknown>;

function readHistory(name: string): History {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
}

/**
 * A payment may wait for days while a new version of its workflow is deployed. The saved histories stand for such
 * payments (scripts/save-histories.ts makes them): today's workflows must decide as yesterday's did.
 */
describe('saved histories', () => {
  let workflowBundle: Awaited<ReturnType<typeof workflowCode>>['workflowBundle'];

  before(async function () {
    this.timeout(60_000);
    ({ workflowBundle } = await workflowCode());
  });

  /** The error of each history that does not replay; null for one that does. */
  async function replay(histories: Record<string, History>): Promise<Map<string, Error | null>> {
    const outcomes = new Map<string, Error | null>();
    const all = Object.entries(histories).map(([workflowId, history]) => ({ workflowId, history }));
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, all))
      outcomes.set(workflowId, error ?? null);
    return outcomes;
  }

  describe('replay with the workflows as they are:', () => {
    let outcomes: Map<string, Error | null>;

    before(async function () {
      this.timeout(60_000);
      outcomes = await replay(Object.fromEntries(names.map((name) => [name, readHistory(name)])));
    });

    for (const name of names) it(name.replaceAll('-', ' '), () => assert.equal(outcomes.get(name), null));
  });

  it('cover every way a flow can end', () => {
    assert.deepEqual(
      required.filter((name) => !names.includes(name)),
      [],
    );
  });

  it('hold no name of the machine they were made on, nor its folders', () => {
    for (const name of names) {
      const text = readFileSync(new URL(`${name}.json`, folder), 'utf8');
      assert.match(text, /"identity":"malipo"/, name);
      assert.doesNotMatch(text, /\b\d+@\w|node_modules|\.ts:\d/, name);
    }
  });

  it('do not replay when a workflow decides otherwise, so that the check can fail', async () => {
    const differentStep = readHistory('payout-paid');
    const handedOver = differentStep.events.find((event) => JSON.stringify(event).includes('requestPayout'));
    Object.assign(
      handedOver ?? {},
      JSON.parse(JSON.stringify(handedOver).replace('requestPayout', 'requestPush')),
    );

    const noTimer = readHistory('ussd-push-expired');
    const timer = noTimer.events.findIndex((event) => event.eventType === 'EVENT_TYPE_TIMER_STARTED');
    const event = noTimer.events[timer];
    Object.assign(event ?? {}, {
      eventType: 'EVENT_TYPE_MARKER_RECORDED',
      markerRecordedEventAttributes: {},
    });
    delete event?.timerStartedEventAttributes;

    const outcomes = await replay({ differentStep, noTimer, untouched: readHistory('payout-paid') });
    assert.ok(outcomes.get('differentStep') instanceof DeterminismViolationError);
    assert.ok(outcomes.get('noTimer') instanceof DeterminismViolationError);
    assert.equal(outcomes.get('untouched'), null);
  });
});

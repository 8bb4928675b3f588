import assert from 'node:assert/strict';
import type { EnquiryResult } from '../src/domain/channel.ts';
import type { MoneyRequest } from '../src/domain/operation.ts';
import type { FlowTiming } from '../src/domain/timing.ts';
import { cancel, taskQueues, workflowTypes } from '../src/workflows/messages.ts';
import type { Flows } from '../test/support/flows.ts';
import {
  bankPayoutRequest,
  billRequest,
  mobilePayoutRequest,
  pushRequest,
  qrRequest,
} from '../test/support/merchant.ts';
import { type ScriptedChannel, succeeded } from '../test/support/scripted-channel.ts';
import { until } from '../test/support/wait.ts';

/** The acts of a case once its transaction `id` was submitted. */
export type Stage = {
  id: string;
  flows: Flows;
  /** waits until the channel was sent something this often */
  sent(times: number): Promise<void>;
  /** waits until the transaction is on the attention list */
  flagged(): Promise<void>;
  /** two operators decide what became of it, and the flow is signalled to look */
  decide(outcome: 'paid' | 'failed'): Promise<void>;
  /**
   * a customer pays so much of the bill, in TZS; the flow is signalled, and the merchant is notified when this resolves
   */
  pay(amount: number): Promise<void>;
};

export type Case = {
  /** `<flow>-<case>`, the name of the file */
  name: string;
  /** a function where the time it lives begins when it is played */
  request: MoneyRequest | (() => MoneyRequest);
  /** durations that pass for real, so the script's are shorter than a merchant's */
  timing?: Partial<FlowTiming>;
  sends?: ScriptedChannel['sends'];
  enquiries?: EnquiryResult[];
  /** attempts of the callback that the receiver does not take */
  refusedCallbacks?: number;
  /** of the merchant, in TZS; 2,000,000 unless said otherwise */
  balance?: number;
  /** no worker takes sends from their queue */
  isQueueStuck?: boolean;
  act?(stage: Stage): Promise<void>;
  /** what the workflow returns: a history is saved only when it is the one its name says */
  ends: string;
};

/** of a bill that expires: long enough for what is to happen before */
const LIFE_MS = 3_000;

const unclear = { kind: 'unknown', detail: 'connection reset' } as const;
const unanswered = { kind: 'unknown', detail: '503' } as const;
const quick: Partial<FlowTiming> = {
  firstEnquiryMs: 200,
  unclearEnquiryMs: 200,
  enquiryDelaysMs: [200],
  settleTimeMs: 300,
  notSentPauseMs: 200,
};

const paidBy = (amount: number) => async (stage: Stage) => {
  await stage.sent(1);
  await stage.flows.notify(stage.id, succeeded(amount), `paid-${stage.id}`);
};

const cancelWins = async ({ flows, id }: Stage) => {
  assert.deepEqual(await flows.handle(id).executeUpdate(cancel), { cancelled: true });
};

const lostAfterTheSend = async (stage: Stage) => {
  await stage.sent(1);
  await stage.flows.handle(stage.id).terminate('lost');
  await untilResumed(stage);
};

const untilResumed = ({ flows, id }: Stage) =>
  until(
    async () => {
      await flows.sweep.sweep();
      return (await flows.handle(id).describe()).status.name !== 'TERMINATED';
    },
    { deadlineMs: 10_000, what: 'the sweep resumes it' },
  );

const push = pushRequest(5_000);
const pushCases: Omit<Case, 'request'>[] = [
  { name: 'completed', act: paidBy(5_000), ends: 'completed' },
  { name: 'completed-before-the-send-was-answered', sends: [succeeded(5_000)], ends: 'completed' },
  {
    name: 'declined',
    async act(stage) {
      await stage.sent(1);
      const refusal = { kind: 'failed', code: 'customer_declined', channelReference: null } as const;
      await stage.flows.notify(stage.id, refusal, `declined-${stage.id}`);
    },
    ends: 'failed',
  },
  {
    name: 'expired',
    timing: quick,
    enquiries: [{ kind: 'failed', code: 'customer_timeout', channelReference: null }],
    ends: 'failed',
  },
  {
    name: 'asked-about-when-its-time-was-over',
    timing: { sendTimeoutMs: 500, firstEnquiryMs: 1_000, enquiryDelaysMs: [200] },
    enquiries: [{ kind: 'accepted', channelReference: null }, succeeded(5_000)],
    ends: 'completed',
  },
  {
    name: 'lost-answer',
    timing: quick,
    sends: [unclear],
    enquiries: [unanswered, succeeded(5_000)],
    ends: 'completed',
  },
  { name: 'cancelled', isQueueStuck: true, act: cancelWins, ends: 'cancelled' },
  {
    name: 'cancelled-in-the-temporal-ui',
    isQueueStuck: true,
    async act({ flows, id }) {
      await flows.handle(id).cancel();
    },
    ends: 'cancelled',
  },
  {
    name: 'cancel-came-too-late',
    async act(stage) {
      await stage.sent(1);
      assert.deepEqual(await stage.flows.handle(stage.id).executeUpdate(cancel), { cancelled: false });
      await paidBy(5_000)(stage);
    },
    ends: 'completed',
  },
  { name: 'callback-retried', sends: [succeeded(5_000)], refusedCallbacks: 2, ends: 'completed' },
  {
    name: 'sent-again-after-not-found',
    timing: quick,
    sends: [unclear, succeeded(5_000)],
    enquiries: [{ kind: 'not_found' }],
    ends: 'completed',
  },
  {
    name: 'repeated-because-nothing-was-sent',
    timing: quick,
    sends: [{ kind: 'not_sent', detail: 'ECONNREFUSED' }, succeeded(5_000)],
    ends: 'completed',
  },
  { name: 'never-picked-up', isQueueStuck: true, timing: { sendQueueMs: 300 }, ends: 'failed' },
  {
    name: 'hinted',
    enquiries: [succeeded(5_000)],
    async act(stage) {
      await stage.sent(1);
      await stage.flows.handle(stage.id).signal('channelResult', 'hint');
    },
    ends: 'completed',
  },
  {
    name: 'wrong-amount',
    async act(stage) {
      await stage.sent(1);
      await stage.flows.notify(stage.id, succeeded(5_100, 'ODD'), `odd-${stage.id}`);
      await stage.flagged();
      await stage.flows.notify(stage.id, succeeded(5_000, 'RIGHT'), `right-${stage.id}`);
    },
    ends: 'completed',
  },
  {
    name: 'resumed-by-the-sweep',
    timing: quick,
    enquiries: [succeeded(5_000)],
    act: lostAfterTheSend,
    ends: 'completed',
  },
];

const payout = mobilePayoutRequest(50_000);
const payoutCases: (Omit<Case, 'request'> & { request?: MoneyRequest })[] = [
  { name: 'paid', act: paidBy(50_000), ends: 'paid' },
  { name: 'paid-to-a-bank', request: bankPayoutRequest(400_000), act: paidBy(400_000), ends: 'paid' },
  {
    name: 'failed',
    sends: [{ kind: 'failed', code: 'account_blocked', channelReference: null }],
    ends: 'failed',
  },
  { name: 'cancelled', isQueueStuck: true, act: cancelWins, ends: 'cancelled' },
  { name: 'insufficient-balance', balance: 1_000, ends: 'refused' },
  {
    name: 'lost-answer',
    timing: quick,
    sends: [unclear],
    enquiries: [unanswered, succeeded(50_000)],
    ends: 'paid',
  },
  {
    name: 'sent-again-after-not-found',
    timing: quick,
    sends: [unclear, succeeded(50_000)],
    enquiries: [{ kind: 'not_found' }],
    ends: 'paid',
  },
  {
    name: 'never-arrived',
    timing: { ...quick, sendsMax: 1, neverArrivedMs: 300 },
    sends: [unclear],
    enquiries: [{ kind: 'not_found' }],
    ends: 'failed',
  },
  {
    name: 'resumed-by-the-sweep',
    timing: quick,
    enquiries: [succeeded(50_000)],
    act: lostAfterTheSend,
    ends: 'paid',
  },
  {
    name: 'decided-by-two-people',
    timing: { ...quick, attentionAfterMs: 300, overdueEnquiryMs: 500, afterDecisionMs: 300 },
    sends: [unclear],
    enquiries: [unanswered],
    async act(stage) {
      await stage.flagged();
      await stage.decide('failed');
    },
    ends: 'failed',
  },
];

/** Bills and QR codes: each has its own request, whose life passes for real where it expires. */
const billCases: Case[] = [
  {
    name: 'bill-order-exact-paid',
    request: billRequest(25_000),
    act: ({ pay }) => pay(25_000),
    ends: 'completed',
  },
  {
    name: 'bill-order-flexible-paid-in-three-parts',
    request: billRequest(25_000, { mode: 'flexible' }),
    async act({ pay }) {
      for (const amount of [5_000, 10_000, 10_000]) await pay(amount);
    },
    ends: 'completed',
  },
  { name: 'bill-order-expired', request: () => billRequest(25_000, { lifeMs: LIFE_MS }), ends: 'failed' },
  {
    name: 'bill-order-expired-partly-paid',
    request: () => billRequest(25_000, { mode: 'flexible', lifeMs: LIFE_MS }),
    act: ({ pay }) => pay(5_000),
    ends: 'failed',
  },
  { name: 'bill-order-cancelled', request: billRequest(25_000), act: cancelWins, ends: 'cancelled' },
  {
    name: 'bill-order-resumed-by-the-sweep',
    request: billRequest(25_000, { mode: 'flexible' }),
    async act(stage) {
      await stage.pay(5_000);
      await stage.flows.handle(stage.id).terminate('lost');
      // A bill's workflow is needed again when its customer pays.
      const paying = stage.pay(20_000);
      await untilResumed(stage);
      await paying;
    },
    ends: 'completed',
  },
  { name: 'qr-payment-paid', request: qrRequest(15_000), act: ({ pay }) => pay(15_000), ends: 'completed' },
  { name: 'qr-payment-expired', request: () => qrRequest(15_000, LIFE_MS), ends: 'failed' },
];

export const cases: Case[] = [
  ...billCases,
  ...pushCases.map((one) => ({ ...one, name: `ussd-push-${one.name}`, request: push })),
  ...payoutCases.map((one) => ({ request: payout, ...one, name: `payout-${one.name}` })),
];

/** The workflows that the Schedules start. */
export const sweepStart = { type: workflowTypes.sweep, taskQueue: taskQueues.money };
export const settlementsStart = { type: workflowTypes.settleDaily, taskQueue: taskQueues.money };

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Channel, EnquiryResult, Notification, Party, SendResult } from '../../src/domain/channel.ts';
import type { Direction, FailureCode } from '../../src/domain/failure.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import { minor } from '../../src/domain/money.ts';
import type { Simulator, SimulatorOptions } from '../../src/simulator/app.ts';
import { until } from '../support/wait.ts';
import type { Inbox } from './inbox.ts';

/** What one rail brings to the contract that every channel keeps. */
export type ContractSubject = {
  name: string;
  direction: Direction;
  /** the channel under test, speaking to this simulator and notified at this address */
  createChannel(addresses: { simulatorUrl: string; publicUrl: string }): Channel;
  /** what the simulator needs to know of the rail */
  simulatorOptions?(addresses: { publicUrl: string }): SimulatorOptions;
  /** a customer or account whose number ends so */
  partyOf(ending: string): Party;
  /** the failure that each refusing ending has */
  failures: Record<'019' | '029' | '039' | '049' | '059' | '069', FailureCode>;
  /** whether a refusal may be the answer to the send itself */
  refusesAtOnce?: boolean;
};

const CALL = { timeoutMs: 5_000 };
/** TZS */
export const AMOUNT = 15_000;
const DEADLINE_MS = 10_000;

export type Flow = ReturnType<typeof flowOf>;

/** One transaction against the channel: sends, enquires, and reads what the door got. */
export function flowOf(
  world: { subject: ContractSubject; channel: Channel; inbox: Inbox; simulator: Simulator },
  ending: string,
) {
  const { subject, channel, inbox, simulator } = world;
  const { direction } = subject;
  const transactionId = randomUUID();
  const reference = channelReferenceOf(direction === 'collection' ? 'push' : 'payout', transactionId);
  const party = subject.partyOf(ending);
  let sends = 0;

  return {
    reference,
    async send(timeoutMs = CALL.timeoutMs): Promise<SendResult> {
      sends += 1;
      const order = {
        transactionId,
        reference,
        amount: minor(AMOUNT * 100),
        currency: 'TZS',
        description: `Contract ${reference}`,
      };
      if (direction === 'payout') {
        assert.ok(channel.requestPayout);
        return channel.requestPayout({ ...order, party, sendNumber: sends }, { timeoutMs });
      }
      assert.ok(channel.requestPush && party.kind === 'wallet');
      return channel.requestPush({ ...order, party }, { timeoutMs });
    },
    async enquire(): Promise<EnquiryResult> {
      return channel.enquire(
        {
          transactionId,
          reference,
          direction,
          channelReference: null,
        },
        CALL,
      );
    },
    enquiryUntil(kind: EnquiryResult['kind']): Promise<EnquiryResult> {
      const wanted = async () => {
        const result = await this.enquire();
        return result.kind === kind ? result : null;
      };
      return until(wanted, { deadlineMs: DEADLINE_MS, what: `an enquiry says ${kind}` });
    },
    /** the proven notifications of this transaction so far, in order */
    notifications(): Notification[] {
      return inbox.received
        .filter((raw) => channel.verifyNotification(raw))
        .map((raw) => channel.translateNotification(raw))
        .filter((notification) => notification !== null)
        .filter(({ subject: named }) =>
          'transactionId' in named ? named.transactionId === transactionId : named.reference === reference,
        );
    },
    finals(): Notification[] {
      return this.notifications().filter(({ content }) => content.kind !== 'pending');
    },
    finalsUntil(count: number): Promise<Notification[]> {
      const wanted = () => (this.finals().length >= count ? this.finals() : null);
      return until(wanted, { deadlineMs: DEADLINE_MS, what: `${count} notifications` });
    },
    /** every step of the simulator for this transaction is over */
    stepsOver(): Promise<boolean> {
      const over = () => {
        const order = simulator.orders.all().find((each) => each.reference === reference);
        return order?.steps.length === 0;
      };
      return until(over, { deadlineMs: DEADLINE_MS, what: 'the simulator has done everything' });
    },
    moved: (): number[] => simulator.book.movements(reference).map(({ amount }) => amount),
  };
}

export function assertSucceeded(result: { kind: string }, amount = AMOUNT): void {
  assert.ok(
    result.kind === 'succeeded' && 'amount' in result && 'currency' in result,
    JSON.stringify(result),
  );
  assert.equal(result.amount, amount * 100);
  assert.equal(result.currency, 'TZS');
  assert.ok('channelReference' in result && result.channelReference, 'the receipt is told');
}

export function assertFailed(result: { kind: string }, code: FailureCode): void {
  assert.ok(result.kind === 'failed' && 'code' in result, JSON.stringify(result));
  assert.equal(result.code, code);
}

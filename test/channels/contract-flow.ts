import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Simulator, SimulatorOptions } from '../../sandbox/simulator/app.ts';
import type {
  Channel,
  EnquiryResult,
  Notification,
  Party,
  RawNotification,
  SendResult,
} from '../../src/domain/channel.ts';
import type { FailureCode } from '../../src/domain/failure.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';
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
  /** what it answers to an order that nobody has decided yet; `accepted` when it is left out */
  undecided?: 'unknown';
  /** whether a refusal may be the answer to the send itself */
  refusesAtOnce?: boolean;
  /** `hint`: no notification is ever proven; each only makes us enquire. `signed` when it is left out. */
  proof?: 'signed' | 'hint';
  /** whether the protocol can be asked what became of a reference; true when it is left out */
  enquires?: boolean;
  /** whether the protocol refuses our reference the second time; when it is left out, whether it can be asked */
  deduplicates?: boolean;
  /** whether failures are notified, not successes alone; true when it is left out */
  notifiesFailures?: boolean;
  /** whether its answers name the amount that moved; true when it is left out */
  tellsAmount?: boolean;
  /** whether anything is notified at all; true when it is left out */
  notifies?: boolean;
  /** whether it tells whose a wallet is, and that one is nobody's */
  names?: true;
  /** spoils the proof of a notification, where it is not in the address or in X-Signature */
  forge?(genuine: RawNotification): RawNotification;
};

/** An account whose number ends so. */
export const bankAccountOf = (ending: string): Party => ({
  kind: 'bank',
  bic: 'NMIBTZTZ',
  accountNumber: `0150000000${ending}`,
  fullName: 'ASHA JUMA',
});

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
  const reference = channelReferenceOf(direction, transactionId);
  const party = subject.partyOf(ending);
  const amount = minor(AMOUNT * 100);
  const isHint = subject.proof === 'hint';
  /** what an enquiry said when each hint was read */
  const heard: Notification[] = [];
  let sends = 0;
  const hintIn = (raw: RawNotification): Notification | null => {
    const subject = channel.hintOf?.(raw);
    const content = { kind: 'pending' } as const;
    return subject ? { eventKey: raw.body.toString(), subject, content } : null;
  };

  return {
    reference,
    async send(timeoutMs = CALL.timeoutMs): Promise<SendResult> {
      sends += 1;
      const order = {
        transactionId,
        reference,
        amount,
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
        { transactionId, reference, direction, channelReference: null, amount, currency: 'TZS' },
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
    /** the notifications of this transaction so far, in order: proven ones, or hints */
    notifications(): Notification[] {
      return inbox.received
        .filter((raw) => isHint || channel.verifyNotification(raw))
        .map((raw) => channel.translateNotification(raw) ?? (isHint ? hintIn(raw) : null))
        .filter((notification) => notification !== null)
        .filter(({ subject: named }) =>
          'transactionId' in named ? named.transactionId === transactionId : named.reference === reference,
        );
    },
    /** Nobody believes what a hint says, so that each counts. */
    finals(): Notification[] {
      return this.notifications().filter(
        ({ content }) => isHint || !['pending', 'ask'].includes(content.kind),
      );
    },
    /** With hints: what enquiries said once the hints were here. */
    finalsUntil(count: number): Promise<Notification[]> {
      const wanted = async () => {
        const finals = this.finals();
        if (finals.length < count) return null;
        // What cannot be asked about has nothing but the hint's own words.
        return isHint && subject.enquires !== false ? this.enquireByHints(finals) : finals;
      };
      return until(wanted, { deadlineMs: DEADLINE_MS, what: `${count} notifications` });
    },
    async enquireByHints(hints: Notification[]): Promise<Notification[]> {
      for (const hint of hints.slice(heard.length)) {
        const said = await this.enquire();
        if (said.kind !== 'succeeded' && said.kind !== 'failed')
          throw new Error(`a hint came, and the enquiry says ${said.kind}`);
        heard.push({ ...hint, content: said });
      }
      return heard;
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

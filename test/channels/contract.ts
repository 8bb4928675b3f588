import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { openSimulator } from '../support/simulator.ts';
import { until } from '../support/wait.ts';
import {
  AMOUNT,
  assertFailed,
  assertSucceeded,
  type ContractSubject,
  type Flow,
  flowOf,
} from './contract-flow.ts';
import { endingsWithoutEnquiry } from './contract-without-enquiry.ts';
import { type Inbox, openInbox } from './inbox.ts';

const CUSTOMER_MS = 60;
const PROMPT_MS = 300;
const SLOW_ANSWER_MS = 600;
/** Long enough for an enquiry in between, on a busy machine too. */
const LATE_SUCCESS_MS = 2_000;

/** Every ending of the sandbox, as a channel has to understand it. One suite for all protocols. */
export function channelContract(subject: ContractSubject): void {
  describe(`channel contract: ${subject.name}, ${subject.direction}`, () => {
    let simulator: Simulator;
    let inbox: Inbox;
    let channel: Channel;
    const flow = (ending: string): Flow => flowOf({ subject, channel, inbox, simulator }, ending);

    before(async () => {
      inbox = await openInbox();
      simulator = await openSimulator({
        timing: {
          customerMs: CUSTOMER_MS,
          promptMs: PROMPT_MS,
          slowAnswerMs: SLOW_ANSWER_MS,
          lateSuccessMs: LATE_SUCCESS_MS,
        },
        ...subject.simulatorOptions?.({ publicUrl: inbox.url }),
      });
      channel = subject.createChannel({ simulatorUrl: simulator.url, publicUrl: inbox.url });
    });

    after(async () => {
      await simulator.close();
      await inbox.close();
    });

    ordinaryEndings(flow, subject);
    refusals(flow, subject);
    unclearAnswers(flow, subject);
    if (notifies(subject)) oddNotifications(flow, subject);
    if (!enquires(subject)) endingsWithoutEnquiry(flow);
    else
      it('answers not_found for a reference that the channel has never seen', async () => {
        assert.deepEqual(await flow('000').enquire(), { kind: 'not_found' });
      });

    if (subject.direction === 'collection')
      it('waits for the person who holds the phone when prompts are answered by hand', () =>
        answeredByHand(simulator, flow('000')));

    if (subject.names)
      for (const [ending, found] of [
        ['001', { kind: 'found', fullName: 'ASHA JUMA' }],
        ['029', { kind: 'not_found' }],
        ['219', { kind: 'unknown' }],
      ] as const)
        it(`finds who owns an account: ${found.kind} (${ending})`, async () => {
          const timeoutMs = found.kind === 'unknown' ? SLOW_ANSWER_MS / 6 : 3_000;
          assert.deepEqual(await channel.lookupName?.(subject.partyOf(ending), { timeoutMs }), found);
        });

    it('says not_sent when nobody listens, because nothing left us', async () => {
      const nobody = subject.createChannel({ simulatorUrl: 'http://127.0.0.1:1', publicUrl: inbox.url });
      const result = await flowOf({ subject, channel: nobody, inbox, simulator }, '000').send();
      assert.equal(result.kind, 'not_sent');
    });

    if (!notifies(subject)) return;
    it('does not believe a notification whose sender is not proven', async () => {
      const one = flow('000');
      await one.send();
      await one.finalsUntil(1);
      const genuine = inbox.received.at(-1);
      assert.ok(genuine);
      assert.equal(channel.verifyNotification(genuine), subject.proof !== 'hint');
      const forged = subject.forge?.(genuine) ?? {
        ...genuine,
        token: genuine.token === null ? null : `${genuine.token.slice(0, -1)}!`,
        headers: { ...genuine.headers, 'x-signature': '0'.repeat(64) },
      };
      assert.equal(channel.verifyNotification(forged), false);
    });
  });
}

/** The answer is given as soon as the phone shows the prompt: these prompts live shorter than a person needs. */
async function answeredByHand(simulator: Simulator, one: Flow): Promise<void> {
  const prompt = () => simulator.orders.prompts().find(({ reference }) => reference === one.reference);
  await simulator.orders.setByHand(true);
  try {
    const sent = one.send();
    const order = await until(prompt, { deadlineMs: 5_000, what: 'the phone shows it', everyMs: 5 });
    assert.deepEqual([order.state, one.moved()], ['pending', []]);
    assert.equal(await simulator.orders.answerPrompt(order, 'approve'), true);
    await sent;
    await one.stepsOver();
    assert.deepEqual(one.moved(), [AMOUNT]);
  } finally {
    await simulator.orders.setByHand(false);
  }
}

const enquires = (subject: ContractSubject) => subject.enquires ?? true;
const deduplicates = (subject: ContractSubject) => subject.deduplicates ?? enquires(subject);
const undecided = (subject: ContractSubject) => subject.undecided ?? 'accepted';
const notifies = (subject: ContractSubject) => subject.notifies ?? true;
const notifiesFailures = (subject: ContractSubject) =>
  notifies(subject) && (subject.notifiesFailures ?? true);

function ordinaryEndings(flow: (ending: string) => Flow, subject: ContractSubject): void {
  it('takes an ordinary order: accepted, notified once, found by enquiry, money moved once', async () => {
    const one = flow('000');
    assert.equal((await one.send()).kind, 'accepted');
    if (notifies(subject)) {
      const [notification] = await one.finalsUntil(1);
      assert.ok(notification);
      assertSucceeded(notification.content);
    }
    await one.stepsOver();
    assert.equal(one.finals().length, notifies(subject) ? 1 : 0);
    if (enquires(subject)) assertSucceeded(await one.enquire());
    assert.deepEqual(one.moved(), [AMOUNT]);
  });

  if (deduplicates(subject))
    it('understands the answer to a repeated send as unknown, never as a failure, and no money moves again', async () => {
      const one = flow('000');
      await one.send();
      const again = await one.send();
      assert.ok(again.kind === 'unknown' || again.kind === 'accepted', again.kind);
      await one.stepsOver();
      assert.deepEqual(one.moved(), [AMOUNT]);
    });

  it('keeps an order open that is accepted and never decided (129)', async () => {
    const one = flow('129');
    assert.equal((await one.send()).kind, undecided(subject));
    await one.stepsOver();
    assert.equal((await one.enquire()).kind, enquires(subject) ? 'accepted' : 'unknown');
    assert.deepEqual([one.finals().length, one.moved()], [0, []]);
  });

  it('learns of a success that is never notified by enquiry alone (139)', async () => {
    const one = flow('139');
    assert.equal((await one.send()).kind, 'accepted');
    if (enquires(subject)) assertSucceeded(await one.enquiryUntil('succeeded'));
    await one.stepsOver();
    assert.equal(one.notifications().length, 0);
    assert.deepEqual(one.moved(), [AMOUNT]);
  });

  it('tells the amount that really moved when it is another one, if it tells one (209)', async () => {
    const one = flow('209');
    await one.send();
    const told = (subject.tellsAmount ?? true) ? AMOUNT + 100 : AMOUNT;
    if (notifies(subject)) {
      const [notification] = await one.finalsUntil(1);
      assert.ok(notification);
      assertSucceeded(notification.content, told);
    }
    if (enquires(subject)) assertSucceeded(await one.enquiryUntil('succeeded'), told);
    assert.deepEqual(one.moved(), [AMOUNT + 100]);
  });
}

function refusals(flow: (ending: string) => Flow, subject: ContractSubject): void {
  for (const ending of ['019', '029', '039', '049', '069'] as const) {
    const code = subject.failures[ending];
    it(`translates the refusal ${ending} to ${code}, in the notification as in the enquiry`, async () => {
      const one = flow(ending);
      const sent = await one.send();
      if (sent.kind === 'failed' && subject.refusesAtOnce) {
        assertFailed(sent, code);
      } else {
        assert.equal(sent.kind, undecided(subject));
        if (notifiesFailures(subject)) {
          const [notification] = await one.finalsUntil(1);
          assert.ok(notification);
          assertFailed(notification.content, code);
        }
      }
      if (enquires(subject)) assertFailed(await one.enquiryUntil('failed'), code);
      await one.stepsOver();
      assert.deepEqual(one.moved(), []);
    });
  }

  if (!enquires(subject)) return;
  it('finds by enquiry that nobody answered in time, and not before (059)', async () => {
    const one = flow('059');
    assert.equal((await one.send()).kind, undecided(subject));
    // What is held is over when its sender is told so.
    if (!subject.undecided) assert.equal((await one.enquire()).kind, 'accepted');
    assertFailed(await one.enquiryUntil('failed'), subject.failures['059']);
    assert.deepEqual([one.finals().length, one.moved()], [0, []]);
  });
}

function unclearAnswers(flow: (ending: string) => Flow, subject: ContractSubject): void {
  for (const [ending, what] of [
    ['149', 'broken connection'],
    ['159', '500'],
  ] as const) {
    it(`calls a ${what} after the money moved unknown, and finds the success (${ending})`, async () => {
      const one = flow(ending);
      assert.equal((await one.send()).kind, 'unknown');
      if (enquires(subject)) assertSucceeded(await one.enquire());
      if (deduplicates(subject)) {
        const again = await one.send();
        assert.ok(again.kind === 'unknown' || again.kind === 'accepted', again.kind);
      }
      assert.deepEqual([one.moved(), one.notifications().length], [[AMOUNT], 0]);
    });
  }

  it('finds nothing when the first request was dropped, and a second send works (169)', async () => {
    const one = flow('169');
    assert.equal((await one.send()).kind, 'unknown');
    // Nobody sends a second time where that could move money twice: there it is enough that nothing has ended.
    if (!deduplicates(subject)) {
      assert.match((await one.enquire()).kind, /^(not_found|accepted|unknown)$/);
      return assert.deepEqual(one.moved(), []);
    }
    if (enquires(subject)) assert.deepEqual(await one.enquire(), { kind: 'not_found' });
    assert.equal((await one.send()).kind, 'accepted');
    if (notifies(subject)) {
      const [notification] = await one.finalsUntil(1);
      assert.ok(notification);
      assertSucceeded(notification.content);
    }
    await one.stepsOver();
    assert.deepEqual(one.moved(), [AMOUNT]);
  });

  it('calls an answer that comes too late unknown, and finds the success afterwards (219)', async () => {
    const one = flow('219');
    assert.equal((await one.send(SLOW_ANSWER_MS / 4)).kind, 'unknown');
    if (enquires(subject)) {
      assert.equal((await one.enquire()).kind, 'accepted');
      assertSucceeded(await one.enquiryUntil('succeeded'));
    } else {
      const [notification] = await one.finalsUntil(1);
      assert.ok(notification);
      assertSucceeded(notification.content);
    }
    await one.stepsOver();
    assert.deepEqual(one.moved(), [AMOUNT]);
  });
}

function oddNotifications(flow: (ending: string) => Flow, subject: ContractSubject): void {
  it('knows a notification that comes three times by its key (179)', async () => {
    const one = flow('179');
    await one.send();
    const finals = await one.finalsUntil(3);
    for (const { content } of finals) assertSucceeded(content);
    assert.equal(new Set(finals.map(({ eventKey }) => eventKey)).size, 1);
  });

  it('reads a notification that comes before the answer (189)', async () => {
    const one = flow('189');
    const sent = await one.send();
    assert.equal(one.finals().length, 1, 'it was here when the answer came');
    assert.ok(sent.kind === 'accepted' || sent.kind === 'succeeded', sent.kind);
  });

  it('reads failed, then succeeded, as two events (199)', async () => {
    const one = flow('199');
    await one.send();
    const failures = notifiesFailures(subject) ? 1 : 0;
    const [first] = await one.finalsUntil(failures);
    if (first) assertFailed(first.content, subject.failures['059']);
    if (first && enquires(subject)) assertFailed(await one.enquire(), subject.failures['059']);
    const late = (await one.finalsUntil(failures + 1)).at(-1);
    assert.ok(late);
    assertSucceeded(late.content);
    assert.notEqual(first?.eventKey, late.eventKey);
    if (enquires(subject)) assertSucceeded(await one.enquire());
    assert.deepEqual(one.moved(), [AMOUNT]);
  });

  if (!enquires(subject)) return;
  it('sees a failure by enquiry and only then the late success (229)', async () => {
    const one = flow('229');
    await one.send();
    assertFailed(await one.enquiryUntil('failed'), subject.failures['059']);
    assert.deepEqual(one.moved(), []);
    const [notification] = await one.finalsUntil(1);
    assert.ok(notification);
    assertSucceeded(notification.content);
    assert.deepEqual(one.moved(), [AMOUNT]);
  });
}

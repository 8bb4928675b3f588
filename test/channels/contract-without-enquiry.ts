import assert from 'node:assert/strict';
import { AMOUNT, assertFailed, assertSucceeded, type ContractSubject, type Flow } from './contract-flow.ts';

/** The endings of the sandbox over a channel that cannot be asked: what is not notified stays unknown, for a person. */
export function endingsWithoutEnquiry(flow: (ending: string) => Flow, subject: ContractSubject): void {
  it('takes an ordinary order: accepted, notified once, money moved once', async () => {
    const one = flow('000');
    assert.equal((await one.send()).kind, 'accepted');
    const [notification] = await one.finalsUntil(1);
    assert.ok(notification);
    assertSucceeded(notification.content);
    await one.stepsOver();
    assert.deepEqual([one.finals().length, one.moved()], [1, [AMOUNT]]);
  });

  for (const ending of ['019', '029', '039', '049', '069'] as const) {
    const code = subject.failures[ending];
    it(`translates the refusal ${ending} to ${code}`, async () => {
      const one = flow(ending);
      assert.equal((await one.send()).kind, 'accepted');
      const [notification] = await one.finalsUntil(1);
      assert.ok(notification);
      assertFailed(notification.content, code);
      assert.deepEqual(one.moved(), []);
    });
  }

  for (const [ending, sent, moved] of [
    ['059', 'accepted', []],
    ['129', 'accepted', []],
    ['139', 'accepted', [AMOUNT]],
    ['149', 'unknown', [AMOUNT]],
    ['159', 'unknown', [AMOUNT]],
  ] as const) {
    it(`leaves open what is never notified, whatever became of it (${ending})`, async () => {
      const one = flow(ending);
      assert.equal((await one.send()).kind, sent);
      await one.stepsOver();
      assert.equal((await one.enquire()).kind, 'unknown');
      assert.deepEqual([one.notifications().length, one.moved()], [0, moved]);
    });
  }

  it('calls a dropped request unknown, never not sent (169)', async () => {
    const one = flow('169');
    assert.equal((await one.send()).kind, 'unknown');
    assert.equal((await one.enquire()).kind, 'unknown');
    assert.deepEqual(one.moved(), []);
  });

  it('calls an answer that comes too late unknown, and reads the success that follows (219)', async () => {
    const one = flow('219');
    assert.equal((await one.send(150)).kind, 'unknown');
    const [notification] = await one.finalsUntil(1);
    assert.ok(notification);
    assertSucceeded(notification.content);
  });

  it('knows a notification that comes three times by its key (179)', async () => {
    const one = flow('179');
    await one.send();
    const finals = await one.finalsUntil(3);
    assert.equal(new Set(finals.map(({ eventKey }) => eventKey)).size, 1);
  });

  it('reads a notification that comes before the answer (189)', async () => {
    const one = flow('189');
    assert.equal((await one.send()).kind, 'accepted');
    assert.equal(one.finals().length, 1, 'it was here when the answer came');
  });

  it('reads failed, then succeeded, as two events (199)', async () => {
    const one = flow('199');
    await one.send();
    const [first, second] = await one.finalsUntil(2);
    assert.ok(first && second);
    assertFailed(first.content, subject.failures['059']);
    assertSucceeded(second.content);
    assert.notEqual(first.eventKey, second.eventKey);
  });

  it('tells the amount that really moved when it is another one (209)', async () => {
    const one = flow('209');
    await one.send();
    const [notification] = await one.finalsUntil(1);
    assert.ok(notification);
    assertSucceeded(notification.content, AMOUNT + 100);
  });

  it('says unknown about a reference that the channel has never seen, never "not found"', async () => {
    assert.equal((await flow('000').enquire()).kind, 'unknown');
  });
}

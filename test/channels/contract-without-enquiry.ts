import assert from 'node:assert/strict';
import { AMOUNT, type Flow } from './contract-flow.ts';

/** Besides, over a channel that cannot be asked: what is not notified stays unknown, for a person. */
export function endingsWithoutEnquiry(flow: (ending: string) => Flow): void {
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

  it('says unknown about a reference that the channel has never seen, never "not found"', async () => {
    assert.equal((await flow('000').enquire()).kind, 'unknown');
  });
}

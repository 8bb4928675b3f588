import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { createTurns } from '../../src/activities/batches.ts';
import { pick } from '../support/pick.ts';

/** A timer may be early by as much. */
const EARLY_MS = 2;

describe('the starts of items of batches', () => {
  it('come one after the other, with time for others between them, whichever batch they are of', async () => {
    const inTurn = createTurns();
    const ran: { name: string; began: number; ended: number }[] = [];
    const start = (name: string) =>
      inTurn(async () => {
        const began = performance.now();
        await pause(5);
        ran.push({ name, began, ended: performance.now() });
      });
    await Promise.all(['a1', 'b1', 'a2', 'b2'].map(start));
    assert.deepEqual(pick(ran, 'name'), ['a1', 'b1', 'a2', 'b2']);
    for (const [at, { began }] of ran.entries()) {
      const before = ran[at - 1];
      if (before) assert.ok(began - before.ended >= 5 * (before.ended - before.began) - EARLY_MS);
    }
  });

  it('go on after one that hangs', async () => {
    const inTurn = createTurns();
    void inTurn(() => new Promise(() => {}));
    assert.equal(await inTurn(async () => 'begun'), 'begun');
  }).timeout(20_000);

  it('go on after one that fails, which fails alone', async () => {
    const inTurn = createTurns();
    const failed = inTurn(() => Promise.reject(new Error('Temporal is away')));
    const next = inTurn(async () => 'begun');
    await assert.rejects(failed, /Temporal is away/);
    assert.equal(await next, 'begun');
  });
});

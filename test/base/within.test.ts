import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { within } from '../../src/base/within.ts';
import { until } from '../support/wait.ts';

describe('a limit of time beside another signal', () => {
  it('comes, however much is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const stop = new AbortController();
    let isOver = false;
    const listen = () => within(50, stop.signal).addEventListener('abort', () => (isOver = true));
    listen();
    for (let i = 0; i < 3; i += 1) {
      await setImmediate();
      collect();
    }
    await until(async () => isOver, { deadlineMs: 10_000, what: 'the limit comes' });
  });

  it('is over with the other signal', () => {
    const stop = new AbortController();
    const limit = within(60_000, stop.signal);
    stop.abort();
    assert.ok(limit.aborted);
  });
});

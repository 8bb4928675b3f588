import assert from 'node:assert/strict';
import { BesideRefused, beside } from '../../../src/platform/process/beside.ts';

describe('a thread beside the loop', () => {
  const run = (wanted: { mib: number; ms: number }, most: { memoryMibMax: number; msMax: number }) =>
    beside<string>({ file: './greedy-thread', from: import.meta.url }, wanted, most);

  it('answers within its bounds, and is ended beyond its memory or its time', async () => {
    const most = { memoryMibMax: 64, msMax: 20_000 };
    assert.equal(await run({ mib: 1, ms: 0 }, most), 'done');
    const isRefused = (reason: 'time' | 'memory') => (error: unknown) =>
      error instanceof BesideRefused && error.why === reason;
    await assert.rejects(run({ mib: 512, ms: 0 }, most), isRefused('memory'));
    await assert.rejects(run({ mib: 1, ms: 60_000 }, { ...most, msMax: 500 }), isRefused('time'));
  });
});

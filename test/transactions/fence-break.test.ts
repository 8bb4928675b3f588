import assert from 'node:assert/strict';
import type { Mark } from '../../src/domain/mark.ts';
import { breakOf } from '../../src/transactions/care/fence.ts';

describe('the mark of a Postgres', () => {
  const mark: Mark = { system: '7', timeline: 1, progress: 5, serial: 3 };

  it('shows one that is behind, another one, and one that a standby replaced', () => {
    assert.equal(breakOf(null, mark), null);
    assert.equal(breakOf(mark, { ...mark, progress: 5 }), null);
    assert.equal(breakOf(mark, { ...mark, progress: 9, serial: 1 }), null);
    assert.match(breakOf(mark, { ...mark, progress: 4 }) ?? '', /step 4, but was at step 5/);
    assert.match(breakOf(mark, { ...mark, system: '8' }) ?? '', /another database cluster/);
    assert.match(breakOf(mark, { ...mark, timeline: 2 }) ?? '', /standby/);
  });
});

import assert from 'node:assert/strict';
import { stateOf } from '../../src/domain/channel-health.ts';

const rules = { resultsMin: 10, degradedShare: 0.2, downShare: 0.8 };
const slot = (answered: number, failed: number) => ({ answered, failed });

describe('the state of a channel', () => {
  const cases: [what: string, slots: ReturnType<typeof slot>[], state: string][] = [
    ['nothing was asked', [], 'up'],
    ['too few results to judge by', [slot(0, 9)], 'up'],
    ['everything is answered', [slot(10, 0)], 'up'],
    ['less than a fifth fails', [slot(9, 1)], 'up'],
    ['a fifth fails', [slot(8, 2)], 'degraded'],
    ['nearly four fifths fail', [slot(3, 7)], 'degraded'],
    ['four fifths fail', [slot(2, 8)], 'down'],
    ['few results, but enough with older ones', [slot(0, 2), slot(0, 3), slot(1, 4)], 'down'],
    ['what it did before the newest results says nothing', [slot(0, 10), slot(5_000, 0)], 'down'],
    ['neither do failures of before', [slot(10, 0), slot(0, 5_000)], 'up'],
  ];
  for (const [what, slots, state] of cases)
    it(`is ${state}: ${what}`, () => assert.equal(stateOf(slots, rules), state));
});

// tests: slow
import { describePairs } from './tell-pairs.ts';

/** Every pair is in the hard tests. */
describePairs(
  'two words about one movement, of one receipt or none and the same amount',
  ({ first, second, isReleased }) =>
    [first, second].every(({ receipt }) => receipt !== 'R2') && first.amount === second.amount && !isReleased,
);

// tests: hard
import { describePairs } from './tell-pairs.ts';

describePairs('every pair of words about one movement', () => true);

import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/failure-codes.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/failure-codes.json', { file: failures, schema }, [
  { at: 'codes[21]', says: 'codes: the code reversed is missing' },
  { at: 'codes[1].code', value: 'reversed', says: 'codes[21].code: the code reversed is there twice' },
  { at: 'codes[0].code', value: 'no_money', because: '"no_money" is no failure code' },
  { at: 'codes[0].on', value: ['bill'], says: 'codes[0].on[0]: "bill" is no type of transaction' },
  { at: 'codes[0].on', value: [], because: 'must name a type' },
  { at: 'outcomes.setup', because: 'Invalid input: expected string, received undefined' },
]);

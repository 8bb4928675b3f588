import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/failure-codes.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/failure-codes.json', { file: failures, schema }, [
  ['codes[21]', { says: 'codes: the code reversed is missing' }],
  ['codes[1].code', { says: 'codes[21].code: the code reversed is there twice' }, 'reversed'],
  ['codes[0].code', '"no_money" is no failure code', 'no_money'],
  ['codes[0].on', { says: 'codes[0].on[0]: "bill" is no type of transaction' }, ['bill']],
  ['codes[0].on', 'must name a type', []],
  ['outcomes.setup', 'Invalid input: expected string, received undefined'],
]);

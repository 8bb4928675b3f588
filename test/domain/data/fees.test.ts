import fees from '../../../data/fees.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/fees.ts';
import { describeBroken } from './broken.ts';

const tiers = 'versions[0].services.mobile.tiers';
const [fee] = fees.versions;

describeBroken('data/fees.json', { file: fees, schema }, [
  [`${tiers}[2].from`, 'no tier has the values from 10000 to 10000', 10_001],
  [`${tiers}[2]`, { says: `${tiers}[2].from: no tier has the values from 10000 to 49999` }],
  [`${tiers}[2].from`, 'two tiers have the value 9999; it must be 10000', 9_999],
  [`${tiers}[0].from`, 'no tier has the values from 0 to 0', 1],
  [`${tiers}[4].to`, 'the last tier must have no end (null), not 300000', 300_000],
  [`${tiers}[1].to`, { says: `${tiers}[2].from: the tier before has no end (to is null)` }, null],
  [`${tiers}[1].to`, '4000 is less than from, which is 5000', 4_000],
  [tiers, 'there is no tier', []],
  [`${tiers}[0].fixed`, 'Invalid input: expected number, received string', '300'],
  [`${tiers}[0].fixed`, 'Invalid input: expected int, received number', 300.5],
  [`${tiers}[0].fixed`, 'Too small: expected number to be >=0', -1],
  [`${tiers}[0].basis_points`, 'Too big: expected number to be <=10000', 10_001],
  ['versions[0].services.ussd.tiers[0].max', '9 is less than min, which is 10', 9],
  [`${tiers}[0].basis_point`, { says: `${tiers}[0]: Unrecognized key: "basis_point"` }, 1],
  ['versions[0].services.ussd.taken', 'a fee of a collection is taken from_value', 'on_top'],
  ['versions[0].services.bank.taken', 'a fee of a payout is taken on_top', 'from_value'],
  ['versions[0].services.refund', 'Invalid input: expected object, received undefined'],
  ['versions[0].effective_from', 'must be a moment in UTC with six decimals', '2025-01-01'],
  [
    'versions[1]',
    {
      says: 'versions[1].effective_from: must be later than 2025-01-01T00:00:00.000000Z, of the version before',
    },
    { ...fee, version: '2026-01' },
  ],
  [
    'versions[1]',
    { says: 'versions[1].version: the version 2025-01 is there twice' },
    { ...fee, effective_from: '2026-01-01T00:00:00.000000Z' },
  ],
  ['versions', 'there is no version', []],
  ['currency', 'Invalid input: expected "TZS"', 'KES'],
]);

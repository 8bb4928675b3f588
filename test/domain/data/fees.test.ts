import fees from '../../../data/fees.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/fees.ts';
import { describeBroken } from './broken.ts';

const tiers = 'versions[0].services.mobile.tiers';
const [fee] = fees.versions;

describeBroken('data/fees.json', { file: fees, schema }, [
  { at: `${tiers}[2].from`, value: 10_001, because: 'no tier has the values from 10000 to 10000' },
  { at: `${tiers}[2]`, says: `${tiers}[2].from: no tier has the values from 10000 to 49999` },
  { at: `${tiers}[2].from`, value: 9_999, because: 'two tiers have the value 9999; it must be 10000' },
  { at: `${tiers}[0].from`, value: 1, because: 'no tier has the values from 0 to 0' },
  { at: `${tiers}[4].to`, value: 300_000, because: 'the last tier must have no end (null), not 300000' },
  { at: `${tiers}[1].to`, value: null, says: `${tiers}[2].from: the tier before has no end (to is null)` },
  { at: `${tiers}[1].to`, value: 4_000, because: '4000 is less than from, which is 5000' },
  { at: tiers, value: [], because: 'there is no tier' },
  { at: `${tiers}[0].fixed`, value: '300', because: 'Invalid input: expected number, received string' },
  { at: `${tiers}[0].fixed`, value: 300.5, because: 'Invalid input: expected int, received number' },
  { at: `${tiers}[0].fixed`, value: -1, because: 'Too small: expected number to be >=0' },
  { at: `${tiers}[0].basis_points`, value: 10_001, because: 'Too big: expected number to be <=10000' },
  { at: 'versions[0].services.ussd.tiers[0].max', value: 9, because: '9 is less than min, which is 10' },
  { at: `${tiers}[0].basis_point`, value: 1, says: `${tiers}[0]: Unrecognized key: "basis_point"` },
  {
    at: 'versions[0].services.ussd.taken',
    value: 'on_top',
    because: 'a fee of a collection is taken from_value',
  },
  {
    at: 'versions[0].services.bank.taken',
    value: 'from_value',
    because: 'a fee of a payout is taken on_top',
  },
  { at: 'versions[0].services.refund', because: 'Invalid input: expected object, received undefined' },
  {
    at: 'versions[0].effective_from',
    value: '2025-01-01',
    because: 'must be a moment in UTC with six decimals',
  },
  {
    at: 'versions[1]',
    value: { ...fee, version: '2026-01' },
    says: 'versions[1].effective_from: must be later than 2025-01-01T00:00:00.000000Z, of the version before',
  },
  {
    at: 'versions[1]',
    value: { ...fee, effective_from: '2026-01-01T00:00:00.000000Z' },
    says: 'versions[1].version: the version 2025-01 is there twice',
  },
  { at: 'versions', value: [], because: 'there is no version' },
  { at: 'currency', value: 'KES', because: 'Invalid input: expected "TZS"' },
]);

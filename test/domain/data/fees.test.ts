import fees from '../../../data/fees.json' with { type: 'json' };
import { parseFees } from '../../../src/domain/data/fees.ts';
import { describeBroken } from './broken.ts';

const tiers = ['versions', 0, 'services', 'mobile', 'tiers'];
const [fee] = fees.versions;

describeBroken('data/fees.json', { file: fees, parse: parseFees }, [
  {
    place: [...tiers, 2, 'from'],
    value: 10_001,
    says: 'versions[0].services.mobile.tiers[2].from: no tier has the values from 10000 to 10000',
  },
  {
    place: [...tiers, 2],
    says: 'versions[0].services.mobile.tiers[2].from: no tier has the values from 10000 to 49999',
  },
  {
    place: [...tiers, 2, 'from'],
    value: 9_999,
    says: 'versions[0].services.mobile.tiers[2].from: two tiers have the value 9999; it must be 10000',
  },
  {
    place: [...tiers, 0, 'from'],
    value: 1,
    says: 'versions[0].services.mobile.tiers[0].from: no tier has the values from 0 to 0',
  },
  {
    place: [...tiers, 4, 'to'],
    value: 300_000,
    says: 'versions[0].services.mobile.tiers[4].to: the last tier must have no end (null), not 300000',
  },
  {
    place: [...tiers, 1, 'to'],
    value: null,
    says: 'versions[0].services.mobile.tiers[2].from: the tier before has no end (to is null)',
  },
  {
    place: [...tiers, 1, 'to'],
    value: 4_000,
    says: 'versions[0].services.mobile.tiers[1].to: 4000 is less than from, which is 5000',
  },
  { place: tiers, value: [], says: 'versions[0].services.mobile.tiers: there is no tier' },
  {
    place: [...tiers, 0, 'fixed'],
    value: '300',
    says: 'versions[0].services.mobile.tiers[0].fixed: Invalid input: expected number, received string',
  },
  {
    place: [...tiers, 0, 'fixed'],
    value: 300.5,
    says: 'versions[0].services.mobile.tiers[0].fixed: Invalid input: expected int, received number',
  },
  {
    place: [...tiers, 0, 'fixed'],
    value: -1,
    says: 'versions[0].services.mobile.tiers[0].fixed: Too small: expected number to be >=0',
  },
  {
    place: [...tiers, 0, 'basis_points'],
    value: 10_001,
    says: 'versions[0].services.mobile.tiers[0].basis_points: Too big: expected number to be <=10000',
  },
  {
    place: ['versions', 0, 'services', 'ussd', 'tiers', 0, 'max'],
    value: 9,
    says: 'versions[0].services.ussd.tiers[0].max: 9 is less than min, which is 10',
  },
  {
    place: [...tiers, 0, 'basis_point'],
    value: 1,
    says: 'versions[0].services.mobile.tiers[0]: Unrecognized key: "basis_point"',
  },
  {
    place: ['versions', 0, 'services', 'ussd', 'taken'],
    value: 'on_top',
    says: 'versions[0].services.ussd.taken: a fee of a collection is taken from_value',
  },
  {
    place: ['versions', 0, 'services', 'bank', 'taken'],
    value: 'from_value',
    says: 'versions[0].services.bank.taken: a fee of a payout is taken on_top',
  },
  {
    place: ['versions', 0, 'services', 'refund'],
    says: 'versions[0].services.refund: Invalid input: expected object, received undefined',
  },
  {
    place: ['versions', 0, 'effective_from'],
    value: '2025-01-01',
    says: 'versions[0].effective_from: must be a moment in UTC with six decimals',
  },
  {
    place: ['versions', 1],
    value: { ...fee, version: '2026-01' },
    says: 'versions[1].effective_from: must be later than 2025-01-01T00:00:00.000000Z, of the version before',
  },
  {
    place: ['versions', 1],
    value: { ...fee, effective_from: '2026-01-01T00:00:00.000000Z' },
    says: 'versions[1].version: the version 2025-01 is there twice',
  },
  { place: ['versions'], value: [], says: 'versions: there is no version' },
  { place: ['currency'], value: 'KES', says: 'currency: Invalid input: expected "TZS"' },
]);

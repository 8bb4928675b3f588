import retention from '../../../data/retention.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/retention.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/retention.json', { file: retention, schema }, [
  { at: 'kept[0].name', value: 'entries', because: '"entries" is no data with a retention' },
  { at: 'kept[0].days', value: 0, because: 'Too small: expected number to be >=1' },
  {
    at: 'kept[1].days',
    value: 99,
    because: 'must be at least 100: a callback can be sent again for 90 days and is tried for four more',
  },
  {
    at: 'kept[3].days',
    value: 365,
    because: 'must be at least 1095: a key answers for years with the same bytes',
  },
  { at: 'kept[4].days', value: 30, because: 'must be at least 190: a payment can be refunded for 180 days' },
]);

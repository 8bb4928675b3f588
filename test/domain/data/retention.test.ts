import retention from '../../../data/retention.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/retention.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/retention.json', { file: retention, schema }, [
  ['kept[0].name', '"entries" is no data with a retention', 'entries'],
  ['kept[0].days', 'Too small: expected number to be >=1', 0],
  [
    'kept[1].days',
    'must be at least 100: a callback can be sent again for 90 days and is tried for four more',
    99,
  ],
  ['kept[3].days', 'must be at least 1095: a key answers for years with the same bytes', 365],
  ['kept[4].days', 'must be at least 190: a payment can be refunded for 180 days', 30],
]);

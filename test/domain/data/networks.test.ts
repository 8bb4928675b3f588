import networks from '../../../data/networks.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/networks.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/networks.json', { file: networks, schema }, [
  ['networks[1].id', 'M-PESA belongs to m-pesa already', 'm-pesa'],
  ['networks[1].aliases[0]', 'VODACOM belongs to m-pesa already', 'VODACOM'],
  ['networks[1].name', 'MPESA belongs to m-pesa already', 'MPESA'],
  ['networks[1].prefixes[0]', '074 belongs to m-pesa already', '074'],
  ['networks[1].prefixes_unsure[0]', '072 belongs to m-pesa already', '072'],
  ['networks[0].prefixes[0]', 'must be 06 or 07 and a digit', '74'],
  ['networks[0].aliases[0]', 'must be upper-case words joined by -', 'M Pesa'],
  ['networks[0].id', 'must be lower-case words joined by -', 'M_PESA'],
  ['networks[0].bill.protocol', 'Too small: expected string to have >=1 characters', ''],
  ['networks[0].payout.max', 'Too small: expected number to be >=1', 0],
  [
    'networks[0].ussd_push.min',
    { says: 'networks[0].ussd_push.max: 10000000 is less than min, which is 10000001' },
    10_000_001,
  ],
  ['networks[0].settle_time_seconds', 'must be at least 26: a second send must not meet the first', 20],
  ['networks[0].first_enquiry_after_seconds', 'Too small: expected number to be >=1', 0],
  ['networks', 'no network is enabled', networks.networks.map((network) => ({ ...network, enabled: false }))],
  ['limits.qr', 'Invalid input: expected object, received undefined'],
  ['bank.settle_time_seconds', 'Invalid input: expected number, received undefined'],
  ['wallets', { says: 'the top: Unrecognized key: "wallets"' }, []],
]);

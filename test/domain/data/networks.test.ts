import networks from '../../../data/networks.json' with { type: 'json' };
import { parseNetworks } from '../../../src/domain/data/networks.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/networks.json', { file: networks, parse: parseNetworks }, [
  {
    place: ['networks', 1, 'id'],
    value: 'm-pesa',
    says: 'networks[1].id: M-PESA belongs to m-pesa already',
  },
  {
    place: ['networks', 1, 'aliases', 0],
    value: 'VODACOM',
    says: 'networks[1].aliases[0]: VODACOM belongs to m-pesa already',
  },
  {
    place: ['networks', 1, 'name'],
    value: 'MPESA',
    says: 'networks[1].name: MPESA belongs to m-pesa already',
  },
  {
    place: ['networks', 1, 'prefixes', 0],
    value: '074',
    says: 'networks[1].prefixes[0]: 074 belongs to m-pesa already',
  },
  {
    place: ['networks', 1, 'prefixes_unsure', 0],
    value: '072',
    says: 'networks[1].prefixes_unsure[0]: 072 belongs to m-pesa already',
  },
  {
    place: ['networks', 0, 'prefixes', 0],
    value: '74',
    says: 'networks[0].prefixes[0]: must be 06 or 07 and a digit',
  },
  {
    place: ['networks', 0, 'aliases', 0],
    value: 'M Pesa',
    says: 'networks[0].aliases[0]: must be upper-case words joined by -',
  },
  {
    place: ['networks', 0, 'id'],
    value: 'M_PESA',
    says: 'networks[0].id: must be lower-case words joined by -',
  },
  {
    place: ['networks', 0, 'protocols', 0],
    value: 'vodacom',
    says: 'networks[0].protocols[0]: data/failure-codes.json has no codes of vodacom',
  },
  {
    place: ['networks', 0, 'protocols', 0],
    value: 'gsma-mm-1.2',
    says: 'networks[0].protocols[1]: gsma-mm-1.2 is there twice',
  },
  { place: ['networks', 0, 'protocols'], value: [], says: 'networks[0].protocols: must name a protocol' },
  {
    place: ['networks', 0, 'bill', 'protocol'],
    value: 'ussd',
    says: 'networks[0].bill.protocol: "ussd" is no protocol of bills',
  },
  {
    place: ['networks', 0, 'payout', 'max'],
    value: 0,
    says: 'networks[0].payout.max: Too small: expected number to be >=1',
  },
  {
    place: ['networks', 0, 'ussd_push', 'min'],
    value: 10_000_001,
    says: 'networks[0].ussd_push.max: 10000000 is less than min, which is 10000001',
  },
  {
    place: ['networks', 0, 'settle_time_seconds'],
    value: 20,
    says: 'networks[0].settle_time_seconds: must be at least 26: a second send must not meet the first',
  },
  {
    place: ['networks', 0, 'first_enquiry_after_seconds'],
    value: 0,
    says: 'networks[0].first_enquiry_after_seconds: Too small: expected number to be >=1',
  },
  {
    place: ['networks'],
    value: networks.networks.map((network) => ({ ...network, enabled: false })),
    says: 'networks: no network is enabled',
  },
  {
    place: ['limits', 'qr'],
    says: 'limits.qr: Invalid input: expected object, received undefined',
  },
  {
    place: ['bank', 'settle_time_seconds'],
    says: 'bank.settle_time_seconds: Invalid input: expected number, received undefined',
  },
  { place: ['wallets'], value: [], says: 'the top: Unrecognized key: "wallets"' },
]);

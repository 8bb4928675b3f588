import networks from '../../../data/networks.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/networks.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/networks.json', { file: networks, schema }, [
  { at: 'networks[1].id', value: 'm-pesa', because: 'M-PESA belongs to m-pesa already' },
  { at: 'networks[1].aliases[0]', value: 'VODACOM', because: 'VODACOM belongs to m-pesa already' },
  { at: 'networks[1].name', value: 'MPESA', because: 'MPESA belongs to m-pesa already' },
  { at: 'networks[1].prefixes[0]', value: '074', because: '074 belongs to m-pesa already' },
  { at: 'networks[1].prefixes_unsure[0]', value: '072', because: '072 belongs to m-pesa already' },
  { at: 'networks[0].prefixes[0]', value: '74', because: 'must be 06 or 07 and a digit' },
  { at: 'networks[0].aliases[0]', value: 'M Pesa', because: 'must be upper-case words joined by -' },
  { at: 'networks[0].id', value: 'M_PESA', because: 'must be lower-case words joined by -' },
  {
    at: 'networks[0].bill.protocol',
    value: '',
    because: 'Too small: expected string to have >=1 characters',
  },
  { at: 'networks[0].payout.max', value: 0, because: 'Too small: expected number to be >=1' },
  {
    at: 'networks[0].ussd_push.min',
    value: 10_000_001,
    says: 'networks[0].ussd_push.max: 10000000 is less than min, which is 10000001',
  },
  {
    at: 'networks[0].settle_time_seconds',
    value: 20,
    because: 'must be at least 26: a second send must not meet the first',
  },
  {
    at: 'networks[0].first_enquiry_after_seconds',
    value: 0,
    because: 'Too small: expected number to be >=1',
  },
  {
    at: 'networks',
    value: networks.networks.map((network) => ({ ...network, enabled: false })),
    because: 'no network is enabled',
  },
  { at: 'limits.qr', because: 'Invalid input: expected object, received undefined' },
  { at: 'bank.settle_time_seconds', because: 'Invalid input: expected number, received undefined' },
  { at: 'wallets', value: [], says: 'the top: Unrecognized key: "wallets"' },
]);

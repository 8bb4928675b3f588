import banks from '../../../data/banks.json' with { type: 'json' };
import { parseBanks } from '../../../src/domain/data/banks.ts';
import { describeBroken } from './broken.ts';

const [firstBank] = banks.banks;

describeBroken('data/banks.json', { file: banks, parse: parseBanks }, [
  {
    place: ['banks', 1, 'bic'],
    value: 'BARCTZTZ',
    says: 'banks[1].bic: the BIC BARCTZTZ is there twice',
  },
  {
    place: ['banks', 1, 'value'],
    value: 'absa_bank',
    says: 'banks[1].value: the value absa_bank is there twice',
  },
  {
    place: ['banks', 1, 'name'],
    value: firstBank?.name,
    says: 'banks[1].name: the name ABSA BANK TANZANIA is there twice',
  },
  {
    place: ['banks', 0, 'bic'],
    value: 'BARCKENX',
    says: 'banks[0].bic: must be the 8 characters of a Tanzanian BIC',
  },
  {
    place: ['banks', 0, 'value'],
    value: 'ABSA Bank',
    says: 'banks[0].value: must be lower-case words joined by _',
  },
  {
    place: ['retired', 0, 'successor_bic'],
    value: 'UNILTZTZ',
    says: 'retired[0].successor_bic: UNILTZTZ is the BIC of no bank',
  },
  {
    place: ['retired', 0, 'bic'],
    value: 'CORUTZTZ',
    says: 'retired[0].bic: CORUTZTZ is the BIC of a bank',
  },
  {
    place: ['retired', 1, 'bic'],
    value: 'CNRBTZTZ',
    says: 'retired[1].bic: the BIC CNRBTZTZ is there twice',
  },
  { place: ['retired', 0, 'since'], value: 'lately', says: 'retired[0].since: must be a year or a date' },
  {
    place: ['often_mistyped', 'CORUTZTZ'],
    value: 'NMIBTZTZ',
    says: 'often_mistyped.CORUTZTZ: CORUTZTZ is the BIC of a bank',
  },
  {
    place: ['often_mistyped', 'CORUTZTX'],
    value: 'CORUTZTX',
    says: 'often_mistyped.CORUTZTX: CORUTZTX is the BIC of no bank',
  },
  { place: ['not_banks', 0], value: 'CORUTZTZ', says: 'not_banks[0]: CORUTZTZ is the BIC of a bank' },
  { place: ['unsure', 0], value: 'TANZTZTX', says: 'unsure[0]: TANZTZTX is the BIC of no bank' },
]);

import banks from '../../../data/banks.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/banks.ts';
import { describeBroken } from './broken.ts';

const [firstBank] = banks.banks;

describeBroken('data/banks.json', { file: banks, schema }, [
  { at: 'banks[1].bic', value: 'BARCTZTZ', because: 'the BIC BARCTZTZ is there twice' },
  { at: 'banks[1].value', value: 'absa_bank', because: 'the value absa_bank is there twice' },
  { at: 'banks[1].name', value: firstBank?.name, because: 'the name ABSA BANK TANZANIA is there twice' },
  { at: 'banks[1].aliases', value: ['Absa Plc'], says: 'banks[1]: ABSA does not name this bank alone' },
  { at: 'banks[0].bic', value: 'BARCKENX', because: 'must be the 8 characters of a Tanzanian BIC' },
  { at: 'banks[0].value', value: 'ABSA Bank', because: 'must be lower-case words joined by _' },
  { at: 'retired[0].successor_bic', value: 'UNILTZTZ', because: 'UNILTZTZ is the BIC of no bank' },
  { at: 'retired[0].bic', value: 'CORUTZTZ', because: 'CORUTZTZ is the BIC of a bank' },
  { at: 'retired[1].bic', value: 'CNRBTZTZ', because: 'the BIC CNRBTZTZ is there twice' },
  { at: 'retired[0].since', value: 'lately', because: 'must be a year or a date' },
  { at: 'often_mistyped.CORUTZTZ', value: 'NMIBTZTZ', because: 'CORUTZTZ is the BIC of a bank' },
  { at: 'often_mistyped.CORUTZTX', value: 'CORUTZTX', because: 'CORUTZTX is the BIC of no bank' },
  { at: 'not_banks[0]', value: 'CORUTZTZ', because: 'CORUTZTZ is the BIC of a bank' },
  { at: 'unsure[0]', value: 'TANZTZTX', because: 'TANZTZTX is the BIC of no bank' },
]);

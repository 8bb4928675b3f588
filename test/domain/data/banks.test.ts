import banks from '../../../data/banks.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/banks.ts';
import { describeBroken } from './broken.ts';

const [firstBank] = banks.banks;

describeBroken('data/banks.json', { file: banks, schema }, [
  ['banks[1].bic', 'the BIC BARCTZTZ is there twice', 'BARCTZTZ'],
  ['banks[1].value', 'the value absa_bank is there twice', 'absa_bank'],
  ['banks[1].name', 'the name ABSA BANK TANZANIA is there twice', firstBank?.name],
  ['banks[1].aliases', { says: 'banks[1]: ABSA does not name this bank alone' }, ['Absa Plc']],
  ['banks[0].bic', 'must be the 8 characters of a Tanzanian BIC', 'BARCKENX'],
  ['banks[0].value', 'must be lower-case words joined by _', 'ABSA Bank'],
  ['retired[0].successor_bic', 'UNILTZTZ is the BIC of no bank', 'UNILTZTZ'],
  ['retired[0].bic', 'CORUTZTZ is the BIC of a bank', 'CORUTZTZ'],
  ['retired[1].bic', 'the BIC CNRBTZTZ is there twice', 'CNRBTZTZ'],
  ['retired[0].since', 'must be a year or a date', 'lately'],
  ['often_mistyped.CORUTZTZ', 'CORUTZTZ is the BIC of a bank', 'NMIBTZTZ'],
  ['often_mistyped.CORUTZTX', 'CORUTZTX is the BIC of no bank', 'CORUTZTX'],
  ['not_banks[0]', 'CORUTZTZ is the BIC of a bank', 'CORUTZTZ'],
  ['unsure[0]', 'TANZTZTX is the BIC of no bank', 'TANZTZTX'],
]);

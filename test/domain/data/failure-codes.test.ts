import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { parseFailureCodes } from '../../../src/domain/data/failure-codes.ts';
import { describeBroken } from './broken.ts';

const gsma = 'channels["gsma-mm-1.2"]';
const [insufficientFunds] = failures.channels['gsma-mm-1.2'].codes;

describeBroken('data/failure-codes.json', { file: failures, parse: parseFailureCodes }, [
  { at: 'codes[21]', says: 'codes: the code reversed is missing' },
  { at: 'codes[1].code', value: 'reversed', says: 'codes[21].code: the code reversed is there twice' },
  { at: 'codes[0].code', value: 'no_money', because: '"no_money" is no failure code' },
  { at: 'codes[0].on', value: ['bill'], says: 'codes[0].on[0]: "bill" is no type of transaction' },
  { at: 'codes[0].on', value: [], because: 'must name a type' },
  { at: `${gsma}.codes[0].outcome`, value: 'failed', because: '"failed" is no outcome' },
  { at: `${gsma}.codes[0].collection`, value: 'no_money', because: '"no_money" is no failure code' },
  {
    at: `${gsma}.codes[0].collection`,
    value: 'insufficient_float',
    because: 'insufficient_float is no failure of a payment',
  },
  { at: `${gsma}.codes[0].payout`, value: 'wrong_pin', because: 'wrong_pin is no failure of a payout' },
  {
    at: `${gsma}.codes[0].payout`,
    says: `${gsma}.codes[0]: final needs failure_code, or collection and payout`,
  },
  {
    at: `${gsma}.codes[0].failure_code`,
    value: 'network_error',
    because: 'is there beside collection or payout: only one can hold',
  },
  {
    at: `${gsma}.codes[0].outcome`,
    value: 'ambiguous',
    says: `${gsma}.codes[0]: ambiguous is no failure, so it has no failure code`,
  },
  {
    at: `${gsma}.codes[1]`,
    value: insufficientFunds,
    says: `${gsma}.codes[1].code: the code insufficientFunds is there twice`,
  },
  { at: `${gsma}.states[1].code`, value: 'completed', because: 'the code completed is there twice' },
  {
    at: `${gsma}.codes[0].failurecode`,
    value: 'network_error',
    says: `${gsma}.codes[0]: Unrecognized key: "failurecode"`,
  },
  {
    at: 'channels.mixx.text_patterns[0].contains',
    value: 'Insufficient',
    because: 'must be lower-case: it is sought in lower-cased text',
  },
  {
    at: 'channels.mixx.text_patterns[1].contains',
    value: 'insufficient',
    because: 'the text insufficient is there twice',
  },
  {
    at: 'channels.mixx.text_patterns[0].payout',
    value: 'insufficient_funds',
    because: 'insufficient_funds is no failure of a payout',
  },
  { at: 'channels.mixx.deduplicates', because: 'Invalid input: expected boolean, received undefined' },
  { at: 'bill_replies[8]', says: 'bill_replies: the reply try_again is missing' },
  { at: 'bill_replies[1].reason', value: 'ok', because: 'the reply ok is there twice' },
  { at: 'bill_replies[0].reason', value: 'fine', because: '"fine" is no bill reply' },
  { at: 'bill_replies[0]["bill-json"]', because: 'is missing, though other rows have it' },
  { at: 'bill_replies[0]["mixx-w2a"]', value: 0, because: 'Invalid input: expected string, received number' },
  {
    at: 'bill_replies[2]["gsma-mm-1.2"]',
    value: 'identifierError',
    because: 'must be an HTTP status and an errorCode',
  },
  { at: 'outcomes.setup', because: 'Invalid input: expected string, received undefined' },
]);

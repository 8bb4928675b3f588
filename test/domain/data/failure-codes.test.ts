import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { parseFailureCodes } from '../../../src/domain/data/failure-codes.ts';
import { describeBroken } from './broken.ts';

const gsma = ['channels', 'gsma-mm-1.2'];
const [insufficientFunds] = failures.channels['gsma-mm-1.2'].codes;

describeBroken('data/failure-codes.json', { file: failures, parse: parseFailureCodes }, [
  { place: ['codes', 21], says: 'codes: the code reversed is missing' },
  {
    place: ['codes', 1, 'code'],
    value: 'reversed',
    says: 'codes[21].code: the code reversed is there twice',
  },
  {
    place: ['codes', 0, 'code'],
    value: 'no_money',
    says: 'codes[0].code: "no_money" is no failure code',
  },
  {
    place: ['codes', 0, 'on'],
    value: ['bill'],
    says: 'codes[0].on[0]: "bill" is no type of transaction',
  },
  { place: ['codes', 0, 'on'], value: [], says: 'codes[0].on: must name a type' },
  {
    place: [...gsma, 'codes', 0, 'outcome'],
    value: 'failed',
    says: 'channels["gsma-mm-1.2"].codes[0].outcome: "failed" is no outcome',
  },
  {
    place: [...gsma, 'codes', 0, 'collection'],
    value: 'no_money',
    says: 'channels["gsma-mm-1.2"].codes[0].collection: "no_money" is no failure code',
  },
  {
    place: [...gsma, 'codes', 0, 'collection'],
    value: 'insufficient_float',
    says: 'channels["gsma-mm-1.2"].codes[0].collection: insufficient_float is no failure of a payment',
  },
  {
    place: [...gsma, 'codes', 0, 'payout'],
    value: 'wrong_pin',
    says: 'channels["gsma-mm-1.2"].codes[0].payout: wrong_pin is no failure of a payout',
  },
  {
    place: [...gsma, 'codes', 0, 'payout'],
    says: 'channels["gsma-mm-1.2"].codes[0]: final needs failure_code, or collection and payout',
  },
  {
    place: [...gsma, 'codes', 0, 'failure_code'],
    value: 'network_error',
    says: 'channels["gsma-mm-1.2"].codes[0].failure_code: is there beside collection or payout: only one can hold',
  },
  {
    place: [...gsma, 'codes', 0, 'outcome'],
    value: 'ambiguous',
    says: 'channels["gsma-mm-1.2"].codes[0]: ambiguous is no failure, so it has no failure code',
  },
  {
    place: [...gsma, 'codes', 1],
    value: insufficientFunds,
    says: 'channels["gsma-mm-1.2"].codes[1].code: the code insufficientFunds is there twice',
  },
  {
    place: [...gsma, 'states', 1, 'code'],
    value: 'completed',
    says: 'channels["gsma-mm-1.2"].states[1].code: the code completed is there twice',
  },
  {
    place: [...gsma, 'codes', 0, 'failurecode'],
    value: 'network_error',
    says: 'channels["gsma-mm-1.2"].codes[0]: Unrecognized key: "failurecode"',
  },
  {
    place: ['channels', 'mixx', 'text_patterns', 0, 'contains'],
    value: 'Insufficient',
    says: 'channels.mixx.text_patterns[0].contains: must be lower-case: it is sought in lower-cased text',
  },
  {
    place: ['channels', 'mixx', 'text_patterns', 1, 'contains'],
    value: 'insufficient',
    says: 'channels.mixx.text_patterns[1].contains: the text insufficient is there twice',
  },
  {
    place: ['channels', 'mixx', 'text_patterns', 0, 'payout'],
    value: 'insufficient_funds',
    says: 'channels.mixx.text_patterns[0].payout: insufficient_funds is no failure of a payout',
  },
  {
    place: ['channels', 'mixx', 'deduplicates'],
    says: 'channels.mixx.deduplicates: Invalid input: expected boolean, received undefined',
  },
  { place: ['bill_replies', 8], says: 'bill_replies: the reply try_again is missing' },
  {
    place: ['bill_replies', 1, 'reason'],
    value: 'ok',
    says: 'bill_replies[1].reason: the reply ok is there twice',
  },
  {
    place: ['bill_replies', 0, 'reason'],
    value: 'fine',
    says: 'bill_replies[0].reason: "fine" is no bill reply',
  },
  {
    place: ['bill_replies', 0, 'bill-json'],
    says: 'bill_replies[0]["bill-json"]: Invalid input: expected string, received undefined',
  },
  {
    place: ['bill_replies', 0, 'mixx-w2a'],
    value: 0,
    says: 'bill_replies[0]["mixx-w2a"]: Invalid input: expected string, received number',
  },
  {
    place: ['bill_replies', 0, 'mixx-w2a'],
    says: 'bill_replies[0]["mixx-w2a"]: Invalid input: expected string, received undefined',
  },
  {
    place: ['bill_replies', 2, 'gsma-mm-1.2'],
    value: 'identifierError',
    says: 'bill_replies[2]["gsma-mm-1.2"]: must be an HTTP status and an errorCode',
  },
  {
    place: ['outcomes', 'setup'],
    says: 'outcomes.setup: Invalid input: expected string, received undefined',
  },
]);

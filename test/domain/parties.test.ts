import assert from 'node:assert/strict';
import { banks, findBank, namesMatch, parseAccountNumber } from '../../src/domain/bank.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import { inEnglish } from '../../src/domain/messages.ts';
import { networkByName, networkOfNumber, networks } from '../../src/domain/network.ts';
import { flowTiming } from '../../src/domain/timing.ts';
import { channelTiming } from '../support/merchant.ts';

describe('networks', () => {
  it('finds a network for every prefix in use, and by id, name or alias in any case', () => {
    for (const first of ['061', '065', '068', '071', '073', '074', '078', '079'])
      assert.ok(networkOfNumber(`255${first.slice(1)}1234567`), first);
    assert.equal(networkByName('m-pesa')?.id, 'm-pesa');
    assert.equal(networkByName('MIXX BY YAS')?.id, 'tigo-pesa');
    assert.equal(networkByName('nobody'), undefined);
    assert.equal(
      new Set(networks.flatMap((network) => network.prefixes)).size,
      networks.flatMap((n) => n.prefixes).length,
    );
  });

  it('never allows a settle time that our own send could outlast', () => {
    for (const network of networks) {
      const timing = flowTiming('ussd', { ...channelTiming, ...network }, 'normal');
      assert.ok(timing.settleTimeMs > timing.sendTimeoutMs + 5_000, network.id);
    }
  });
});

describe('banks', () => {
  it('are found by 8 or 11 characters in any case, branch or not', () => {
    for (const bic of ['CORUTZTZ', 'corutztz', 'CORUTZTZXXX', 'CORUTZTZ123']) {
      const found = findBank(bic);
      assert.ok('bank' in found, bic);
      assert.deepEqual([found.bank.value, found.bic], ['crdb_bank', 'CORUTZTZ']);
    }
    assert.equal(banks.length, 41);
  });

  it('that were taken over or are often mistyped lead to the right one', () => {
    const sentence = (bic: string) => {
      const found = findBank(bic);
      return 'unknown' in found ? inEnglish(found.unknown) : '';
    };
    assert.match(sentence('CNRBTZTZ'), /taken over in 2024: use EXTNTZTZ/);
    assert.match(sentence('SBICTZTZ'), /did you mean SBICTZTX/);
    assert.match(sentence('TANZTZTX'), /not a bank/);
    assert.match(sentence('CORUKEKE'), /Tanzanian BIC/);
  });

  it('have account numbers of 5 to 34 letters and digits', () => {
    assert.equal(parseAccountNumber('0150-1234 567 89'), '0150123456789');
    assert.equal(parseAccountNumber('ab12c'), 'AB12C');
    for (const wrong of ['1234', '1'.repeat(35), '12_345', ''])
      assert.equal(parseAccountNumber(wrong), null, wrong);
  });

  it('are not guessed from letters whose capitals are others: ß is not SS, ı is not I', () => {
    for (const account of ['0150ß12345', '0150ﬃ12345', '0150ı12345'])
      assert.equal(parseAccountNumber(account), null, account);
    assert.ok('unknown' in findBank('NMıBTZTZ'));
  });

  it('know a holder by any order of names and without middle names', () => {
    assert.ok(namesMatch('Asha Juma', 'JUMA ASHA'));
    assert.ok(namesMatch('Asha Juma', 'ASHA MOHAMED JUMA'));
    assert.ok(namesMatch('Mr Asha Juma', 'ASHA JUMA'));
    assert.ok(!namesMatch('Asha Juma', 'ASHA ALI'));
    assert.ok(!namesMatch('Asha', 'ASHA JUMA'), 'one name of two says too little');
    assert.ok(!namesMatch('', 'ASHA JUMA'));
  });
});

describe('references', () => {
  it('are the last 80 bits of the id in Crockford base 32, told apart by their first letters', () => {
    assert.equal(channelReferenceOf('payout', 'd9e6e47f-5f57-5c65-91cf-ad3f9294eb44'), 'POBHJS3KXD7Y999TT4');
    assert.equal(channelReferenceOf('payout', '8f81e959-b399-501e-8691-e48151c57788'), 'POA0F8D4F4G58WAXW8');
    assert.match(
      channelReferenceOf('collection', '09c97599-0ab0-5cb9-ad18-d6327c66ef03'),
      /^PY[0-9A-HJKMNP-TV-Z]{16}$/,
    );
  });
});

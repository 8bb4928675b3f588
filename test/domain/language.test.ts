import assert from 'node:assert/strict';
import { inSwahili, translate } from '../../src/domain/language.ts';

describe('translate', () => {
  const says: [english: string, swahili: string][] = [
    ['The service is up', 'Huduma inapatikana'],
    [
      'Too many requests; try again in 1 second',
      'Maombi ni mengi mno; tafadhali jaribu tena baada ya sekunde 1',
    ],
    [
      'Too many requests; try again in 7 seconds',
      'Maombi ni mengi mno; tafadhali jaribu tena baada ya sekunde 7',
    ],
    ['Waiting to be handed to the bank', 'Malipo yanasubiri kukabidhiwa kwa benki'],
    [
      'The balance of 1,000.00 TZS does not cover 51,000.00 TZS (50,000.00 and the fee of 1,000.00). Top up, then send the payout with a new Idempotency-Key',
      'Salio halitoshi: lipo TZS 1,000.00, na zinahitajika TZS 51,000.00 (50,000.00 pamoja na ada ya 1,000.00). Ongeza salio, kisha tuma malipo kwa Idempotency-Key mpya',
    ],
    [
      'A payment over M-PESA is at least 1,000 TZS',
      'Kiwango cha chini cha malipo kupitia M-PESA ni TZS 1,000',
    ],
    ['Use GET or HEAD at this address', 'Kwenye anwani hii tumia GET au HEAD'],
    ['Use GET or HEAD or PUT at this address', 'Kwenye anwani hii tumia GET, HEAD au PUT'],
    ['amount is required', 'amount inahitajika'],
    [
      'beneficiary.full_name must be a JSON string, not a number',
      'beneficiary.full_name lazima iwe maandishi (JSON string), si namba (number)',
    ],
    ['bic CORUTZTX does not exist; did you mean CORUTZTZ?', 'bic CORUTZTX haipo; je, ulimaanisha CORUTZTZ?'],
  ];
  for (const [english, swahili] of says)
    it(english, () => {
      assert.equal(translate(english, 'sw'), swahili);
      assert.equal(translate(english, 'en'), english);
    });

  it('keeps what a merchant has written, whatever it says', () => {
    assert.equal(translate('a metadata.is required is required', 'sw'), 'a metadata.is required inahitajika');
    const number = 'INV {amount} already belongs to another bill';
    const taken = `The payment number ${number} already belongs to another bill`;
    assert.equal(translate(taken, 'sw'), `Namba ya malipo ${number} tayari ni ya bili nyingine`);
    assert.equal(
      translate('The key "$&" appears twice in one object', 'sw'),
      'Jina "$&" limeandikwa mara mbili ndani ya object moja',
    );
  });

  it('leaves a sentence in English that is not known, also one that only looks like another', () => {
    for (const english of ['The moon is up', 'amount must be blue', 'Waiting to be handed to the moon', ''])
      assert.equal(inSwahili(english), null, english);
    assert.equal(translate('The moon is up', 'sw'), 'The moon is up');
  });

  it('is quick with a text made to be slow', () => {
    const started = process.cpuUsage().user;
    for (const again of ['is ', ' of (', ' or ', '; ', ' is at least '])
      for (const first of ['', 'The bill is paid in part (', 'Use ']) inSwahili(first + again.repeat(2_000));
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });
});

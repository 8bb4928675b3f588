import assert from 'node:assert/strict';
import { inLanguage, languages } from '../../src/domain/language.ts';
import { english, inEnglish, Message, type MessageId, say } from '../../src/domain/messages.ts';

describe('a message', () => {
  const says: [message: Message, english: string, swahili: string][] = [
    [say('service_up'), 'The service is up', 'Huduma inapatikana'],
    [
      say('too_many_requests_one_second'),
      'Too many requests; try again in 1 second',
      'Maombi ni mengi mno; tafadhali jaribu tena baada ya sekunde 1',
    ],
    [
      say('too_many_requests', { seconds: 7 }),
      'Too many requests; try again in 7 seconds',
      'Maombi ni mengi mno; tafadhali jaribu tena baada ya sekunde 7',
    ],
    [
      say('waiting_for_hand_over', { channel: say('bank') }),
      'Waiting to be handed to the bank',
      'Malipo yanasubiri kukabidhiwa kwa benki',
    ],
    [
      say('balance_too_small', {
        available: '1,000.00',
        currency: 'TZS',
        total: '51,000.00',
        amount: '50,000.00',
        fee: '1,000.00',
      }),
      'The balance of 1,000.00 TZS does not cover 51,000.00 TZS (50,000.00 and the fee of 1,000.00). Top up, then send the payout with a new Idempotency-Key',
      'Salio halitoshi: lipo TZS 1,000.00, na zinahitajika TZS 51,000.00 (50,000.00 pamoja na ada ya 1,000.00). Ongeza salio, kisha tuma malipo kwa Idempotency-Key mpya',
    ],
    [
      say('amount_too_small', {
        subject: say('a_payment_over', { network: 'M-PESA' }),
        amount: '1,000',
        currency: 'TZS',
      }),
      'A payment over M-PESA is at least 1,000 TZS',
      'Kiwango cha chini cha malipo kupitia M-PESA ni TZS 1,000',
    ],
    [
      say('use_three_methods', { method: 'GET', second: 'HEAD', third: 'PUT' }),
      'Use GET or HEAD or PUT at this address',
      'Kwenye anwani hii tumia GET, HEAD au PUT',
    ],
    [
      say('field_wrong', { field: 'amount', problem: say('is_required') }),
      'amount is required',
      'amount inahitajika',
    ],
    [
      say('field_wrong', {
        field: 'beneficiary.full_name',
        problem: say('must_be_json_string', { type: say('type_number') }),
      }),
      'beneficiary.full_name must be a JSON string, not a number',
      'beneficiary.full_name lazima iwe maandishi (JSON string), si namba (number)',
    ],
    [
      say('field_wrong', {
        field: 'bic',
        problem: say('bank_mistyped', { bic: 'CORUTZTX', likely: 'CORUTZTZ' }),
      }),
      'bic CORUTZTX does not exist; did you mean CORUTZTZ?',
      'bic CORUTZTX haipo; je, ulimaanisha CORUTZTZ?',
    ],
    [say('failure_expired'), 'Not paid before it expired', 'Malipo hayakufanyika kabla ya muda kuisha'],
  ];
  for (const [message, inTheFirst, inTheOther] of says)
    it(`says in both languages: ${inTheFirst}`, () => {
      assert.equal(inLanguage(message, 'en'), inTheFirst);
      assert.equal(inEnglish(message), inTheFirst);
      assert.equal(inLanguage(message, 'sw'), inTheOther);
    });

  it('keeps what a merchant has written, whatever it says', () => {
    for (const number of ['INV {number} is required', '{channel}', '$& $1 $$'])
      assert.equal(
        inLanguage(say('payment_number_taken', { number }), 'sw'),
        `Namba ya malipo ${number} tayari ni ya bili nyingine`,
      );
  });

  it('has no place left open in any language', () => {
    for (const id of Object.keys(english) as MessageId[]) {
      const names = [...english[id].matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'X']);
      const message = new Message(id, Object.fromEntries(names));
      for (const language of languages)
        assert.doesNotMatch(inLanguage(message, language), /[{}]|undefined/, id);
    }
  });

  it('does not compile without an id of the catalogue and a value for each place', () => {
    // @ts-expect-error a message that nobody has written
    const unknown = say('moon_is_up');
    // @ts-expect-error a message without its value
    const open = say('must_be_at_least');
    // @ts-expect-error a value that is misspelt
    const misspelt = say('must_be_at_least', { amuont: 1 });
    // @ts-expect-error a value without a place
    const surplus = say('is_required', { amount: 1 });
    for (const wrong of [unknown, open, misspelt, surplus]) assert.ok(wrong);
  });
});

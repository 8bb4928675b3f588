import assert from 'node:assert/strict';
import { translateAnswer } from '../../src/contract/answer-language.ts';

describe('an answer in Swahili', () => {
  it('differs in its sentences only, byte for byte', () => {
    const rest = (message: string, reason: string, problem: string) =>
      `{"success" : true, "message":"${message}","amount":1.50,"metadata":{"message":"The service is up","n":1e2,` +
      `"in":{"failure_reason":"The service is up"}},"payment":{"status_reason":"${reason}","description":"The service is up"},` +
      `"errors":[{"field":"amount","message":"${problem}"}],"data":[{"failure_reason":null,"caf\\u00e9":"\\u0041"}]}\n`;
    const english = rest('The service is up', 'Waiting for the customer to scan and pay', 'is required');
    assert.equal(translateAnswer(english, 'en'), english);
    assert.equal(
      translateAnswer(english, 'sw'),
      rest('Huduma inapatikana', 'Tunasubiri mteja askani msimbo wa QR na kulipa', 'inahitajika'),
    );
  });

  it('leaves alone what is Swahili already', () => {
    const swahili = '{"success":true,"message":"Huduma inapatikana"}';
    assert.equal(translateAnswer(swahili, 'sw'), swahili);
  });
});

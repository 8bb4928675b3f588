import assert from 'node:assert/strict';
import { openApiText } from '../../src/api/reference/openapi.ts';
import { endpoints } from '../../src/api/routes.ts';
import { sentencesOf as sentencesOfAnswer } from '../../src/contract/answer-language.ts';
import { swahili } from '../../src/domain/data/messages.ts';
import { failureCodes, failureReasonOf } from '../../src/domain/failure.ts';
import { inSwahili } from '../../src/domain/language.ts';
import { sentencesOf, sentencesOfSource } from './support/english.ts';

/** The request was no HTTP, so nobody knows which language it asked for. */
const ENGLISH_ONLY = ['This is not an HTTP request that can be read'];

const lacking = (sentences: string[]) =>
  [...new Set(sentences)].filter((english) => inSwahili(english) === null && !ENGLISH_ONLY.includes(english));

describe('data/messages.sw.json', () => {
  it('has every reason why a transaction fails', () => {
    assert.deepEqual(lacking(failureCodes.map(failureReasonOf)), []);
  });

  it('has every sentence of the examples: each error code, and each answer', () => {
    const told = sentencesOfAnswer(openApiText(endpoints)).map(({ value }) => value);
    assert.ok(told.length > 50, `${told.length} sentences`);
    assert.deepEqual(lacking(told), []);
  });

  it('has every sentence of the source', () => {
    const known = Object.keys({ ...swahili.sentences, ...swahili.terms }).join('\n');
    const said = sentencesOfSource();
    assert.ok(said.length > 120, `${said.length} sentences`);
    const isKnown = (pieces: string[]) =>
      inSwahili(pieces.join('1')) !== null || pieces.every((piece) => known.includes(piece));
    const unknown = said.filter(({ pieces }) => !isKnown(pieces));
    assert.deepEqual(
      unknown.map(({ where, pieces }) => `${where} ${pieces.join('…')}`),
      [],
    );
  });

  it('would miss a sentence that is new', () => {
    const source =
      'throw new GatewayError("not_found", `The moon has $' + '{count} ears`); log.warn("It is dark")';
    assert.deepEqual(sentencesOf('moon.ts', source), [
      { where: 'moon.ts:1', pieces: ['The moon has ', ' ears'] },
    ]);
  });

  it('repeats no English sentence, and no English word that has a Swahili one', () => {
    for (const [english, text] of Object.entries({ ...swahili.sentences, ...swahili.terms })) {
      if (english.startsWith('{field} ') || ['null'].includes(english)) continue;
      assert.notEqual(text, english);
      assert.doesNotMatch(text, /\b(the|is|not|must|and|or|with|payment|payout)\b/, english);
    }
  });
});

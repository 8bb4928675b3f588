import assert from 'node:assert/strict';
import { openApiText } from '../../src/api/reference/openapi.ts';
import { calls } from '../../src/api/routes.ts';
import { swahili } from '../../src/domain/data/messages.ts';
import { english, Message, type MessageId } from '../../src/domain/messages.ts';
import type { Line } from '../../src/platform/http/call.ts';
import { readFields } from '../../src/platform/http/fields.ts';
import { sentencesOf, sentencesOfSource } from './support/english.ts';
import { isOfCatalogue, sentencesOf as sentencesOfAnswer } from './support/sentences.ts';

/** The request was no HTTP, so nobody knows which language it asked for. */
const ENGLISH_ONLY = 'This is not an HTTP request that can be read';

describe('what merchants read', () => {
  it('is in the catalogue: each example of an answer and of an error code', () => {
    const told = new Set(sentencesOfAnswer(openApiText(calls)).map(({ value }) => value));
    assert.ok(told.size > 50, `${told.size} sentences`);
    assert.deepEqual(
      [...told].filter((sentence) => !isOfCatalogue(sentence)),
      [ENGLISH_ONLY],
    );
  });

  it('is in the catalogue: each problem of a wrong value in a field of a request', () => {
    const values = [
      '',
      'x',
      'x'.repeat(3_000),
      0,
      0.5,
      1e300,
      true,
      [],
      {},
      [''],
      [7],
      [{}],
      ['x'.repeat(100)],
    ];
    const ofZod = (Object.values(calls) as Line[]).flatMap(({ body = {}, query = {}, paths }) =>
      [body, query].flatMap((shape) =>
        Object.keys(shape).flatMap((name) =>
          values
            .flatMap((value) => readFields(shape, { [name]: value }).problems)
            .filter(({ message }) => !(message instanceof Message))
            .map(({ field, message }) => `${paths[0]}: ${field} ${message}`),
        ),
      ),
    );
    assert.deepEqual(ofZod, []);
  });

  it('has its English in the catalogue, and nowhere else in the source', () => {
    assert.deepEqual(
      sentencesOfSource().map(({ where, pieces }) => `${where} ${pieces.join('…')}`),
      [],
    );
  });

  it('would be found where it is not in the catalogue', () => {
    const source =
      'throw new GatewayError("not_found", `The moon has $' + '{count} ears`); log.warn("It is dark")';
    assert.deepEqual(sentencesOf('moon.ts', source), [
      { where: 'moon.ts:1', pieces: ['The moon has ', ' ears'] },
    ]);
    for (const sentence of ['The moon is up', 'amount is blue', 'Waiting to be paid', 'The service is up.'])
      assert.equal(isOfCatalogue(sentence), false, sentence);
  });

  it('is in Swahili where Swahili is asked for: no English sentence, and no English word that has a Swahili one', () => {
    for (const [id, text] of Object.entries(swahili)) {
      const made = ['field_wrong', 'two_sentences', 'type_null'].includes(id);
      if (!made) assert.notEqual(text, english[id as MessageId], id);
      assert.doesNotMatch(
        text.replace(/\{\w+\}/g, ''),
        /\b(the|is|not|must|and|or|with|payment|payout)\b/,
        id,
      );
    }
  });
});

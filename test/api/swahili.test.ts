import assert from 'node:assert/strict';
import { openApiText } from '../../src/api/reference/openapi.ts';
import { endpoints } from '../../src/api/routes.ts';
import { sentencesOf as sentencesOfAnswer } from '../../src/contract/answer-language.ts';
import { swahili } from '../../src/domain/data/messages.ts';
import { failureCodes, failureReasonOf } from '../../src/domain/failure.ts';
import { inSwahili } from '../../src/domain/language.ts';
import { type LimitName, limitNames, noLimits, refusalByLimits } from '../../src/domain/limits.ts';
import { minor } from '../../src/domain/money.ts';
import { type RefundObstacle, refundObstacles } from '../../src/domain/refund.ts';
import {
  notRefundableAnswer,
  previewMismatchMessage,
  refundExceedsPaymentAnswer,
} from '../../src/transactions/acceptance/answers.ts';
import type { PreviewMismatch } from '../../src/transactions/acceptance/previews.ts';
import { sentencesOf, sentencesOfSource } from './support/english.ts';

/** The request was no HTTP, so nobody knows which language it asked for. */
const ENGLISH_ONLY = ['This is not an HTTP request that can be read'];

/** What a payout is told that only this limit of its account refuses. */
function limitMessage(name: LimitName): string {
  const at = '2026-01-15T09:30:00.000000Z';
  const refusal = refusalByLimits({
    amount: minor(2),
    now: at,
    dayEnds: '2026-01-15T21:00:00.000000Z',
    limits: { account: { ...noLimits, [name]: 1 }, key: noLimits },
    days: { account: { value: 2, payouts: 2 }, key: { value: 2, payouts: 2 } },
    recipient: { value: 2, knownSince: at },
    twinAt: at,
  });
  return refusal?.message ?? name;
}

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

  it('has every refusal of a refund, a preview and a limit, each of two sentences', () => {
    const submission = { requestId: 'req_1' };
    const refusals = [
      ...(Object.keys(refundObstacles) as RefundObstacle[]).map((why) =>
        notRefundableAnswer(submission, why),
      ),
      refundExceedsPaymentAnswer(submission, { refunded: minor(100), left: minor(200) }),
    ].flatMap(sentencesOfAnswer);
    const mismatches: PreviewMismatch[] = ['unknown', 'expired', 'used', ['amount', 'network']];
    const previews = mismatches.map(previewMismatchMessage);
    const limits = limitNames.map((name) => limitMessage(name));
    assert.deepEqual(lacking([...refusals.map(({ value }) => value), ...previews, ...limits]), []);
    assert.match(inSwahili(limits[0] ?? '') ?? '', /^Kwa akaunti hii, .*\. Hakuna kilichofanyika; /);
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

import assert from 'node:assert/strict';
import { z } from 'zod';
import { jsonText } from '../../src/base/json-text.ts';
import type { balanceAnswer, mobilePreviewAnswer, payoutLookup } from '../../src/contract/answer-schemas.ts';
import type { callbackSchemas } from '../../src/contract/callback-schemas.ts';
import { type JsonOf, sentence, writeJson } from '../../src/contract/json-of.ts';
import { say } from '../../src/domain/messages.ts';

const shape = z.strictObject({
  id: z.string(),
  paid_at: z.string().optional(),
  party: z.strictObject({ name: z.string().nullable() }).optional(),
  metadata: z.record(z.string(), z.unknown()),
  items: z.array(z.strictObject({ kind: z.enum(['hold', 'release']) })),
});
type Shape = typeof shape;
const whole: JsonOf<Shape> = {
  id: 'a',
  paid_at: undefined,
  party: { name: null },
  metadata: jsonText('{"n":1.50}'),
  items: [{ kind: 'hold' }],
};

describe('the JSON of a schema', () => {
  it('is written in the order of the presenter, without what does not apply, with metadata as it was sent', () => {
    const text = writeJson<Shape>({}, whole);
    assert.equal(text, '{"id":"a","party":{"name":null},"metadata":{"n":1.50},"items":[{"kind":"hold"}]}');
    shape.parse(JSON.parse(text));
  });

  it('is written in a language in its sentences only', () => {
    const told = z.strictObject({
      message: sentence,
      detail: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    });
    const metadata = jsonText('{"message":"The service is up"}');
    const body = { message: say('service_up'), detail: 'The service is up', metadata };
    const [english, swahili] = [
      writeJson<typeof told>({}, body),
      writeJson<typeof told>({ language: 'sw' }, body),
    ];
    const rest = ',"detail":"The service is up","metadata":{"message":"The service is up"}}';
    assert.equal(english, `{"message":"The service is up"${rest}`);
    assert.equal(swahili, `{"message":"Huduma inapatikana"${rest}`);
    // @ts-expect-error a text where people read a sentence
    const text: JsonOf<typeof told> = { ...body, message: 'The service is up' };
    assert.ok(text);
  });

  it('does not compile with a member that is missing, misspelt, too many or of another type', () => {
    const { paid_at: _, ...withoutOptional } = whole;
    // @ts-expect-error an optional member has to be named, too
    const missing: JsonOf<Shape> = withoutOptional;
    // @ts-expect-error a member that the schema does not have
    const surplus: JsonOf<Shape> = { ...whole, fee: '1.00' };
    // @ts-expect-error a misspelt member of an inner object
    const inner: JsonOf<Shape> = { ...whole, party: { nmae: null } };
    // @ts-expect-error a word that is none of the schema's
    const word: JsonOf<Shape> = { ...whole, items: [{ kind: 'top_up' }] };
    // @ts-expect-error metadata is put in as text, so that its numbers stay as they were written
    const metadata: JsonOf<Shape> = { ...whole, metadata: { n: 1.5 } };
    for (const wrong of [missing, surplus, inner, word, metadata]) assert.ok(wrong);
  });

  it('is as strict with the published answers and callbacks', () => {
    // @ts-expect-error a balance without what is reserved
    const balance: JsonOf<typeof balanceAnswer>['balance'] = { current: 1 };
    // @ts-expect-error a status that payouts do not have
    const status: JsonOf<typeof payoutLookup>['status'] = 'completed';
    type Beneficiary = JsonOf<typeof mobilePreviewAnswer>['beneficiary'];
    // @ts-expect-error a preview without the number
    const beneficiary: Beneficiary = { full_name: null, name_match: null };
    // @ts-expect-error a ping with another name
    const ping: JsonOf<(typeof callbackSchemas)['ping']> = { event: 'pong', event_id: '', timestamp: '' };
    for (const wrong of [balance, status, beneficiary, ping]) assert.ok(wrong);
  });
});

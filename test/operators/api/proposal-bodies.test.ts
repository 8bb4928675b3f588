import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readPayload } from '../../../src/operators/actions/actions.ts';
import { actionsWith } from '../../support/actions.ts';
import { ringOf } from '../../support/key-rings.ts';

const document = JSON.parse(readFileSync(new URL('../../../operator-openapi.json', import.meta.url), 'utf8'));
const { schema, examples } = document.paths['/proposals'].post.requestBody.content['application/json'];
/** As in a live installation: the example of a key is one of those. */
const actions = actionsWith(ringOf(), 'live');

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');
const validator = (reference: string) => ajv.compile({ $ref: `document${reference}` });
const schemaAt = (reference: string) => document.components.schemas[reference.split('/').at(-1) ?? ''];

describe('what a proposal takes, in the document of the operator API', () => {
  it('is one body for each action, found by its name', () => {
    assert.equal(schema.discriminator.propertyName, 'action');
    assert.deepEqual(Object.keys(schema.discriminator.mapping), Object.keys(actions));
    assert.deepEqual(
      schema.oneOf.map(({ $ref }: { $ref: string }) => $ref),
      Object.values(schema.discriminator.mapping),
    );
    assert.deepEqual(Object.keys(examples).sort(), Object.keys(actions).sort());
  });

  for (const [name, action] of Object.entries(actions)) {
    it(`${name}: its example fits its body and no other, and is read`, () => {
      const { value } = examples[name];
      const fits = Object.entries<string>(schema.discriminator.mapping).filter(([, reference]) =>
        validator(reference)(value),
      );
      assert.deepEqual(
        fits.map(([fitting]) => fitting),
        [name],
      );
      readPayload(action, value.payload);
    });

    it(`${name}: a payload without a member that it needs, or with one too many, fits neither`, () => {
      const reference: string = schema.discriminator.mapping[name];
      const payload = schemaAt(schemaAt(reference).properties.payload.$ref);
      const { value } = examples[name];
      const broken = payload.required.map((member: string) => {
        const { [member]: _, ...rest } = value.payload;
        return rest;
      });
      assert.ok(broken.length > 0);
      for (const wrong of [...broken, { ...value.payload, colour: 1 }]) {
        assert.equal(validator(reference)({ ...value, payload: wrong }), false);
        assert.throws(() => readPayload(action, wrong), { code: 'validation_failed' });
      }
    });
  }
});

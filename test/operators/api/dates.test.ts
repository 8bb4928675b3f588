import assert from 'node:assert/strict';
import type { z } from 'zod';
import { calls } from '../../../src/operators/api/calls.ts';
import { actions } from '../../support/actions.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

/** Every field of operators that reads a date: found by what it takes, so that a new one is tried as well. */

const WRITTEN = ['2027-01-31', '2027-01-31T00:00:00Z', '2027-01'];
/** Of years that not everything which stores or compares times knows. */
const ODD = [
  '0001-01-01',
  '0001-01-01T00:00:00Z',
  '0001-01',
  '-000001-01-01T00:00:00Z',
  '275760-09-13',
  '275760-09',
  '+275760-09-13T00:00:00Z',
  '9999-12-31',
  '9999-12',
];

const takes = (field: z.ZodType, value: string) => field.safeParse(value).success;
const datesOf = (shape: Record<string, z.ZodType> = {}) =>
  Object.entries(shape)
    .filter(([, field]) => WRITTEN.some((value) => takes(field, value)) && !takes(field, 'x'))
    .map(([name]) => name);

describe('a date of a year that nobody means', () => {
  const { test, desk } = useOperatorDesk();
  let accountId: string;
  before(async () => {
    ({ accountId } = await createMerchant(test.database));
  });

  const asked = Object.entries(calls).flatMap(([name, call]) => {
    const { method, paths, query, body } = call as {
      method: string;
      paths: readonly [string];
      query?: Record<string, z.ZodType>;
      body?: Record<string, z.ZodType>;
    };
    const of = { name, method, path: paths[0] };
    return [
      ...datesOf(query).map((field) => ({ ...of, field, inBody: false })),
      ...datesOf(body).map((field) => ({ ...of, field, inBody: true })),
    ];
  });
  it('is looked for at every call that reads one', () => {
    const names = asked.map(({ name, field }) => `${name} ${field}`);
    for (const one of ['getStatement from', 'listAudit to', 'listVolumes from', 'getFeeStatement month'])
      assert.ok(names.includes(one), one);
  });
  for (const { name, method, path, field, inBody } of asked) {
    it(`is refused as ${field} of ${name}`, async () => {
      for (const odd of ODD) {
        const at = `${path.replace('{id}', accountId)}${inBody ? '' : `?${field}=${encodeURIComponent(odd)}`}`;
        const { status, body } = await desk.call('asha', method, at, inBody ? { [field]: odd } : undefined);
        const wrong = body.errors?.map((error: { field: string }) => error.field) ?? [];
        assert.deepEqual([status, wrong.includes(field)], [422, true], `${odd}: ${JSON.stringify(body)}`);
      }
    });
  }

  for (const [action, { payload, example }] of Object.entries(actions))
    for (const field of datesOf((payload as z.ZodObject).shape)) {
      it(`is refused as ${field} of a proposal: ${action}`, async () => {
        const [reason, given] = example;
        for (const odd of ODD) {
          const body = { action, reason, payload: { ...given, [field]: odd } };
          const answer = await desk.call('asha', 'POST', 'proposals', body);
          const wrong = answer.body.errors?.map((error: { field: string }) => error.field) ?? [];
          const said = `${odd}: ${JSON.stringify(answer.body)}`;
          assert.deepEqual([answer.status, wrong.includes(`payload.${field}`)], [422, true], said);
        }
      });
    }

  it('is no day of the command `extracts`', async () => {
    for (const odd of ['0001-01-01', '275760-09-13', '9999-12-31'])
      for (const days of [
        ['--from', odd, '--to', odd],
        ['--from', '2026-10-01', '--to', odd],
      ])
        await assert.rejects(
          desk.cli('asha', 'extracts', 'volumes', ...days),
          /is not a day: write it like/,
          odd,
        );
  });
});

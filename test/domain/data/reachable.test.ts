import assert from 'node:assert/strict';
import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { failureCodes, failureReasonOf } from '../../../src/domain/failure.ts';
import { inEnglish } from '../../../src/domain/messages.ts';

describe('the sentences that are said to others', () => {
  it('are one for every failure code', () => {
    assert.equal(failures.codes.length, failureCodes.length);
    for (const { code, reason } of failures.codes)
      assert.equal(inEnglish(failureReasonOf(code as (typeof failureCodes)[number])), reason);
  });
});

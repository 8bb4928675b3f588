import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { parseStatement } from '../../../src/reconciliation/formats/parse.ts';
import { readStatement } from '../../../src/reconciliation/formats/read.ts';
import { StatementRefused } from '../../../src/reconciliation/statement.ts';
import { legacyFile, legacyRow } from './samples.ts';

const settings = {
  proves: ['clearing:m-pesa:TZS'],
  format: 'csv',
  mapping: 'mpesa-legacy',
  currency: 'TZS',
  theirs: '123456',
} as const;

describe('reading a statement', () => {
  it('gives what its thread read', async () => {
    const bytes = Buffer.from(legacyFile([legacyRow()]));
    const { statement, sha256, raw } = await readStatement(settings, bytes);
    assert.deepEqual(statement, parseStatement(settings, bytes));
    assert.deepEqual(Buffer.from(sha256), createHash('sha256').update(bytes).digest());
    assert.deepEqual(gunzipSync(raw), bytes);
  });

  it('lets everything else go on meanwhile', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => legacyRow({ receipt: `TEST${n}` }));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const { statement } = await readStatement(settings, Buffer.from(legacyFile(rows)));
    clearInterval(counting);
    assert.equal(statement.lines.length, 20_000);
    // Read in this thread, there would be none.
    assert.ok(turns > 5, `${turns} turns`);
  });

  it('is refused with the sentence of the reader', async () => {
    const wrong = legacyFile([legacyRow({ paidIn: 'much' })]);
    await assert.rejects(readStatement(settings, Buffer.from(wrong)), {
      name: 'StatementRefused',
      message: 'line 8: Paid In "much" is no amount such as 1,100.00: download the file again',
    });
    const many = legacyFile(Array.from({ length: 1_003 }, () => legacyRow({ paidIn: 'much' })));
    await assert.rejects(readStatement(settings, Buffer.from(many)), (error: StatementRefused) => {
      assert.match(error.message, /^1003 lines are wrong: line 8/);
      assert.equal(error.problems.length, 1_001);
      assert.equal(error.problems.at(-1), '3 more lines are wrong');
      return true;
    });
  });

  it('is refused for more than 64 MiB without a look inside', async () => {
    const refused = readStatement(settings, Buffer.alloc(64 * 1024 * 1024 + 1));
    await assert.rejects(
      refused,
      new StatementRefused('the file has more than 64 MiB: download it in parts of fewer days'),
    );
  });
});

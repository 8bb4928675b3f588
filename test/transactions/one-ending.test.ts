import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Decision 4: one file ends transactions. So a final status, its event and its money cannot part. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const ENDING = 'src/transactions/ending/ending.ts';

describe('how transactions end', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true })
    .map((file) => path.posix.join('src', String(file).split(path.sep).join('/')))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
  const migrations = readdirSync(path.join(root, 'migrations')).map((name) => ({
    file: `migrations/${name}`,
    text: readFileSync(path.join(root, 'migrations', name), 'utf8'),
  }));
  const filesWhere = (holds: (text: string) => boolean) =>
    [...sources, ...migrations].filter(({ text }) => holds(text)).map(({ file }) => file);

  it('is written in one file: no other SQL sets the status of a transaction', () => {
    assert.deepEqual(
      filesWhere((text) => statusUpdatesIn(text).length > 0),
      [ENDING],
    );
    const ending = sources.find(({ file }) => file === ENDING);
    assert.equal(
      statusUpdatesIn(ending?.text ?? '').length,
      2,
      'an ending, and the payment that fills a bill',
    );
  });

  for (const step of ['postCollection', 'postBillPayment', 'takeHold', 'releaseHold']) {
    it(`is with its money: no other file calls ${step}`, () => {
      const calls = new RegExp(`(?<!function )\\b${step}\\(`);
      const callers = filesWhere((text) => calls.test(text));
      // `moveMoney` chooses between the two of a hold, which is why it names them without a call.
      const names = new RegExp(`^import \\{[^}]*\\b${step}\\b[^}]*\\} from`, 'm');
      assert.deepEqual(
        callers.filter((file) => file !== ENDING),
        [],
      );
      assert.deepEqual(
        filesWhere((text) => names.test(text)),
        [ENDING],
      );
    });
  }
});

/** What each statement sets that sets `status` of `transactions`. */
function statusUpdatesIn(text: string): string[] {
  const updates =
    /\b(?:UPDATE\s+transactions(?:\s+\w+)?|INSERT\s+INTO\s+transactions\b[^`;]*?DO\s+UPDATE)\s+SET\s+([^`;]*?)(?=\bWHERE\b|\bFROM\b|[`;]|$)/gi;
  return [...text.matchAll(updates)]
    .map((match) => match[1] ?? '')
    .filter((assignments) => /(?<![\w.])status\s*=/i.test(assignments));
}

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pick } from '../support/pick.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
/** The writer of answers, which alone may look into one. */
const WRITER = 'transactions/acceptance/answers.ts';
/** An answer of ours is a `body`, or is in one; what channels say is theirs and is read by its protocol. */
const READS = /JSON\.parse\([^;]*\bbody\b|\bbody\.(includes|match|search|split|indexOf|startsWith)\(/;

function sources(): { name: string; text: string }[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('channels/'))
    .map((name) => ({ name, text: readFileSync(path.join(src, name), 'utf8') }));
}

/** A decision that was read out of words for people would change with the words. */
describe('an answer that is stored under a key', () => {
  it('is read by nobody who decides: its code, its amounts and its control number are columns', () => {
    const readers = sources().filter(({ text }) => text.split('\n').some((line) => READS.test(line)));
    assert.deepEqual(pick(readers, 'name'), [WRITER]);
  });

  it('says its message to two who show it to a person', () => {
    const shown = sources().filter(({ name, text }) => name !== WRITER && text.includes('sentenceIn('));
    assert.deepEqual(shown.map(({ name }) => name).sort(), [
      'api/pay/ask-prompt.ts',
      'operators/api/live-sends.ts',
    ]);
  });
});

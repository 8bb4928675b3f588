import assert from 'node:assert/strict';
import { isPlain, writtenOut } from '../../src/domain/plain-text.ts';

const ESCAPE = '\u001b[2K';
const REVERSED = '\u202e';

describe('plain text', () => {
  it('is one line with nothing hidden in it', () => {
    for (const text of ['', 'Duka la Asha, TZS 5,000', 'Chérie 💚', '"…" (ok)'])
      assert.ok(isPlain(text), text);
    for (const text of [
      ESCAPE,
      REVERSED,
      'a\nb',
      'a\u0000',
      '\u009b2K',
      '\u2029',
      '\u2066',
      '\u200b',
      '\u00ad',
      '\u3164',
      '\u{e0041}',
    ])
      for (const at of [text, `before ${text} after`]) assert.ok(!isPlain(at), JSON.stringify(at));
  });

  it('is what a terminal gets: the rest is written out, and JSON stays what it was', () => {
    assert.equal(writtenOut('a\n\tb'), 'a\n\tb');
    assert.equal(writtenOut(`${ESCAPE}ok${REVERSED}`), '\\u001b[2Kok\\u202e');
    const value = { note: `x${REVERSED}y\u009bz\u{e0041}\n` };
    const written = writtenOut(JSON.stringify(value));
    assert.deepEqual([JSON.parse(written), isPlain(written)], [value, true]);
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { decryptSecret, encryptSecret, keyNameOf } from '../../src/callbacks/secrets.ts';
import { ringOf } from '../support/key-rings.ts';

describe('stored passphrases', () => {
  const key = ringOf();

  it('come back as they were, any Unicode included', () => {
    const passphrase = 'siri yangu ✓ 🔑';
    assert.equal(decryptSecret(key, encryptSecret(key, passphrase, 'key1'), 'key1'), passphrase);
  });

  it('look different each time and never contain the text', () => {
    const first = encryptSecret(key, 'correct horse', 'key1');
    const second = encryptSecret(key, 'correct horse', 'key1');
    assert.notDeepEqual(first, second);
    assert.equal(first.includes('correct horse'), false);
  });

  it('do not open with another key, for another owner, or when any one byte was changed', () => {
    const sealed = encryptSecret(key, 'correct horse', 'key1');
    assert.throws(() => decryptSecret(ringOf(), sealed, 'key1'));
    assert.throws(() => decryptSecret(key, sealed, 'key2'));
    for (let position = 0; position < sealed.length; position += 1) {
      const changed = Buffer.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      assert.throws(() => decryptSecret(key, changed, 'key1'), `byte ${position}`);
    }
    assert.throws(() => decryptSecret(key, sealed.subarray(0, 20), 'key1'), /unknown format/);
  });

  it('may be empty, and are nothing that we know when the end of them is missing', () => {
    const empty = encryptSecret(key, '', 'key1');
    assert.equal(decryptSecret(key, empty, 'key1'), '');
    for (let length = 0; length < empty.length; length += 1)
      assert.throws(
        () => decryptSecret(key, empty.subarray(0, length), 'key1'),
        /unknown format/,
        `${length}`,
      );
  });

  it('say by the name that they carry which key is missing', () => {
    const sealed = encryptSecret(ringOf(randomBytes(32), 'last-year'), 'correct horse', 'key1');
    assert.equal(keyNameOf(sealed), 'last-year');
    assert.throws(() => decryptSecret(key, sealed, 'key1'), /sealed with the key last-year/);
  });

  it('need a key of exactly 32 bytes', () => {
    assert.throws(() => encryptSecret(ringOf(randomBytes(16)), 'x', 'key1'), RangeError);
    assert.throws(() => encryptSecret(ringOf(randomBytes(33)), 'x', 'key1'), RangeError);
  });
});

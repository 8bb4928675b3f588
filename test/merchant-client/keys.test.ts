import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeKey } from '../../clients/typescript/src/index.ts';
import { fingerprintOf, readKeyId } from '../../src/accounts/key-format.ts';
import { nodeArguments } from '../support/node-entry.ts';

const run = promisify(execFile);
const bin = fileURLToPath(new URL('../../clients/typescript/src/bin.ts', import.meta.url));
const client = (...args: string[]) => run(process.execPath, [...nodeArguments(bin), ...args]);
const keysNew = (...args: string[]) => client('keys', 'new', ...args);

describe('a key that the client makes', () => {
  it('is one that the service reads, with the fingerprint that it expects', () => {
    for (let n = 0; n < 200; n += 1) {
      const { key, id, fingerprint } = makeKey({ environment: 'live' });
      assert.equal(id, `sk_live_${readKeyId('sk_live', key)}`);
      assert.equal(fingerprint, fingerprintOf(key));
    }
    const { key } = makeKey({ environment: 'test', id: '4Fq81ZbnR0tx' });
    assert.equal(readKeyId('sk_test', key), '4Fq81ZbnR0tx');
    assert.throws(
      () => makeKey({ environment: 'test', id: 'sk_test_4Fq81ZbnR0tx' }),
      /12 letters and digits/,
    );
  });

  it('goes alone to where it is kept, and what others need stands beside it', async () => {
    const { stdout, stderr } = await keysNew('--test', '--for', 'sk_test_4Fq81ZbnR0tx');
    const key = stdout.trim();
    assert.equal(readKeyId('sk_test', key), '4Fq81ZbnR0tx');
    assert.match(stderr, new RegExp(`sk_test_4Fq81ZbnR0tx:${fingerprintOf(key)}\\n$`));
    await assert.rejects(keysNew('--for', 'x'), /12 letters and digits/);
    await assert.rejects(keysNew('--unknown'), /Unknown option/);
  });

  it('is not made for who asks for help, which says what each command does', async () => {
    for (const asked of [['--help'], ['-h'], ['keys', 'new', '--help'], ['callbacks', 'forward', '--help']]) {
      const { stdout, stderr } = await client(...asked);
      assert.match(stdout, /^malipo-client keys new .*^malipo-client callbacks forward /ms);
      assert.match(stdout, /MALIPO_API_URL and MALIPO_API_KEY/);
      assert.doesNotMatch(stdout, /sk_(test|live)_/);
      assert.equal(stderr, '');
    }
    await assert.rejects(client('keys'), /malipo-client keys new/);
  });
});

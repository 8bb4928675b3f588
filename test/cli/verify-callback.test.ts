import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { createProgram } from '../../src/cli/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const passphrase = 'correct horse battery staple';
const body = '{"event":"ping","event_id":"evt_1"}';

describe('the command callbacks verify', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-verify-'));
    await writeFile(path.join(folder, 'body'), body);
    await writeFile(path.join(folder, 'passphrase'), `${passphrase}\n`);
  });
  after(() => rm(folder, { recursive: true }));

  const headers = (sentAtMs = Date.now()) =>
    Object.entries(signatureHeaders({ eventId: 'evt_1', body, passphrases: [passphrase], sentAtMs })).flatMap(
      ([name, value]) => ['--header', `${name}: ${value}`],
    );

  /** As it is typed, in a folder without any Malipo: it needs none. */
  function verify(args: string[], input = '') {
    const { DATABASE_URL: _, ...environment } = process.env;
    const typed = ['--import', 'tsx', path.join(root, 'src/cli.ts'), 'callbacks', 'verify', ...args];
    const env = { ...environment, DATA_DIR: path.join(folder, 'nothing') };
    return spawnSync(process.execPath, typed, { cwd: root, encoding: 'utf8', input, env });
  }

  it('says that a callback is ours', () => {
    const files = ['--body', path.join(folder, 'body'), '--passphrase-file', path.join(folder, 'passphrase')];
    const { status, stdout, stderr } = verify([...files, ...headers()]);
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.match(
      stdout,
      /Service-Signature matches\.\nwebhook-signature matches\.\nwebhook-timestamp is recent\.\n/,
    );
  });

  it('says why it is not, with a body from standard input and the time it arrived', () => {
    const given = ['--body', '-', '--passphrase', passphrase, '--at', '2026-11-20T08:16:05Z'];
    const { status, stdout, stderr } = verify([...given, ...headers(1_795_162_560_000)], `${body}\n`);
    assert.equal(status, 1);
    assert.match(stdout, /It fits the body without the line break at its end/);
    assert.match(stdout, /webhook-timestamp is recent/);
    assert.match(stderr, /This callback would be refused/);
  });

  it('says what it needs', async () => {
    const given = ['callbacks', 'verify', '--body', path.join(folder, 'body')];
    const wrong: [args: string[], said: RegExp][] = [
      [['--header', 'x: y'], /Give either --passphrase-file or --passphrase/],
      [['--header', 'x: y', '--passphrase', 'x', '--passphrase-file', 'y'], /Give either/],
      [['--header', 'no', '--passphrase', 'x'], /This is no header/],
      [['--header', 'x: y', '--passphrase', 'x', '--at', 'noon'], /This is no time: noon/],
      [['--header', 'x: y', '--passphrase-file', path.join(folder, 'none')], /ENOENT/],
    ];
    for (const [args, message] of wrong) {
      const asksForNothing = () => assert.fail('it asks for no settings');
      const program = createProgram({ asOperator: asksForNothing, onStores: asksForNothing });
      await assert.rejects(program.parseAsync([...given, ...args], { from: 'user' }), { message });
    }
  });
});

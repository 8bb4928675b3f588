import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkReleases } from '../../scripts/releases.ts';

const ours = fileURLToPath(new URL('../../', import.meta.url));

describe('the check of the releases', function () {
  this.timeout(60_000);
  let root: string;
  let reported: string[];
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'malipo-releases-'));
    reported = [];
    git('init', '-q', '-b', 'main');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const git = (...words: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      encoding: 'utf8',
    }).trim();
  const check = () => checkReleases(root, (line) => reported.push(line));
  function write(name: string, content: string): void {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  function commit(): string {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    return git('rev-parse', 'HEAD');
  }

  /** Its tests pass while no migration says "drop", and count as a run of ours does. */
  const tests = `if (require('node:fs').readdirSync('migrations').some((name) => /drop/.test(name))) {
  console.log('3 passed, 1 failed');
  process.exit(1);
}
console.log(process.env.NO_TESTS ? '0 passed, 0 failed' : '4 passed, 0 failed');
`;

  /** Version 0.2.0 with one migration and one history, and the commit that names it. */
  function release(): void {
    write('package.json', JSON.stringify({ version: '0.2.0', scripts: { 'test:quick': 'node tests.cjs' } }));
    write('tests.cjs', tests);
    write('migrations/0001_a.sql', 'SELECT 1;\n');
    write('test/histories/paid.json', '{}\n');
    write('releases.json', '[]\n');
    write('node_modules/.keep', '');
    write('.gitignore', 'node_modules\n');
    const released = commit();
    write('releases.json', JSON.stringify([{ version: '0.2.0', commit: released }]));
    commit();
  }

  it('says that nothing is released, which is true of this repository until it has another version', async () => {
    const { version } = JSON.parse(readFileSync(`${ours}package.json`, 'utf8'));
    const named: { version: string }[] = JSON.parse(readFileSync(`${ours}releases.json`, 'utf8'));
    if (version === '0.1.0') assert.deepEqual(named, []);
    write('package.json', '{"version":"0.1.0"}');
    write('releases.json', '[]');
    commit();
    commit();
    assert.deepEqual(await check(), []);
    assert.deepEqual(reported, ['nothing is released: the version is 0.1.0']);
  });

  it('fails where a version was released and is not named, but not in the commit that sets it', async () => {
    write('package.json', '{"version":"0.1.0"}');
    write('releases.json', '[]');
    commit();
    write('package.json', '{"version":"0.2.0"}');
    assert.deepEqual(await check(), []);
    commit();
    assert.deepEqual(await check(), []);
    commit();
    assert.match(
      (await check()).join(),
      /package\.json says 0\.2\.0, but the last version in releases\.json is 0\.1\.0/,
    );
  });

  it('runs the tests of the last release with the migrations of today', async () => {
    release();
    write('migrations/0002_add.sql', 'SELECT 2;\n');
    assert.deepEqual(await check(), []);
    assert.match(reported.join(), /running the tests of 0\.2\.0 .*4 tests of the last release pass/);
  });

  it('fails where a migration of today breaks the last release', async () => {
    release();
    write('migrations/0002_drop.sql', 'SELECT 2;\n');
    assert.match((await check()).join(), /does not work with these migrations: 3 tests passed, 1 failed/);
  });

  it('fails where the last release runs no test', async () => {
    release();
    process.env.NO_TESTS = 'yes';
    try {
      assert.match((await check()).join(), /0 tests passed, 0 failed/);
    } finally {
      delete process.env.NO_TESTS;
    }
  });

  it('fails where a released migration or history was changed or deleted', async () => {
    release();
    write('migrations/0001_a.sql', 'SELECT 3;\n');
    rmSync(path.join(root, 'test/histories/paid.json'));
    assert.deepEqual(await check(), [
      'migrations/0001_a.sql was released and is frozen: add a file instead',
      'test/histories/paid.json was released and is frozen: add a file instead',
    ]);
  });

  it('fails where the commit of a release is not here, or is another version', async () => {
    release();
    const elsewhere = '0123456789012345678901234567890123456789';
    const initial = git('rev-list', '--max-parents=0', 'HEAD');
    write(
      'releases.json',
      JSON.stringify([
        { version: '0.1.9', commit: initial },
        { version: '0.2.0', commit: elsewhere },
      ]),
    );
    assert.deepEqual(await check(), [
      `0.1.9: its commit ${initial} is version 0.2.0`,
      `0.2.0: this repository has no commit ${elsewhere}`,
    ]);
  });
});

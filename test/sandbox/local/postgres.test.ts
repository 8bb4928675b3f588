// tests: slow
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { preparePostgres, throwAwayPostgresSettings } from '../../../sandbox/local/postgres.ts';

describe('the embedded Postgres', () => {
  it('is set up without a file in the folder that everybody may write to, and leaves no password behind', async function () {
    this.timeout(120_000);
    const base = await mkdtemp(path.join(os.tmpdir(), 'malipo-postgres-'));
    const given = process.env.TMPDIR;
    process.env.TMPDIR = path.join(base, 'nowhere');
    try {
      await preparePostgres({
        folder: path.join(base, 'postgres'),
        port: 1,
        password: 'a password',
        settings: throwAwayPostgresSettings,
      });
    } finally {
      if (given === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = given;
    }
    assert.deepEqual(await readdir(base), ['postgres']);
    await rm(base, { recursive: true });
  });
});

import assert from 'node:assert/strict';
import type { Log } from '../../src/process/log.ts';
import { warnWithoutStandby } from '../../src/process/standby.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('a Postgres without a synchronous standby', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('is named in the log, because a failover would lose payments', async () => {
    const lines: string[] = [];
    const log = { error: (line: string) => lines.push(line) } as unknown as Log;
    await warnWithoutStandby(test.database, log);
    assert.match(lines.join('\n'), /synchronous_standby_names/);
  });
});

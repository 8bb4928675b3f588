import assert from 'node:assert/strict';
import { hasSynchronousStandby } from '../../../src/platform/db/standby.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Database } from '../../support/queryable.ts';

describe('the synchronous standby of Postgres', () => {
  const test = useTestDatabase();

  it('is missing where synchronous_standby_names is empty', async () => {
    assert.equal(await hasSynchronousStandby(test.database), false);
  });

  it('is there where a standby is named', async () => {
    const named = { query: async () => ({ rows: [{ names: 'ANY 1 (replica)' }] }) };
    assert.equal(await hasSynchronousStandby(named as unknown as Database), true);
  });
});

import assert from 'node:assert/strict';
import { noteConnections } from '../../src/operators/actions/channel-changes.ts';
import { asRole, useTestDatabase } from '../support/database.ts';

describe('how connections are configured', () => {
  const test = useTestDatabase();

  it('is in the audit log when it is something else than before, with the names of what changed and why one is in plain', async () => {
    const note = (connections: Record<string, string>) =>
      noteConnections(asRole(test.database, 'api'), {
        connections,
        insecureHttp: { bank: 'leased line 4711' },
        actor: 'api',
      });
    assert.deepEqual(await note({ bank: 'a', selcom: 'b' }), ['bank', 'selcom']);
    assert.deepEqual(await note({ selcom: 'b', bank: 'a' }), [], 'another start');
    assert.deepEqual(await note({ bank: 'c', gsma: 'd' }), ['bank', 'selcom', 'gsma']);
    const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'channels.configured'
      ORDER BY id`;
    assert.equal(rows.length, 2);
    assert.deepEqual(rows[1], {
      actor: 'api',
      detail: {
        changed: ['bank', 'selcom', 'gsma'],
        connections: { bank: 'c', gsma: 'd' },
        insecure_http: { bank: 'leased line 4711' },
      },
    });
  });
});

import assert from 'node:assert/strict';
import { keepSecretUses, namedKeys, secretUses } from '../../src/accounts/secret-uses.ts';
import { noteSecretUse } from '../../src/base/secret-uses.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { keyOf } from '../support/key-rings.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';

describe('when a value of a secret was last used', () => {
  const test = useTestDatabase();
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  const [next, old, another] = [keyOf('next'), keyOf('old'), keyOf('old')];
  const named = [
    ...namedKeys({ SUBMISSION_KEY: [next, old], KEY_HASH_SECRET: [another] }),
    { secret: 'm-pesa callback.token', name: '0a1b2c3d', value: 'a token in an address' },
    { secret: 'halopesa callback.token', name: '0a1b2c3d', value: 'a token in an address' },
  ];
  const keep = (role: 'api' | 'worker') => ends.push(keepSecretUses(asRole(test.database, role), named));
  const noted = async (secret: string, name: string) =>
    until(async () => (await secretUses(test.database))(secret, name), `the note of ${secret} ${name}`);

  it('is written by either process for whoever has that value, and for nothing else', async () => {
    for (const role of ['api', 'worker'] as const) {
      await test.database.query('DELETE FROM secret_uses');
      keep(role);
      // Read from the environment anew: the same bytes, another object.
      noteSecretUse(Uint8Array.from(old.key));
      noteSecretUse('a token in an address');
      noteSecretUse('a text that is no secret of ours');
      await noted('SUBMISSION_KEY', 'old');
      await noted('m-pesa callback.token', '0a1b2c3d');
      await noted('halopesa callback.token', '0a1b2c3d');
      const uses = await secretUses(test.database);
      assert.deepEqual([uses('SUBMISSION_KEY', 'next'), uses('KEY_HASH_SECRET', 'old')], [null, null]);
      for (const end of ends.splice(0)) end();
    }
  });

  it('costs one statement a minute, however often it is used, and moves forward', async () => {
    await test.database.query(
      "INSERT INTO secret_uses VALUES ('KEY_HASH_SECRET', 'old', now() - interval '1 day') ON CONFLICT DO NOTHING",
    );
    const statements: unknown[] = [];
    const counted = new Proxy(test.database, {
      get: (target, name) =>
        name === 'query'
          ? (text: string, values: unknown[]) => statements.push(text) && target.query(text, values)
          : Reflect.get(target, name),
    });
    ends.push(keepSecretUses(counted, named));
    for (let i = 0; i < 1_000; i += 1) noteSecretUse(another.key);
    await until(
      async () =>
        (
          await test.database.query(
            "SELECT FROM secret_uses WHERE secret = 'KEY_HASH_SECRET' AND last_used_at > now() - interval '1 hour'",
          )
        ).rowCount,
      'the note',
    );
    assert.equal(statements.length, 1);
  });

  it('fails no request where it cannot be written', async () => {
    let tried = 0;
    const failing = {
      query: async () => {
        tried += 1;
        throw new Error('away');
      },
    };
    ends.push(keepSecretUses(failing as unknown as Database, named));
    for (const tries of [1, 2]) {
      noteSecretUse(next.key);
      await new Promise(setImmediate);
      assert.equal(tried, tries, 'what was not written is tried again at the next use');
    }
  });

  it('says no value of any secret', async () => {
    const { rows } = await test.database.query('SELECT json_agg(s)::text AS everything FROM secret_uses s');
    for (const text of ['a token in', Buffer.from(old.key).toString('base64')])
      assert.ok(!rows[0].everything.includes(text));
  });
});

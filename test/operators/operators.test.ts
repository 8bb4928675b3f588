import assert from 'node:assert/strict';
import { newKey, newKeyId } from '../../src/accounts/key-format.ts';
import { createLastUsed } from '../../src/accounts/last-used.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { createOperators, disableOperator, revokeToken } from '../../src/operators/people/operators.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { until } from '../support/wait.ts';

describe("operators' tokens", () => {
  const test = useTestDatabase();
  let operators: ReturnType<typeof createOperators>;
  const hashSecrets = ringOf(Buffer.alloc(32, 3));
  before(async () => {
    operators = createOperators({ database: test.database, hashSecrets });
    for (const name of ['asha', 'juma'])
      await operators.create({ name, email: `${name}@example.com`, roles: ['finance'], actor: 'test' });
  });
  const revoke = (tokenId: string) =>
    inTransaction(test.database, (db) => revokeToken(db, { tokenId, actor: 'test', reason: 'a test' }));
  const issue = (operator = 'asha', days = 1) => operators.issueToken({ operator, days, actor: 'test' });

  it('let their owner in with the roles of this moment', async () => {
    const { token, tokenId } = await issue();
    assert.match(token, /^op_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    assert.deepEqual(await operators.authenticate(token), { name: 'asha', roles: ['finance'], tokenId });
    await revoke(tokenId);
  });

  it('are stored as a keyed hash only', async () => {
    const { token, tokenId } = await issue();
    const rows = await test.sql`SELECT (SELECT json_agg(t)
      FROM operator_tokens t)::text || (SELECT json_agg(a) FROM audit_log a)::text AS everything`;
    assert.ok(!rows[0].everything.includes(token.slice(-38)));
    const other = createOperators({ database: test.database, hashSecrets: ringOf(Buffer.alloc(32, 4)) });
    assert.equal(await other.authenticate(token), null);
    await revoke(tokenId);
  });

  it('are refused when malformed, never issued, a merchant’s key, expired or revoked', async () => {
    const { token, tokenId } = await issue();
    for (const wrong of [
      '',
      'op_',
      token.slice(0, -1),
      newKey('op', newKeyId()),
      newKey('op', tokenId),
      newKey('sk_test', tokenId),
    ])
      assert.equal(await operators.authenticate(wrong), null, wrong);
    await test.sql`UPDATE operator_tokens SET expires_at = now() - interval '1 s' WHERE id = ${tokenId}`;
    assert.equal(await operators.authenticate(token), null);
    const revoked = await issue();
    assert.equal(await revoke(revoked.tokenId), true);
    assert.equal(await operators.authenticate(revoked.token), null);
    assert.equal(await revoke(revoked.tokenId), false);
  });

  it('end with the rotation of their owner, all of them; the new one nobody else has seen', async () => {
    const [one, two] = [await issue(), await issue()];
    const caller = await operators.authenticate(one.token);
    assert.ok(caller);
    const actor = { operator: 'asha', address: '192.0.2.1', requestId: 'r' };
    const rotated = await operators.rotateToken({ caller, days: 30, actor });
    assert.equal(await operators.authenticate(one.token), null);
    assert.equal(await operators.authenticate(two.token), null);
    assert.equal((await operators.authenticate(rotated.token))?.name, 'asha');
  });

  it('are replaced by nobody whose own has ended meanwhile: a thief who was noticed, or the same call twice', async () => {
    const stolen = await issue();
    const caller = await operators.authenticate(stolen.token);
    assert.ok(caller);
    await revoke(stolen.tokenId);
    const good = await issue();
    await assert.rejects(operators.rotateToken({ caller, days: 30, actor: 'test' }), /has ended/);
    const owner = await operators.authenticate(good.token);
    assert.ok(owner, 'what its owner has goes on');
    const rotations = await Promise.allSettled(
      [1, 2].map(() => operators.rotateToken({ caller: owner, days: 30, actor: 'test' })),
    );
    assert.equal(rotations.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('are five at most, also when many are issued at the same moment', async () => {
    await test.database.query("UPDATE operator_tokens SET revoked_at = now() WHERE operator = 'juma'");
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => issue('juma')));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5);
    await assert.rejects(issue('juma'), GatewayError);
  });

  it('end with their owner, for good', async () => {
    await operators.create({ name: 'neema', email: 'n@example.com', roles: ['admin'], actor: 'test' });
    const { token } = await issue('neema');
    const actor = { operator: 'asha', address: '192.0.2.1', requestId: 'r' };
    const asked = { name: 'neema', actor, reason: 'left' };
    assert.equal(await inTransaction(test.database, (db) => disableOperator(db, asked)), true);
    assert.equal(await operators.authenticate(token), null);
    await assert.rejects(issue('neema'), /no operator neema/);
    const again = { name: 'neema', email: 'other@example.com', roles: [], actor: 'test' };
    await assert.rejects(operators.create(again), /already/, 'a name is never used again');
  });

  it('note when they were last used', async () => {
    const { token, tokenId } = await issue();
    await operators.authenticate(token);
    await until(
      async () =>
        (await operators.list()).flatMap(({ tokens }) => tokens).find(({ id }) => id === tokenId)?.lastUsedAt,
      'the note',
    );
  });
});

describe('when something was last used', () => {
  it('is written once a minute for each, and again at once when it failed', async () => {
    const written: string[] = [];
    let now = 0;
    let works = true;
    const note = createLastUsed(
      async (id) => {
        if (!works) throw new Error('no database');
        written.push(id);
      },
      () => now,
    );
    for (const id of ['a', 'a', 'b']) note(id);
    now = 59_999;
    note('a');
    assert.deepEqual(written, ['a', 'b']);
    now = 60_000;
    note('a');
    assert.deepEqual(written, ['a', 'b', 'a']);
    works = false;
    note('c');
    await new Promise(setImmediate);
    works = true;
    note('c');
    assert.deepEqual(written, ['a', 'b', 'a', 'c']);
  });
});

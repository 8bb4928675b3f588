import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ensureServiceAccounts } from '../../../src/ledger/accounts.ts';
import { calls } from '../../../src/operators/api/calls.ts';
import { operatorOpenApiText } from '../../../src/operators/api/openapi.ts';
import { actions } from '../../support/actions.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

const none = '00000000-0000-4000-8000-000000000000';

describe('the operator API', () => {
  const logged: string[] = [];
  const { test, desk } = useOperatorDesk({ destination: { write: (line) => void logged.push(line) } });
  before(() => ensureServiceAccounts(test.database, ['m-pesa'], 'TZS'));

  const lastLine = async (action: string) =>
    (await test.sql`SELECT * FROM audit_log WHERE action = ${action} ORDER BY id DESC LIMIT 1`)[0];

  it('is described where it is served, without a token, and in the committed file', async () => {
    const { status, body } = await desk.call(null, 'GET', 'openapi.json');
    assert.equal(status, 200);
    assert.deepEqual(
      Object.keys(body.paths).length,
      new Set(Object.values(calls).map(({ paths: [path] }) => path)).size,
    );
    const committed = readFileSync(new URL('../../../operator-openapi.json', import.meta.url), 'utf8');
    assert.equal(operatorOpenApiText(calls, actions), committed, 'run npm run openapi');
    assert.deepEqual(body, JSON.parse(committed));
  });

  it('answers in one form, errors too, with a request id that the audit log and the log line have', async () => {
    const done = await desk.call('asha', 'GET', 'me', undefined, { 'x-request-id': 'ticket-7' });
    assert.deepEqual([done.status, done.headers.get('x-request-id')], [200, 'ticket-7']);
    assert.equal(done.headers.get('cache-control'), 'no-store');
    assert.equal((await lastLine('call.whoAmI')).request_id, 'ticket-7');
    const line = logged.map((text) => JSON.parse(text)).find(({ request_id }) => request_id === 'ticket-7');
    assert.equal(line.key_id, desk.tokens.asha?.split('_')[1]);
    assert.equal(line.address, '127.0.0.1');
    assert.ok(!logged.join('').includes(desk.tokens.asha?.slice(-20) ?? '?'));
    const refused = await desk.call('asha', 'GET', `accounts/${none}`);
    assert.deepEqual(
      Object.keys(refused.body).sort(),
      'code docs message request_id retryable success'.split(' '),
    );
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
  });

  it('refuses other methods, other paths, and members and parameters that it does not know', async () => {
    const wrong = await desk.call('asha', 'PUT', 'accounts', { name: 'x' });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, POST']);
    assert.equal((await desk.call('asha', 'GET', 'nothing')).status, 404);
    const misspelt = await desk.call('asha', 'POST', 'accounts', { name: 'x', colour: 1 });
    assert.deepEqual(
      [misspelt.status, misspelt.body.errors],
      [422, [{ field: 'colour', message: 'is an unknown field' }]],
    );
    assert.equal((await desk.call('asha', 'GET', 'accounts?pages=2')).status, 422);
    assert.equal((await desk.call('asha', 'GET', 'accounts?page=0')).status, 422);
    assert.equal((await desk.call('asha', 'POST', 'accounts', '{')).body.code, 'invalid_json');
    assert.equal(
      (await desk.call('asha', 'POST', 'accounts', {}, { 'content-type': 'text/plain' })).status,
      415,
    );
    const large = JSON.stringify({ name: 'x'.repeat(70_000) });
    assert.equal((await desk.call('asha', 'POST', 'accounts', large)).status, 413);
  });

  it('does not answer what it could not write down', async () => {
    await test.sql`CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$;
      CREATE TRIGGER no_audit BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION no_audit()`;
    try {
      const { status, body } = await desk.call('asha', 'GET', 'operators');
      assert.deepEqual([status, body.data], [500, undefined]);
      assert.equal((await desk.call('asha', 'POST', 'accounts', { name: 'unseen' })).status, 500);
    } finally {
      await test.database.query('DROP TRIGGER no_audit ON audit_log; DROP FUNCTION no_audit');
    }
    const { rows } = await test.database.query("SELECT 1 FROM accounts WHERE name = 'unseen'");
    assert.equal(rows.length, 0, 'a change without its line does not happen');
  });
});

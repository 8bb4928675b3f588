import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createProgram } from '../../../src/app/cli/program.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createRuns } from '../../../src/operators/cli/context.ts';
import { useTestDatabase } from '../../support/database.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

const secret = () => randomBytes(32).toString('base64');

describe('operators and the audit log on the command line', () => {
  const { test, desk } = useOperatorDesk();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-audit-'));
  });
  after(() => rm(folder, { recursive: true }));
  const run = (...args: string[]) => desk.cli('asha', ...args);

  it('gives a person another token of his own, which ends the one before', async () => {
    const [own = ''] = await desk.cli('only-support', 'operators', 'rotate');
    await assert.rejects(desk.cli('only-support', 'accounts', 'list'), /Send a valid operator token/);
    desk.tokens['only-support'] = own;
    await desk.cli('only-support', 'accounts', 'list');
  });

  it('uses the token of the operator who is named', async () => {
    const proposed = await run('operators', 'roles', 'juma', 'admin', '--reason', 'less');
    const [, id = ''] = /approve (\S+)/.exec(proposed.at(-1) ?? '') ?? [];
    await run('--operator', 'juma', 'proposals', 'reject', id, '--reason', 'no');
    assert.match((await run('proposals', 'show', id)).join('\n'), /^Decided by +juma$/m);
  });

  it('verifies and exports the chain; an export can be checked without any Malipo', async () => {
    // Who types this changes what a terminal shows, never the bytes of an export.
    for (const typed of ['right-to-left\u202e', 'two\u2028lines'])
      await assert.rejects(run('proposals', 'show', typed), /There is no proposal/);
    const [said = ''] = await run('audit', 'verify');
    const [, end = ''] = /the end is (\d+:[0-9a-f]{64})$/.exec(said) ?? [];
    const exported = await run('audit', 'export');
    const file = path.join(folder, 'audit.txt');
    await writeFile(file, `${exported.join('\n')}\n`);
    const printed: string[] = [];
    const checkFile = async (...args: string[]) => {
      const asksForNothing = () => assert.fail('it asks for no settings');
      const program = await createProgram({ asOperator: asksForNothing, onStores: asksForNothing });
      const audit = program.commands.find((command) => command.name() === 'audit');
      audit?.configureOutput({ writeOut: (text) => printed.push(text) });
      await program.parseAsync(['audit', 'verify', '--file', file, ...args], { from: 'user' });
    };
    await checkFile('--seen', end);
    assert.match(printed[0] ?? '', new RegExp(`^${exported.length} lines`));
    await assert.rejects(checkFile('--seen', '1:zz'), /--seen must be an end as verify prints it/);
    await assert.rejects(checkFile('--seen', `1:${'0'.repeat(64)}`), /the log was rewritten/);
    await writeFile(file, exported.join('\n').replace('operators.create', 'operators.credit'));
    await assert.rejects(checkFile(), /The audit log was changed: line \d+ is not what was written/);
    await writeFile(file, 'nothing of the kind');
    await assert.rejects(checkFile(), /is not an export/);
  });

  it('says so when a line was changed in the database', async () => {
    await test.database.query(`ALTER TABLE audit_log DISABLE TRIGGER USER;
      UPDATE audit_log SET actor = 'nobody' WHERE id = 2; ALTER TABLE audit_log ENABLE TRIGGER USER`);
    await assert.rejects(run('audit', 'verify'), /The audit log was changed: line 2 is not what was written/);
  });

  it('says in a sentence that there is no operator API, or no token', async () => {
    const program = (url: string, token: string) =>
      createProgram(
        createRuns({
          access: async () => ({ url, token }),
          config: () => Promise.reject(new Error('no store')),
          print: () => {},
        }),
      );
    const list = ['accounts', 'list'];
    await assert.rejects(
      (await program('http://127.0.0.1:9', 'x')).parseAsync(list, { from: 'user' }),
      /The operator API at http:\/\/127\.0\.0\.1:9 does not answer/,
    );
    await assert.rejects(
      (await program(desk.url, 'x')).parseAsync(list, { from: 'user' }),
      /Send a valid operator token/,
    );
  });

  describe('the first operators', () => {
    const empty = useTestDatabase();
    const submissionKey = secret();
    async function onStores(...args: string[]): Promise<string[]> {
      const lines: string[] = [];
      const config = loadConfig({
        MALIPO_ENV: 'development',
        DATABASE_URL: empty.url,
        KEY_HASH_SECRET: secret(),
        ENCRYPTION_KEY: secret(),
        NOTIFICATION_SECRET: secret(),
        PAGE_KEY: secret(),
        SUBMISSION_KEY: submissionKey,
      });
      const runs = createRuns({
        access: () => Promise.reject(new Error('no operator API')),
        config: async () => config,
        print: (line) => lines.push(line),
      });
      await (await createProgram(runs)).parseAsync(args, { from: 'user' });
      return lines;
    }
    const create = (name: string, ...more: string[]) =>
      onStores('operators', 'create', name, '--email', `${name}@example.com`, '--first', ...more);

    it('are two admins, made in the database itself; a third one is theirs to add', async () => {
      await assert.rejects(create('asha', '--roles', 'finance'), /and include admin/);
      assert.match((await create('asha'))[0] ?? '', /^op_/);
      assert.match((await create('juma', '--roles', 'admin,finance'))[0] ?? '', /^op_/);
      await assert.rejects(create('neema'), /2 admins can sign in already/);
      await assert.rejects(onStores('operators', 'first-token', 'juma'), /2 admins can sign in already/);
      const { rows } = await empty.database.query('SELECT name, roles FROM operators ORDER BY name');
      assert.deepEqual(
        rows.map(({ name, roles }) => `${name} ${roles}`),
        ['asha admin,finance,support', 'juma admin,finance'],
      );
    });

    it('get another token from there when one of them has lost it', async () => {
      await empty.database.query("UPDATE operator_tokens SET revoked_at = now() WHERE operator = 'juma'");
      await empty.database.query(
        "INSERT INTO operators (name, email, roles) VALUES ('neema', 'neema@example.com', '{support}')",
      );
      await assert.rejects(onStores('operators', 'first-token', 'neema'), /neema is not an admin/);
      assert.match((await onStores('operators', 'first-token', 'juma'))[0] ?? '', /^op_/);
      await assert.rejects(onStores('operators', 'first-token', 'juma'), /2 admins can sign in already/);
    });

    it('are made on a database that is up to date', async () => {
      assert.deepEqual(await onStores('migrate'), ['nothing to apply']);
    });
  });
});

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { createKeys } from '../../src/accounts/keys.ts';
import { createRun } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import { keyRing } from '../../src/config/fields.ts';
import { loadConfig } from '../../src/config.ts';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { production } from '../support/production.ts';

const secret = () => randomBytes(32).toString('base64');

describe('the command line', () => {
  let test: TestDatabase;
  let account: string;
  let environment: Record<string, string>;
  before(async () => {
    test = await createTestDatabase();
    await ensureServiceAccounts(test.database, ['m-pesa'], 'TZS');
    environment = {
      MALIPO_ENV: 'development',
      DATABASE_URL: test.urlOf('api'),
      MIGRATION_DATABASE_URL: test.url,
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      SUBMISSION_KEY: secret(),
    };
    [account = ''] = await run('accounts', 'create', 'Duka la Asha');
  });
  after(() => test.drop());

  async function run(...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const program = createProgram(
      createRun({ config: async () => loadConfig(environment), print: (line) => lines.push(line) }),
    );
    await program.parseAsync(args, { from: 'user' });
    return lines;
  }
  async function audits(action: string, subject: string): Promise<number> {
    const { rows } = await test.database.query(
      "SELECT count(*) AS n FROM audit_log WHERE action = $1 AND subject = $2 AND actor LIKE 'cli:%'",
      [action, subject],
    );
    return rows[0].n;
  }

  it('opens an account, lists it and shows its empty balance', async () => {
    assert.ok((await run('accounts', 'list')).some((line) => line.includes(`${account} `)));
    const shown = await run('accounts', 'show', account);
    assert.match(shown[0] ?? '', /Duka la Asha/);
    assert.equal(shown[1], 'available 0.00 TZS, held 0.00 TZS');
    assert.equal(await audits('accounts.create', account), 1);
  });

  it('posts a top-up once per reference', async () => {
    const topUp = ['accounts', 'top-up', account, '50,000.50', '--reference', 'bank-line-7'];
    assert.deepEqual(await run(...topUp), [
      'top-up of 50,000.50 TZS is posted',
      'available 50,000.50 TZS, held 0.00 TZS',
    ]);
    assert.deepEqual(await run(...topUp), [
      'bank-line-7 was posted before: nothing moved',
      'available 50,000.50 TZS, held 0.00 TZS',
    ]);
    const shouted = [...topUp.slice(0, 2), account.toUpperCase(), ...topUp.slice(3)];
    assert.equal((await run(...shouted))[0], 'bank-line-7 was posted before: nothing moved');
    assert.equal(await audits('accounts.top-up', account), 1);
  });

  it('sets limits, keeps those that are not named, and says what it weakens', async () => {
    const set = ['limits', 'set', account];
    await run(...set, '--payout-max', '50,000', '--new-recipient-cooloff-s', '3600');
    const lines = await run(...set, '--payout-max', '60000');
    assert.equal(lines[0], 'this weakens payout_max');
    const shown = await run('limits', 'show', account);
    assert.deepEqual(lines.slice(1), shown);
    assert.match(
      shown.join('\n'),
      /payout_max +60,000\.00 TZS\n(.+none\n){3}new_recipient_cooloff_s +3600 s/,
    );
    await run(...set, '--payout-max', 'none', '--new-recipient-cooloff-s', 'none');
    assert.ok((await run('limits', 'show', account)).every((line) => line.endsWith(' none')));
    assert.equal(await audits('limits.set', account), 4, 'the first is the opening of the account');
    await assert.rejects(run(...set), /Name a limit/);
    await assert.rejects(run(...set, '--payouts-per-day', 'many'), /many is no value for payouts_per_day/);
    await assert.rejects(run(...set, '--duplicate-window-s', '999999999'), /1 to 604800/);
    await assert.rejects(run(...set, '--key', 'other', '--payout-max', '1'), /has no key other/);
  });

  it('opens production accounts with the guards of the configuration', async () => {
    const before = environment;
    const { DATABASE_URL = '', MIGRATION_DATABASE_URL = '' } = environment;
    environment = production({
      DATABASE_URL,
      MIGRATION_DATABASE_URL,
      DATABASE_PLAINTEXT: 'allowed',
      LIMIT_PAYOUTS_PER_DAY: '7',
    });
    try {
      const [made = ''] = await run('accounts', 'create', 'Duka la Juma');
      const shown = (await run('limits', 'show', made)).join('\n');
      assert.match(
        shown,
        /payout_daily_max +50,000,000\.00 TZS\npayouts_per_day +7\nrecipient_daily_max +5,000,000\.00 TZS/,
      );
      assert.match(shown, /duplicate_window_s +60 s/);
    } finally {
      environment = before;
    }
  });

  it('recovers as nobody but the owner of the tables', async () => {
    const before = { ...environment };
    delete environment.MIGRATION_DATABASE_URL;
    try {
      await assert.rejects(run('recover', '--dry-run'), /Set MIGRATION_DATABASE_URL: only the owner/);
    } finally {
      environment = before;
    }
  });

  it('checks the books, and names what is wrong with them', async () => {
    assert.deepEqual(await run('ledger', 'check'), ['the books are right']);
    const spoiled = await createTestDatabase();
    environment.DATABASE_URL = spoiled.urlOf('api');
    try {
      const [merchant = ''] = await run('accounts', 'create', 'Duka');
      await spoiled.database.query('ALTER TABLE ledger_accounts DISABLE TRIGGER ledger_accounts_earned');
      await spoiled.database.query("UPDATE ledger_accounts SET balance = 7 WHERE kind = 'available'");
      await assert.rejects(run('ledger', 'check'), (error: Error) => error.message.includes(merchant));
    } finally {
      environment.DATABASE_URL = test.urlOf('api');
      await spoiled.drop();
    }
  });

  it('shows every account of the service with its meaning, and they sum to nothing', async () => {
    const lines = await run('ledger', 'balances');
    const shown = lines.map((line) => line.trim().split(/\s{2,}/));
    assert.deepEqual(
      shown.map(([name, amount]) => [name, amount]),
      [
        ['available', '50,000.50 TZS'],
        ['held', '0.00 TZS'],
        ['clearing m-pesa', '0.00 TZS'],
        ['fees', '0.00 TZS'],
        ['suspense', '0.00 TZS'],
        ['settlement', '-50,000.50 TZS'],
      ],
    );
    assert.ok(shown.every(([, , meaning = '']) => meaning.length > 10));
  });

  it('withdraws what is there and refuses more', async () => {
    await run('accounts', 'withdraw', account, '50000', '--reference', 'out-1');
    await assert.rejects(
      run('accounts', 'withdraw', account, '0.51', '--reference', 'out-2'),
      /less than 0\.51 TZS: nothing moved/,
    );
    assert.equal((await run('accounts', 'show', account))[1], 'available 0.50 TZS, held 0.00 TZS');
    assert.equal(await audits('accounts.withdraw', account), 1);
  });

  it('refuses amounts and accounts that are none', async () => {
    for (const amount of ['0', '1.005', 'ten', '1e3', '50000,50', '5,00', ',500', '1,000,00'])
      await assert.rejects(run('accounts', 'top-up', account, amount, '--reference', 'x'), /is no amount/);
    await assert.rejects(
      run('accounts', 'top-up', randomUUID(), '5', '--reference', 'x'),
      /There is no account/,
    );
  });

  it('makes, rotates and revokes a key, each audited', async () => {
    const keys = createKeys({
      database: test.database,
      hashSecrets: keyRing.parse(environment.KEY_HASH_SECRET),
      environment: 'test',
    });
    const [apiKey = ''] = await run(
      'keys',
      'create',
      account,
      '--label',
      'till',
      '--scopes',
      'payments:read',
    );
    const keyId = (await keys.authenticate(apiKey, '127.0.0.1'))?.keyId ?? '';
    const [second = ''] = await run('keys', 'rotate', keyId);
    assert.notEqual(second, apiKey);
    assert.ok(await keys.authenticate(apiKey, '127.0.0.1'));
    assert.ok(await keys.authenticate(second, '127.0.0.1'));
    assert.match((await run('keys', 'list', account))[0] ?? '', /2 live.*payments:read {2}till/);
    await run('keys', 'revoke', keyId);
    assert.equal(await keys.authenticate(second, '127.0.0.1'), null);
    await assert.rejects(run('keys', 'revoke', keyId), /no live key/);
    for (const action of ['keys.create', 'keys.rotate', 'keys.revoke'])
      assert.equal(await audits(action, keyId), 1, action);
  });

  it('says so when there is no such account, whatever was typed', async () => {
    for (const none of [randomUUID(), 'duka']) {
      const asked = [
        ['keys', 'create', none],
        ['keys', 'list', none],
        ['callbacks', 'resend', none, '--from', '2026-01-01'],
      ];
      for (const command of asked)
        await assert.rejects(run(...command), new RegExp(`There is no account ${none}`), command.join(' '));
    }
  });

  it('makes no key that has expired already', async () => {
    await assert.rejects(
      run('keys', 'create', account, '--expires', '2020-01-01T00:00:00Z'),
      /lies in the past/,
    );
  });

  it('sets where callbacks go and what signs them', async () => {
    await run('keys', 'create', account);
    const keyId = (await run('keys', 'list', account)).at(-1)?.split(' ')[0] ?? '';
    assert.deepEqual(
      await run(
        'callbacks',
        'set',
        keyId,
        '--url',
        'http://127.0.0.1:9/hook',
        '--passphrase',
        'a secret of the shop, long enough',
      ),
      ['callbacks go to http://127.0.0.1:9/hook, signed'],
    );
    assert.deepEqual(await run('callbacks', 'set', keyId, '--passphrase', 'none'), [
      'callbacks go to http://127.0.0.1:9/hook, not signed',
    ]);
    assert.deepEqual(await run('callbacks', 'set', keyId, '--url', 'none'), [
      'callbacks go to nowhere, not signed',
    ]);
    await assert.rejects(run('callbacks', 'set', keyId, '--url', 'ftp://x'), /callback_url/);
    assert.equal(await audits('callbacks.settings', keyId), 3);
  });

  it('applies nothing to a database that is up to date', async () => {
    assert.deepEqual(await run('migrate'), ['nothing to apply']);
  });

  it('says so when there is no such transaction', async () => {
    await assert.rejects(run('attention', 'show', randomUUID()), /There is no transaction/);
    assert.deepEqual(await run('attention', 'list'), []);
  });
});

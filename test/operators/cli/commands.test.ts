import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { defaultLimitsOf } from '../../../src/accounts/limits.ts';
import { createProgram } from '../../../src/app/cli/program.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { ensureServiceAccounts } from '../../../src/ledger/accounts.ts';
import { createRuns } from '../../../src/operators/cli/context.ts';
import { createTestDatabase } from '../../support/database.ts';
import { openOperatorDesk, useOperatorDesk } from '../../support/operator-desk.ts';

describe('the command line', () => {
  const { test, desk } = useOperatorDesk();
  let account: string;
  before(async () => {
    await ensureServiceAccounts(test.database, ['m-pesa'], 'TZS');
    [account = ''] = await run('accounts', 'create', 'Duka la Asha');
  });

  const run = (...args: string[]) => desk.cli('asha', ...args);
  const available = async () => (await run('accounts', 'show', account))[1]?.replace(/^Available +/, '');

  it('opens an account, lists it and shows its empty balance', async () => {
    assert.ok((await run('accounts', 'list')).some((line) => line.includes(`${account} `)));
    assert.deepEqual((await run('accounts', 'show', account)).slice(0, 3), [
      'Merchant                Duka la Asha',
      'Available               0.00 TZS',
      'Held for payouts        0.00 TZS',
    ]);
    assert.equal(await desk.auditsOf('accounts.create', account), 1);
  });

  it('posts a top-up that another operator approves, once per reference', async () => {
    const topUp = ['accounts', 'top-up', account, '50,000.50', '--reference', 'bank-line-7'];
    assert.deepEqual(await desk.agree(...topUp), ['top-up of 50,000.50 TZS is posted']);
    const shouted = [...topUp.slice(0, 2), account.toUpperCase(), ...topUp.slice(3)];
    for (const again of [topUp, shouted])
      await assert.rejects(
        desk.agree(...again),
        /bank reference bank-line-7 was posted before: nothing moved/,
      );
    assert.equal(await available(), '50,000.50 TZS');
    assert.equal(await desk.auditsOf('accounts.top-up', account), 1);
  });

  it('takes yes or no where there are no more answers, and its help says so', async () => {
    const program = await createProgram({ asOperator: async () => {}, onStores: async () => {} });
    const accounts = program.commands.find((command) => command.name() === 'accounts');
    const batches = accounts?.commands.find((command) => command.name() === 'batches');
    assert.match(batches?.helpInformation() ?? '', /choices:\s+"yes", "no"/);
    const typed = ['accounts', 'batches', account, 'false', '--reason', 'r'];
    batches?.exitOverride().configureOutput({ writeErr: () => {} });
    await assert.rejects(program.parseAsync(typed, { from: 'user' }), /Allowed choices are yes, no/);
  });

  it('lists who did what, newest first, and only what is asked for', async () => {
    const lines = await run('audit', 'list', '--action', 'accounts.', '--subject', account);
    assert.match(lines.at(-1) ?? '', /operator:asha {2}accounts\.create/);
    assert.deepEqual(await run('audit', 'list', '--actor', 'nobody'), []);
  });

  it('shows and lists what is proposed, and rejects it', async () => {
    const topUp = ['accounts', 'top-up', account, '5', '--reference', 'x', '--note', 'by mistake'];
    const proposed = await run(...topUp);
    assert.match(
      proposed[0] ?? '',
      new RegExp(
        `^proposed: Credit Duka la Asha \\(${account}\\) with 5\\.00 TZS \\(bank reference x\\): by mistake$`,
      ),
    );
    const id = /approve (\S+)/.exec(proposed[1] ?? '')?.[1] ?? '';
    const shown = await run('proposals', 'show', id);
    assert.match(shown.join('\n'), /^Why +by mistake$/m);
    assert.match(shown.join('\n'), /^ {2}available balance +50,000\.50 TZS +50,005\.50 TZS$/m);
    assert.ok((await run('proposals', 'list', '--state', 'proposed')).some((line) => line.startsWith(id)));
    await assert.rejects(
      desk.cli('juma', 'proposals', 'approve', id, '--hash', 'feedfeedfeed'),
      /not the hash/,
    );
    assert.deepEqual(await run('proposals', 'reject', id, '--reason', 'typed twice'), [`${id} is rejected`]);
    const after = (await run('proposals', 'show', id)).join('\n');
    assert.match(after, /^State +rejected$(.|\n)*^Decided by +asha$(.|\n)*^Result +typed twice$/m);
  });

  it('sets limits and keeps those that are not named', async () => {
    const set = ['limits', 'set', account, '--reason', 'r'];
    await run(...set, '--payout-max', '50,000', '--new-recipient-cooloff-s', '3600');
    assert.deepEqual(await run(...set, '--payout-max', '40000'), ['the limits are set; none is weaker']);
    assert.match(
      (await run('limits', 'show', account)).join('\n'),
      /^One payout is at most +40,000\.00 TZS\n(.+no limit\n){3}New recipients .+ 1 hour$/m,
    );
    assert.equal(await desk.auditsOf('limits.set', account), 3, 'the first is the opening of the account');
    await assert.rejects(run(...set), /limits is required/);
    await assert.rejects(run(...set, '--payouts-per-day', 'many'), /payouts_per_day must be a whole number/);
    await assert.rejects(run(...set, '--duplicate-window-s', '999999999'), /1 to 604800/);
    await assert.rejects(run(...set, '--key', 'other', '--payout-max', '1'), /has no key other/);
  });

  it('opens accounts with the limits of the configuration', async () => {
    const settings = { MALIPO_ENV: 'production', LIMIT_PAYOUTS_PER_DAY: 7 } as const;
    const other = await createTestDatabase();
    const production = await openOperatorDesk(other.database, {
      newAccountLimits: defaultLimitsOf(settings),
    });
    try {
      const [made = ''] = await production.cli('asha', 'accounts', 'create', 'Duka la Juma');
      const shown = (await production.cli('asha', 'limits', 'show', made)).join('\n');
      assert.match(
        shown,
        /All payouts of .+ 50,000,000\.00 TZS\nPayouts of a day +7\nOne recipient .+ 5,000,000\.00 TZS/,
      );
      assert.match(shown, /refused for +1 minute/);
    } finally {
      await production.stop();
      await other.drop();
    }
  });

  it('recovers as nobody but the owner of the tables', async () => {
    const secret = () => randomBytes(32).toString('base64');
    const environment = {
      MALIPO_ENV: 'development',
      DATABASE_URL: test.urlOf('api'),
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      PAGE_KEY: secret(),
      SUBMISSION_KEY: secret(),
    };
    const program = await createProgram(
      createRuns({
        access: () => Promise.reject(new Error('this command calls no API')),
        config: async () => loadConfig(environment),
        print: () => {},
      }),
    );
    await assert.rejects(
      program.parseAsync(['recover', '--dry-run'], { from: 'user' }),
      /Set MIGRATION_DATABASE_URL: only the owner/,
    );
  });

  it('checks the books, and names what is wrong with them', async () => {
    assert.equal((await run('ledger', 'check'))[0], 'the books are right');
    assert.match((await run('ledger', 'check')).join(), /^the books are right,0 new entries were checked$/);
    assert.match(
      (await run('ledger', 'check', '--full')).join(),
      /^the books are right,all \d+ entries were checked$/,
    );
    const spoiled = await createTestDatabase();
    const other = await openOperatorDesk(spoiled.database);
    try {
      const [merchant = ''] = await other.cli('asha', 'accounts', 'create', 'Duka');
      await spoiled.database.query('ALTER TABLE ledger_accounts DISABLE TRIGGER ledger_accounts_earned');
      await spoiled.database.query("UPDATE ledger_accounts SET balance = 7 WHERE kind = 'available'");
      await assert.rejects(other.cli('asha', 'ledger', 'check'), (error: Error) =>
        error.message.includes(merchant),
      );
    } finally {
      await other.stop();
      await spoiled.drop();
    }
  });

  it('shows every account of the service with its meaning, and they sum to nothing', async () => {
    const lines = await run('ledger', 'balances');
    const [, ...shown] = lines.map((line) => line.trim().split(/\s{2,}/));
    assert.deepEqual(
      shown.map(([name, network, amount]) => [network === '-' ? name : `${name} ${network}`, amount]),
      [
        ['available', '50,000.50 TZS'],
        ['held', '0.00 TZS'],
        ['clearing m-pesa', '0.00 TZS'],
        ['fees', '0.00 TZS'],
        ['suspense', '0.00 TZS'],
        ['payable', '0.00 TZS'],
        ['settlement', '-50,000.50 TZS'],
        ['gains', '0.00 TZS'],
        ['losses', '0.00 TZS'],
        ['charges', '0.00 TZS'],
        ['own', '0.00 TZS'],
      ],
    );
    assert.ok(shown.every(([, , , meaning = '']) => meaning.length > 10));
  });

  it('withdraws what is there and refuses more, when it is proposed and when it is approved', async () => {
    const withdraw = (amount: string, reference: string) =>
      run('accounts', 'withdraw', account, amount, '--reference', reference);
    await assert.rejects(withdraw('50000.51', 'out-1'), /less than 50,000\.51 TZS: nothing moved/);
    const [first, second] = [await withdraw('50000', 'out-2'), await withdraw('0.51', 'out-3')];
    assert.deepEqual(await desk.approve('juma', first), ['withdrawal of 50,000.00 TZS is posted']);
    await assert.rejects(desk.approve('juma', second), /it failed: The account has less than 0\.51 TZS/);
    assert.equal(await available(), '0.50 TZS');
    assert.equal(await desk.auditsOf('accounts.withdraw', account), 1);
  });

  it('refuses amounts and accounts that are none', async () => {
    for (const amount of ['0', '1.005', 'ten', '1e3', '50000,50', '5,00', ',500', '1,000,00'])
      await assert.rejects(
        run('accounts', 'top-up', account, amount, '--reference', 'x'),
        /must be (an amount in TZS|above zero)/,
      );
    await assert.rejects(
      run('accounts', 'top-up', randomUUID(), '5', '--reference', 'x'),
      /There is no account/,
    );
  });

  it('says so when there is no such account or transaction, whatever was typed', async () => {
    await assert.rejects(run('callbacks', 'resend', 'duka', '--event', 'evt_1'), /There is no account duka/);
    await assert.rejects(run('attention', 'show', randomUUID()), /There is no transaction/);
    assert.deepEqual(await run('attention', 'list'), ['The list is empty: no person is needed.']);
  });
});

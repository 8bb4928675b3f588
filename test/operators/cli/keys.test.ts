import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fingerprintOf, makeKey, readKeyId } from '../../../src/accounts/key-format.ts';
import { createProgram } from '../../../src/app/cli/program.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

describe('the command line for keys', () => {
  const { desk } = useOperatorDesk();
  let account: string;
  before(async () => {
    [account = ''] = await run('accounts', 'create', 'Duka la Asha');
  });

  const run = (...args: string[]) => desk.cli('asha', ...args);
  /** What `keys new` prints beside this key. */
  const printedOf = ({ id, fingerprint }: ReturnType<typeof makeKey>) => `sk_test_${id}:${fingerprint}`;

  it('lets a key in, rotates and revokes it, each audited', async () => {
    const { keys } = desk;
    const first = makeKey('sk_test');
    const create = ['keys', 'create', account, printedOf(first), '--label', 'till'];
    const proposed = await run(...create, '--scopes', 'payments:read', '--reason', 'new till');
    assert.equal(await keys.authenticate(first.text, '127.0.0.1'), null);
    const opens = new RegExp(`^sk_test_${first.id} is active for account ${account}$`);
    assert.match((await desk.approve('juma', proposed))[0] ?? '', opens);
    const second = makeKey('sk_test', first.id);
    await desk.approve('juma', await run('keys', 'rotate', printedOf(second), '--reason', 'a year'));
    assert.ok(await keys.authenticate(first.text, '127.0.0.1'));
    assert.ok(await keys.authenticate(second.text, '127.0.0.1'));
    assert.match((await run('keys', 'list', account))[1] ?? '', /till .* payments:read .* in_use +2 /);
    await run('keys', 'revoke', first.id, '--reason', 'lost');
    assert.equal(await keys.authenticate(second.text, '127.0.0.1'), null);
    await assert.rejects(run('keys', 'revoke', first.id, '--reason', 'lost'), /no live key/);
    for (const action of ['keys.create', 'keys.rotate', 'keys.revoke'])
      assert.equal(await desk.auditsOf(action, first.id), 1, action);
  });

  it('opens nothing for an account that is none, whatever was typed', async () => {
    const printed = printedOf(makeKey('sk_test'));
    const create = (id: string) =>
      run('keys', 'create', id, printed, '--scopes', 'payments:read', '--reason', 'x');
    await assert.rejects(create(randomUUID()), /There is no account/);
    await assert.rejects(create('duka'), /must be the id of an account/);
  });

  it('lets no key in without what keys new has printed, and naming what it may do', async () => {
    const made = makeKey('sk_test');
    for (const wrong of [made.text, made.id, `${printedOf(made)}:x`])
      await assert.rejects(
        run('keys', 'create', account, wrong, '--scopes', 'payments:read', '--reason', 'x'),
        /must be one text with a colon in it/,
      );
    await assert.rejects(
      run('keys', 'create', account, printedOf(made), '--reason', 'x'),
      /scopes must name what the key may do, at least one of payments:write, .*callbacks:write/,
    );
  });

  it('makes a key and prints it alone, with what the operators get beside it', async () => {
    const asksForNothing = () => assert.fail('it asks for no settings');
    const runs = { asOperator: asksForNothing, onStores: asksForNothing };
    const keysNew = async (...args: string[]) => {
      const program = await createProgram(runs);
      const [out, beside]: [string[], string[]] = [[], []];
      const streams = [process.stdout, process.stderr];
      const writes = streams.map(({ write }) => write);
      process.stdout.write = (text: string) => out.push(text) > 0;
      process.stderr.write = (text: string) => beside.push(text) > 0;
      try {
        program.parse(['keys', 'new', ...args], { from: 'user' });
      } finally {
        for (const [i, stream] of streams.entries()) stream.write = writes[i] as typeof stream.write;
      }
      return { text: out.join('').trim(), printed: beside.join('').trim().split(' ').at(-1) };
    };
    const { text, printed } = await keysNew();
    const id = readKeyId('sk_live', text);
    assert.equal(printed, `sk_live_${id}:${fingerprintOf(text)}`);
    const another = await keysNew('--test', '--for', id ?? '');
    assert.equal(readKeyId('sk_test', another.text), id);
    await assert.rejects(keysNew('--for', text), /takes the id of a key/);
  });
});

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
    for (const named of [id ?? '', `sk_live_${id}`]) {
      const another = await keysNew('--test', '--for', named);
      assert.equal(readKeyId('sk_test', another.text), id);
    }
    await assert.rejects(keysNew('--for', text), /takes the id of a key/);
  });
});

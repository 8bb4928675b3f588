import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createLookup } from '../../src/channels/kit/names.ts';
import { pick } from '../support/pick.ts';

const address = (last: number): LookupAddress[] => [{ address: `10.0.0.${last}`, family: 4 }];

describe('the names of one connection', () => {
  function open() {
    const asked: { name: string; answer(addresses: LookupAddress[] | Error): void }[] = [];
    const clock = { ms: 0 };
    const lookup = createLookup(
      (name) =>
        new Promise((resolve, reject) => {
          asked.push({ name, answer: (said) => (said instanceof Error ? reject(said) : resolve(said)) });
        }),
      () => clock.ms,
    );
    const look = (name: string) =>
      new Promise<unknown>((resolve) =>
        lookup(name, { all: true }, (error, found) => resolve(error ?? found)),
      );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    return { asked, clock, look, turn };
  }

  it('are asked for one at a time, and once for all who wait', async () => {
    const { asked, look, turn } = open();
    const waiting = [look('a.example'), look('a.example'), look('b.example')];
    await turn();
    assert.deepEqual(pick(asked, 'name'), ['a.example']);
    asked[0]?.answer(address(1));
    assert.deepEqual(await Promise.all(waiting.slice(0, 2)), [address(1), address(1)]);
    await turn();
    asked[1]?.answer(address(2));
    assert.deepEqual(await waiting[2], address(2));
  });

  it('serve with the last good address while nobody answers, and for ten minutes', async () => {
    const { asked, clock, look, turn } = open();
    const first = look('a.example');
    await turn();
    asked[0]?.answer(address(1));
    await first;
    for (const ms of [1_000, 599_000]) {
      clock.ms = ms;
      assert.deepEqual(await look('a.example'), address(1));
    }
    await turn();
    assert.equal(asked.length, 2, 'one question is on its way');
    clock.ms = 601_000;
    const late = look('a.example');
    asked[1]?.answer(address(3));
    assert.deepEqual(await late, address(3));
    assert.deepEqual(await look('a.example'), address(3), 'the next one knows it');
  });

  it('keep a good address when the server says nothing good', async () => {
    const { asked, look, turn } = open();
    const first = look('a.example');
    await turn();
    asked[0]?.answer(address(1));
    await first;
    assert.deepEqual(await look('a.example'), address(1));
    await turn();
    asked[1]?.answer(new Error('SERVFAIL'));
    await turn();
    assert.deepEqual(await look('a.example'), address(1));
  });
});

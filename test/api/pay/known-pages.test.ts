import assert from 'node:assert/strict';
import { createKnownPages, createPlaces } from '../../../src/api/pay/known-pages.ts';

describe('the QR codes of pages that were shown', () => {
  it('are drawn once for what is in them, and again where that failed', async () => {
    const known = createKnownPages(1_000);
    let drawn = 0;
    const draw = async () => {
      drawn += 1;
      if (drawn === 1) throw new Error('no memory');
      return `code ${drawn}`;
    };
    await assert.rejects(known.code('a', draw));
    const codes = [];
    for (const content of ['a', 'a', 'b', 'a']) codes.push(await known.code(content, draw));
    assert.deepEqual(codes, ['code 2', 'code 2', 'code 3', 'code 2']);
  });
});

describe('the places of those who guess', () => {
  it('are so many, and who finds too long a line gets none', async () => {
    const inLine = createPlaces(2, 1);
    const over: (() => void)[] = [];
    const guess = () => inLine(() => new Promise<string>((resolve) => over.push(() => resolve('found'))));
    const asked = [guess(), guess(), guess(), guess()];
    assert.deepEqual([over.length, await asked[3]], [2, null]);
    over[0]?.();
    assert.equal(await asked[0], 'found');
    assert.equal(over.length, 3, 'the next one has the place');
    for (const end of over) end();
    assert.deepEqual(await Promise.all(asked), ['found', 'found', 'found', null]);
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { openBook } from '../../../sandbox/simulator/core/book.ts';
import { useFolder } from '../../support/folder.ts';
import { pick } from '../../support/pick.ts';

const movement = (reference: string, amount = 1_000) => ({
  reference,
  direction: 'in' as const,
  network: 'm-pesa',
  party: '255754000001',
  amount,
  receipt: `R-${reference}-${amount}`,
});

describe('the book of the simulator', () => {
  const inFolder = useFolder({ each: true });
  let file: string;

  beforeEach(() => {
    file = inFolder('book.jsonl');
  });

  it('moves money for a reference once, however often and however fast it is asked', async () => {
    const book = openBook({ file });
    const moved = await Promise.all(
      [1_000, 2_000, 3_000].map((amount) => book.move(movement('PY1', amount))),
    );
    await book.move(movement('PY1', 4_000));
    assert.deepEqual(new Set(moved.map(({ receipt }) => receipt)), new Set(['R-PY1-1000']));
    assert.deepEqual(pick(book.movements(), 'amount'), [1_000]);
    await book.close();
    assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 1);
  });

  it('knows after it was opened again what it had promised', async () => {
    const first = openBook({ file });
    await first.move(movement('PY1'));
    await first.remember('order', 'one', { state: 'pending' });
    await first.remember('order', 'one', { state: 'succeeded' });
    await first.close();
    const second = openBook({ file });
    assert.deepEqual(second.movements('PY1'), first.movements('PY1'));
    assert.deepEqual([...second.recall('order')], [['one', { state: 'succeeded' }]]);
    await second.move(movement('PY1', 9_000));
    assert.equal(second.movements().length, 1);
    await second.close();
  });

  it('counts money only when its line is in the file', async () => {
    const book = openBook({ file });
    const moving = book.move(movement('PY1'));
    assert.equal(book.movements().length, 0);
    await moving;
    assert.ok(readFileSync(file, 'utf8').includes('R-PY1-1000'));
    await book.close();
  });

  it('drops a line that a kill cut off, and writes on', async () => {
    const first = openBook({ file });
    await first.move(movement('PY1'));
    await first.close();
    appendFileSync(file, '{"movement":{"reference":"PY2","amou');
    const second = openBook({ file });
    assert.equal(second.movements().length, 1);
    await second.move(movement('PY3'));
    await second.close();
    const third = openBook({ file });
    assert.deepEqual(pick(third.movements(), 'reference'), ['PY1', 'PY3']);
    await third.close();
  });
});

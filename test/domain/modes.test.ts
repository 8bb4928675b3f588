import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { modes } from '../../src/domain/kinds.ts';

describe('a mode', () => {
  it('is compared with a name nowhere: branches read the table of kinds', () => {
    const folder = fileURLToPath(new URL('../../src', import.meta.url));
    const compared = new RegExp(`\\bmode (===|!==) '(${modes.join('|')})'`);
    assert.match("payment.mode === 'number'", compared);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.ts$/.test(name),
    );
    assert.ok(sources.length > 500);
    const found = sources.filter((name) => compared.test(readFileSync(path.join(folder, name), 'utf8')));
    assert.deepEqual(found, []);
  });
});

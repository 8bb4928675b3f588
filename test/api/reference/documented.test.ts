import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { merchantHttpStatusOf } from '../../../src/domain/errors.ts';

const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const rows = (row: RegExp) => [...page.matchAll(row)].map((match) => match.slice(1));

describe('docs/api.md', () => {
  it('lists exactly the errors that there are, each with its status', () => {
    const listed = rows(/^\| `([a-z_]+)` \| (\d{3}) \| \S.* \|$/gm).map(([code, status]) => [
      code,
      Number(status),
    ]);
    assert.deepEqual(listed, Object.entries(merchantHttpStatusOf));
  });
});

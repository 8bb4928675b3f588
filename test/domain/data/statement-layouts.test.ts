import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import layouts from '../../../data/statement-layouts.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/statement-layouts.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/statement-layouts.json', { file: layouts, schema }, [
  ['layouts[0].name', 'must be lower-case words joined by -', 'CRDB Bank'],
  ['layouts[0].columns.at', 'Too small: expected array to have >=1 items', []],
  ['layouts[0].optional', 'at cannot be left out', ['at']],
  ['layouts[0].dates[0]', 'must have dd, MM and yyyy', 'd/m/y'],
  ['layouts[0].receipt[0]', 'must be a regular expression', 'REF:('],
  ['layouts[0].receipt[0]', 'must enclose in brackets what it takes', 'REF:[0-9]+'],
  ['layouts[0].statuses', 'must be there with a status column, and only then', { completed: 'done' }],
  ['layouts[0].kinds[0].starts', 'must be lower-case: it is sought in lower-cased text', 'Fee'],
  ['layouts[0].kinds[0].sweep_to', 'only a sweep has another account', 'bank'],
  ['layouts[1].name', 'the layout crdb is there twice', 'crdb'],
]);

it('says of each M-Pesa layout that nobody has proven it in Tanzania', () => {
  const mpesa = layouts.layouts.filter(({ name }) => name.startsWith('mpesa'));
  assert.equal(mpesa.length, 2);
  for (const { proven } of mpesa) assert.match(proven, /Kenya, unproven in Tanzania/);
});

it('has a line on docs/operations/reconciliation.md for each layout', () => {
  const page = readFileSync(new URL('../../../docs/operations/reconciliation.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/^\| `([a-z-]+)` \| .*(CRDB|Safaricom)/gm)].map(([, name]) => name);
  assert.deepEqual(
    named,
    layouts.layouts.map(({ name }) => name),
  );
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import layouts from '../../../data/statement-layouts.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/statement-layouts.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/statement-layouts.json', { file: layouts, schema }, [
  { at: 'layouts[0].name', value: 'CRDB Bank', because: 'must be lower-case words joined by -' },
  { at: 'layouts[0].columns.at', value: [], because: 'Too small: expected array to have >=1 items' },
  { at: 'layouts[0].optional', value: ['at'], because: 'at cannot be left out' },
  { at: 'layouts[0].dates[0]', value: 'd/m/y', because: 'must have dd, MM and yyyy' },
  { at: 'layouts[0].receipt[0]', value: 'REF:(', because: 'must be a regular expression' },
  { at: 'layouts[0].receipt[0]', value: 'REF:[0-9]+', because: 'must enclose in brackets what it takes' },
  {
    at: 'layouts[0].statuses',
    value: { completed: 'done' },
    because: 'must be there with a status column, and only then',
  },
  {
    at: 'layouts[0].kinds[0].starts',
    value: 'Fee',
    because: 'must be lower-case: it is sought in lower-cased text',
  },
  { at: 'layouts[0].kinds[0].sweep_to', value: 'bank', because: 'only a sweep has another account' },
  { at: 'layouts[1].name', value: 'crdb', because: 'the layout crdb is there twice' },
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

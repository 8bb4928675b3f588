import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { type ScenarioOptions, scenarioOf } from '../../../sandbox/simulator/core/scenario.ts';

const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| (\d{3}) \|.*$/gm)];

describe('docs/sandbox.md', () => {
  it('explains exactly the endings that are not simply approved', () => {
    const options: ScenarioOptions = {
      direction: 'out',
      returns: true,
      manual: false,
      customerMs: 1,
      promptMs: 2,
      slowAnswerMs: 3,
      lateSuccessMs: 4,
    };
    const approved = scenarioOf('0754000000', options);
    const special = Array.from({ length: 1000 }, (_, index) => String(index).padStart(3, '0')).filter(
      (ending) => JSON.stringify(scenarioOf(`0754000${ending}`, options)) !== JSON.stringify(approved),
    );
    assert.deepEqual(
      rows.map(([, ending]) => ending),
      special,
    );
  });

  it('names only failure codes that there are', () => {
    const known = new Set(failures.codes.map(({ code }) => code));
    const named = rows.flatMap(([row]) => [...row.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code]) => code));
    assert.ok(named.length > 10);
    const unknown = named.filter((code) => code !== 'returned_at' && !known.has(code ?? ''));
    assert.deepEqual(unknown, []);
  });
});

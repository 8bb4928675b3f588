import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fault, nameOf, planted } from '../../scripts/faults/plant.ts';
import { faults } from '../../scripts/faults/table.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the table of planted faults', () => {
  it('names texts that stand in their files once, and tests that are there', () => {
    for (const fault of faults) {
      const source = readFileSync(path.join(root, fault.file), 'utf8');
      assert.notEqual(planted(source, fault), source, nameOf(fault));
      assert.ok(fault.tests.length > 0, nameOf(fault));
      for (const test of fault.tests)
        assert.ok(existsSync(path.join(root, test)), `${nameOf(fault)}: ${test}`);
    }
    assert.equal(new Set(faults.map(nameOf)).size, faults.length);
  });

  it('says so where a text is gone, or stands there twice', () => {
    const fault: Fault = { name: 'n', file: 'f', text: 'a + b', replacement: 'a - b', tests: [] };
    assert.equal(planted('x = a + b;', fault), 'x = a - b;');
    assert.throws(() => planted('x = a * b;', fault), /is there 0 times/);
    assert.throws(() => planted('x = a + b + (a + b);', fault), /is there 2 times/);
  });
});

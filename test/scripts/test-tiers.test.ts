import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { totalsOf } from '../../scripts/test-reports.ts';
import { secondsOf, shardsOf } from '../../scripts/test-shards.ts';
import { importsOf, marksOf, specifiersOf, testsAt, tiers } from '../../scripts/test-tiers.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the tiers of the tests', () => {
  const filesOf = (shards: ReturnType<typeof shardsOf>) => shards.flatMap((shard) => shard.files);
  const tierOf = (file: string) => testsAt(file)[0]?.tier;

  it('leave no test file out of a whole run, and run none twice but with more cases', () => {
    const all = readdirSync(path.join(root, 'test'), { recursive: true })
      .map((name) => `test/${name}`)
      .filter((name) => name.endsWith('.test.ts'))
      .sort();
    const every = [...shardsOf('usual'), ...shardsOf('hard'), ...shardsOf('long')];
    const shards = every.filter((shard) => !shard.name.startsWith('generated'));
    assert.deepEqual(shards.flatMap((shard) => shard.files).sort(), all);
    assert.ok(every.every((shard) => shard.files.length > 0));
  });

  it('all run in a run of all, what is generated once', () => {
    const files = filesOf(shardsOf('all'));
    const both = [...filesOf(shardsOf('usual')), ...filesOf(shardsOf('hard'))];
    assert.deepEqual([...files].sort(), [...new Set(both)].sort());
  });

  it('are what a file needs', () => {
    const expected = {
      'test/domain/money.test.ts': 'quick',
      'test/ledger/sums.test.ts': 'quick',
      'test/ledger/invariants.test.ts': 'slow',
      'test/workflows/replay.test.ts': 'quick',
      'test/ledger/property.test.ts': 'slow',
      'test/callbacks/verify.test.ts': 'slow',
      'test/sandbox/local/start.test.ts': 'slow',
      'test/browser/desk.test.ts': 'slow',
      'test/workflows/push.test.ts': 'temporal',
      'test/callbacks/hanging.test.ts': 'temporal',
      'test/e2e/bill.test.ts': 'gateway',
      'test/browser/docs.test.ts': 'gateway',
      'test/e2e/crashes.test.ts': 'processes',
      'test/api/processes.test.ts': 'processes',
    };
    for (const [file, tier] of Object.entries(expected)) assert.equal(tierOf(file), tier, file);
    assert.deepEqual([...new Set(testsAt('test').map((test) => test.tier))].sort(), [...tiers].sort());
  });

  it('start no larger server in the quick run, which says so to those who would', () => {
    const names = ['support/temporal', 'support/gateway', 'support/parts', 'support/api-process'];
    const starters = [...names, 'operations/containers'].map((name) => `test/${name}.ts`);
    for (const shard of shardsOf('quick')) {
      assert.equal(shard.environment.TEST_TIER, 'quick');
      for (const file of shard.files)
        for (const name of starters) assert.ok(!importsOf(file).has(name), file);
    }
  });

  it('are hard or long where a test starts and kills processes, and only there', () => {
    const files = filesOf([...shardsOf('hard'), ...shardsOf('long')]);
    const strikes = ['test/e2e/strike.ts', 'test/support/parts.ts', 'test/e2e/stop-at.ts'];
    const striking = testsAt('test')
      .map((test) => test.file)
      .filter((file) => strikes.some((name) => importsOf(file).has(name)));
    assert.ok(striking.includes('test/e2e/kills.test.ts'));
    for (const file of striking) assert.ok(files.includes(file), file);
    assert.ok(!files.includes('test/e2e/bill.test.ts'));
  });

  it('run with one connection what does one thing after the other, and what says how many do at once', () => {
    const usual = shardsOf('usual');
    const files = filesOf(usual.filter((shard) => shard.environment.TEST_POOL_MAX === '1'));
    for (const file of [
      'test/api/cancel.test.ts',
      'test/ledger/invariants.test.ts',
      'test/transactions/given-back.test.ts',
      'test/transactions/end.test.ts',
      'test/transactions/settlements.test.ts',
    ])
      assert.ok(files.includes(file), file);
    for (const [file, why] of [
      ['test/transactions/bills-storm.test.ts', 'it holds more than one'],
      ['test/ledger/property.test.ts', 'its race has the pool that the others have'],
      ['test/workflows/push.test.ts', 'its worker does several things at once'],
      ['test/callbacks/guard-url.test.ts', 'it uses no Postgres'],
    ] as const)
      assert.ok(!files.includes(file), why);
  });

  it('run a third of what is generated in the hard tests, and all of it in the long ones', () => {
    const generated = testsAt('test').filter(({ marks }) => marks.includes('generated'));
    const whole = shardsOf('generated');
    assert.deepEqual(
      filesOf(whole).sort(),
      generated.map(({ file }) => file),
    );
    for (const { environment } of whole) assert.deepEqual(environment, { TEST_GENERATED: 'whole' });
    for (const { file } of generated)
      assert.ok(
        shardsOf('hard').some(
          ({ files, environment }) => files.includes(file) && environment.TEST_GENERATED === 'third',
        ),
        file,
      );
  });

  it('are dealt so that no shard takes much longer than another, and begin with the longest', () => {
    const shards = shardsOf('usual');
    const seconds = shards.map((shard) => shard.seconds);
    assert.deepEqual(
      seconds,
      [...seconds].sort((one, other) => other - one),
    );
    for (const group of ['temporal', 'slow', 'slow-one-connection', 'quick', 'quick-one-connection']) {
      const parts = shards.filter(({ name }) => name.replace(/-\d+$/, '') === group);
      assert.ok(parts.length > 0, group);
      const least = Math.min(...parts.map((part) => part.seconds));
      // Without its shortest file each has no more than any other: a file is never parted.
      for (const { name, files, seconds } of parts)
        assert.ok(seconds - Math.min(...files.map((file) => secondsOf([file]))) <= least + 0.001, name);
    }
  });

  it('refuse a place without a test, a run and a mark that nobody knows', () => {
    assert.throws(() => testsAt('test/api/channel-notification.test.ts'), /There is no test at/);
    assert.throws(() => testsAt('test/domain', 'test/support'), /There is no test at test\/support/);
    assert.throws(() => shardsOf('everything'), /"everything" is none of/);
    assert.throws(() => marksOf('a.test.ts', '// tests: sluggish\n'), /the mark "sluggish"/);
    assert.deepEqual(marksOf('a.test.ts', '// tests: slow, many connections\n'), [
      'slow',
      'many connections',
    ]);
    assert.deepEqual(marksOf('a.test.ts', "import assert from 'node:assert';\n// tests: slow\n"), []);
  });

  it('read every kind of import, and pass over types', () => {
    // In pieces, because this file is read too.
    const source = [
      "import a from './a.ts';",
      "import { b, type B } from './b.ts';",
      "import {\n  c,\n} from './c.ts';",
      "import './d.ts';",
      "export { e } from './e.ts';",
      "import type { F } from './f.ts';",
      "import type {\n  G,\n} from './g.ts';",
      "export type { H } from './h.ts';",
      ['const i = await import', "('./i.ts');"].join(''),
    ].join('\n');
    assert.deepEqual(specifiersOf(source), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './i.ts']);
  });

  it('sum up what the shards say', () => {
    const results = [
      { passed: 3, skipped: ['b'], failures: [] },
      { passed: 4, skipped: [], failures: [{ file: null, what: 'a' }] },
    ];
    assert.deepEqual(totalsOf(results), { passed: 7, skipped: ['b'], failures: [{ file: null, what: 'a' }] });
  });

  it('know the marks only in the first line, so that none is overlooked', () => {
    for (const { file } of testsAt('test')) {
      const later = readFileSync(path.join(root, file), 'utf8').split('\n').slice(1);
      assert.ok(!later.some((line) => line.startsWith('// tests: ')), file);
    }
  });
});

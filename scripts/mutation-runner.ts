import { readdirSync } from 'node:fs';
import path from 'node:path';
import { declareFactoryPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

/**
 * Runs the tests for `npm run mutate` (bench/mutation.md): once per mutant in one process, so that one Postgres serves
 * all of them. Stryker's own runner for mocha does not know mocha 12.
 */

/** The global that Stryker's instrumented code reads and writes. */
type Context = {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: NonNullable<Extract<DryRunResult, { mutantCoverage?: unknown }>['mutantCoverage']>;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
};

function createMutationRunner(): TestRunner {
  const globals = globalThis as { __stryker__?: Context };
  globals.__stryker__ ??= {};
  const context = globals.__stryker__;
  const mocha = new Mocha({ timeout: 60_000, reporter: Mocha.reporters.Base });
  let loaded = false;

  /** Files are loaded once: what a mutant changes while a file loads is not seen again (`ignoreStatic`). */
  async function run(bail: boolean): Promise<DryRunResult> {
    setBail(mocha.suite, bail);
    if (!loaded) await mocha.loadFilesAsync();
    loaded = true;
    const tests = await runOnce(mocha);
    const endless = determineHitLimitReached(context.hitCount, context.hitLimit);
    return endless ?? { status: DryRunStatus.Complete, tests };
  }

  return {
    capabilities: () => ({ reloadEnvironment: false }),

    async init() {
      mocha.cleanReferencesAfterRun(false);
      for (const file of testFiles()) mocha.addFile(file);
      mocha.suite.beforeEach(function () {
        context.currentTestId = this.currentTest?.fullTitle();
      });
    },

    async dryRun({ disableBail }: DryRunOptions) {
      const result = await run(!disableBail);
      context.currentTestId = undefined;
      if (result.status !== DryRunStatus.Complete || !context.mutantCoverage) return result;
      return { ...result, mutantCoverage: context.mutantCoverage };
    },

    async mutantRun({ activeMutant, hitLimit, testFilter, disableBail }: MutantRunOptions) {
      context.activeMutant = activeMutant.id;
      context.hitLimit = hitLimit;
      context.hitCount = hitLimit === undefined ? undefined : 0;
      mocha.grep(testFilter ? new RegExp(testFilter.map((title) => `^${escaped(title)}$`).join('|')) : /^/);
      return toMutantRunResult(await run(!disableBail));
    },

    async dispose() {
      mocha.dispose();
    },
  };
}

/** Folders of `MUTATION_TESTS`, or files; left out: the tests that need no server but Postgres. */
function testFiles(): string[] {
  const places = process.env.MUTATION_TESTS?.split(',') ?? [
    'test/domain',
    'test/ledger',
    'test/accounts',
    'test/transactions',
    'test/activities',
    'test/callbacks',
  ];
  return places.flatMap((place) =>
    place.endsWith('.ts')
      ? [path.resolve(place)]
      : readdirSync(place)
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => path.resolve(place, name)),
  );
}

function runOnce(mocha: Mocha): Promise<TestResult[]> {
  const tests: TestResult[] = [];
  return new Promise((resolve) => {
    const common = (test: Mocha.Runnable) => ({
      id: test.fullTitle(),
      name: test.fullTitle(),
      timeSpentMs: test.duration ?? 0,
    });
    mocha
      .run(() => resolve(tests))
      .on('pass', (test) => tests.push({ ...common(test), status: TestStatus.Success }))
      .on('pending', (test) => tests.push({ ...common(test), status: TestStatus.Skipped }))
      .on('fail', (test, error: Error) =>
        tests.push({ ...common(test), status: TestStatus.Failed, failureMessage: String(error?.message) }),
      );
  });
}

function setBail(suite: Mocha.Suite, bail: boolean): void {
  suite.bail(bail);
  for (const child of suite.suites) setBail(child, bail);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** A node of Babel's syntax tree, as far as we look at it. */
type Path = { node: { type: string; callee?: { type: string; name?: string } } };

/** The message of a bug is for a person who reads a log: no test should fail because its words change. */
const wordsOfErrors = {
  shouldIgnore({ node }: object & Partial<Path>): string | undefined {
    const isOfBug =
      node?.type === 'NewExpression' &&
      /^((Range|Type)?Error|BrokenInvariant)$/.test(node.callee?.name ?? '');
    return isOfBug ? 'the words of an error that is a bug' : undefined;
  },
};

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'mocha-12', createMutationRunner),
  declareValuePlugin(PluginKind.Ignore, 'words-of-errors', wordsOfErrors),
];

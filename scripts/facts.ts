import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/**
 * `npm run facts`: the title of every test, which is a fact, and the layer that proves it, which is its folder; no test runs.
 * `npm run facts -- <commit>`: the facts of that commit that are gone, and the new ones. A fact that another layer has now says
 * so. Whoever takes a test away names in the commit the row or the test that has its fact.
 */
const root = fileURLToPath(new URL('../', import.meta.url));

type Fact = { layer: string; title: string };

const [commit] = process.argv.slice(2);
const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-facts-'));
try {
  const now = await factsIn(root);
  if (commit === undefined) {
    for (const fact of now) console.log(lineOf(fact));
    console.log(`${now.length} facts in ${new Set(now.map(({ layer }) => layer)).size} layers`);
  } else compare(await factsIn(await checkoutOf(commit)), now);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Mocha loads the tests of a checkout without running them. */
async function factsIn(checkout: string): Promise<Fact[]> {
  const report = path.join(folder, 'report.json');
  const mocha = path.join(checkout, 'node_modules/mocha/bin/mocha.js');
  const options = ['--dry-run', '--reporter', 'json', '--reporter-option', `output=${report}`];
  const env = { TEST_GENERATED: 'whole' };
  const run = { cwd: checkout, env, stdin: 'ignore', stdout: 'ignore' } as const;
  await execa(process.execPath, [mocha, ...options, 'test/**/*.test.ts'], run);
  const { tests }: { tests: { file: string; fullTitle: string }[] } = JSON.parse(
    await readFile(report, 'utf8'),
  );
  return tests
    .map(({ file, fullTitle }) => ({
      layer: path.relative(path.join(checkout, 'test'), path.dirname(file)),
      // A title may have a secret or a time that is another one in each run.
      title: fullTitle.replaceAll(/\s+/g, ' ').replace(/[\w+/]{36,}.*|\d{4}-\d\d-\d\dT\S+/, '…'),
    }))
    .sort((one, other) => lineOf(one).localeCompare(lineOf(other)));
}

/** It has no packages of its own, and nothing beside it: those of this checkout are at hand. */
async function checkoutOf(name: string): Promise<string> {
  const archive = path.join(folder, 'checkout.tar');
  await execa('git', ['archive', '--prefix=checkout/', '-o', archive, name], { cwd: root });
  await execa('tar', ['-xf', archive, '-C', folder]);
  const checkout = path.join(folder, 'checkout');
  await symlink(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
  await symlink(path.join(root, '../shared'), path.join(folder, 'shared'));
  return checkout;
}

function compare(before: readonly Fact[], now: readonly Fact[]): void {
  const isIn = (facts: readonly Fact[]) => {
    const lines = new Set(facts.map(lineOf));
    return (fact: Fact) => lines.has(lineOf(fact));
  };
  const [wasThere, isThere] = [isIn(before), isIn(now)];
  const gone = before.filter((fact) => !isThere(fact));
  const added = now.filter((fact) => !wasThere(fact));
  for (const fact of gone) {
    const moved = added.find(({ title }) => title === fact.title);
    console.log(`gone  ${lineOf(fact)}${moved ? `  (now in ${moved.layer})` : ''}`);
  }
  for (const fact of added) console.log(`new   ${lineOf(fact)}`);
  console.log(`${before.length} facts then, ${now.length} now: ${gone.length} gone, ${added.length} new`);
}

function lineOf({ layer, title }: Fact): string {
  return `${layer || '.'}  ${title}`;
}

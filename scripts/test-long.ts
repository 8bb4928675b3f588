import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `npm run test:long` runs tests that take hours, by hand and before a release. It writes its result to `bench/long.md`.
 * `npm run test:long -- image` runs one part alone.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const PARTS: Record<string, { says: string; command: string; environment?: Record<string, string> }> = {
  image: {
    says: 'builds the image and makes a payment with it',
    command: 'node --import tsx scripts/run-tests.ts long',
  },
  generated: {
    says: 'every generated case',
    command: 'node --import tsx scripts/run-tests.ts generated',
  },
  batch: {
    says: 'a batch of 10,000 under 50 kills',
    command: 'npx mocha test/e2e/batch-kills.test.ts',
    environment: { BATCH_ITEMS: '10000', BATCH_KILLS: '50' },
  },
  walks: {
    says: '2,000 random walks of one payment',
    command: 'npx mocha --timeout 0 test/transactions/walk.test.ts',
    environment: { WALKS: '2000' },
  },
  steps: {
    says: '10,000 random steps against the books of a network and a bank, and a quarter as many in four walks at a time',
    command: 'npx mocha --timeout 0 test/transactions/long-walk.test.ts',
    environment: { WALK_STEPS: '10000' },
  },
  races: {
    says: '2,000 races of a prompt',
    command: 'npx mocha --timeout 0 test/transactions/prompts.test.ts',
    environment: { PROMPT_RACES: '2000' },
  },
  between: {
    says: 'before each statement of whoever tells first of money it dies, or another tells',
    command: 'npx mocha --timeout 0 test/transactions/between-statements.test.ts',
    environment: { BETWEEN: 'all' },
  },
  faults: { says: 'each planted fault', command: 'npm run --silent faults' },
  bodies: { says: '50,000 hostile bodies', command: 'npm run --silent fuzz:bodies' },
  doors: { says: '20,000 hostile messages at every door', command: 'npm run --silent fuzz:doors' },
  clients: { says: "other people's clients, all of them", command: 'npm run --silent test:clients' },
  api: {
    says: 'Schemathesis for an hour',
    command: 'npm run --silent fuzz:api -- --examples 1000 --minutes 60',
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0)
  throw new Error(`There are ${Object.keys(PARTS).join(', ')}; not ${unknown.join(', ')}.`);

const rows: string[] = [];
let failed = 0;
for (const [name, { says, command, environment }] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`== ${says}`);
  const startedAt = performance.now();
  const env = { ...process.env, ...environment };
  const { status } = spawnSync(command, { cwd: root, env, shell: true, stdio: 'inherit' });
  if (status !== 0) failed += 1;
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  rows.push(`| ${name} | ${says} | ${status === 0 ? 'passed' : 'FAILED'} | ${minutes} |`);
}
const head = `# Long tests

This is the last run of \`npm run test:long\`, on ${new Date().toISOString().slice(0, 10)}${asked.length > 0 ? ' (some parts only)' : ''}.

| part | what it does | result | minutes |
|---|---|---|---|
`;
writeFileSync(`${root}bench/long.md`, `${head}${rows.join('\n')}\n`);
console.log(`${rows.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

import { fileURLToPath } from 'node:url';
import { checkReleases, testsOf } from './releases.ts';

/**
 * `npm run releases`: what was released stays as it was and works with the migrations of this version. With a commit, as
 * though that had been the last release: `npm run releases -- HEAD~5` runs only its tests.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const [commit] = process.argv.slice(2);
const report = (line: string) => console.log(line);
const problems =
  commit === undefined ? await checkReleases(root, report) : await testsOf(root, commit, report);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

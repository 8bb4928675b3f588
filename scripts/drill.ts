import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * `npm run drill -- restore [how many]`: payments, payouts and bills before and after a copy of Postgres, the copy put
 * back, `recover`, and everything compared. The number is of each of six kinds, twice; 80 make about 1,000 in all.
 */
const [drill, each = '80'] = process.argv.slice(2);
const files: Record<string, string> = { restore: 'test/e2e/restored.test.ts' };
const file = files[drill ?? ''];
if (!file || !/^[1-9]\d{0,3}$/.test(each)) {
  console.error(
    `Say which drill: ${Object.keys(files).join(', ')}; then how many payments of each kind, if not 80`,
  );
  process.exit(2);
}
const root = fileURLToPath(new URL('../', import.meta.url));
const mocha = ['node_modules/mocha/bin/mocha.js', file];
const environment = { ...process.env, DRILL_EACH: each };
const { status } = spawnSync(process.execPath, mocha, { cwd: root, env: environment, stdio: 'inherit' });
process.exit(status ?? 1);

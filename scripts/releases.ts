import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * What a release promises the next version, checked: its migrations and saved histories stay as they are, and its code
 * goes on working on the database of the next one, because old and new run side by side in every deploy.
 * releases.json names version and commit of each release, oldest first.
 */
export type Release = { version: string; commit: string };

/** The version before the first release: only then may releases.json be empty. */
const UNRELEASED = '0.1.0';
const FROZEN = ['migrations', 'test/histories'];
const TESTS_LIMIT_MS = 30 * 60_000;

/** Problems, in words; empty when everything is as promised. `report` gets what is done meanwhile. */
export async function checkReleases(root: string, report: (line: string) => void): Promise<string[]> {
  const releases: Release[] = JSON.parse(readFileSync(path.join(root, 'releases.json'), 'utf8'));
  const unnamed = unnamedVersion(root, releases.at(-1)?.version ?? UNRELEASED);
  const problems = [...unnamed, ...releases.flatMap((release) => wrongEntry(root, release))];
  const last = releases.at(-1);
  if (last === undefined && problems.length === 0)
    report(`nothing is released: the version is ${UNRELEASED}`);
  if (last === undefined || problems.length > 0) return problems;
  problems.push(...changedSince(root, last.commit));
  if (problems.length > 0) return problems;
  report(`running the tests of ${last.version} (${last.commit}) with the migrations of this version`);
  return testsOf(root, last.commit, report);
}

/** A version that was released and not named here would never be compared with. */
function unnamedVersion(root: string, named: string): string[] {
  const version = versionOf(readFileSync(path.join(root, 'package.json'), 'utf8'));
  // The commit that sets a version cannot name itself: the next one does.
  const isBeingSet = ['HEAD', 'HEAD~1'].some((commit) => {
    const before = show(root, `${commit}:package.json`);
    return before !== null && versionOf(before) !== version;
  });
  if (version === named || isBeingSet) return [];
  return [
    `package.json says ${version}, but the last version in releases.json is ${named}: name its commit there`,
  ];
}

function wrongEntry(root: string, { version, commit }: Release): string[] {
  const file = /^[0-9a-f]{40}$/.test(commit) ? show(root, `${commit}:package.json`) : null;
  if (file === null) return [`${version}: this repository has no commit ${commit}`];
  return versionOf(file) === version
    ? []
    : [`${version}: its commit ${commit} is version ${versionOf(file)}`];
}

function changedSince(root: string, commit: string): string[] {
  const names = git(root, 'ls-tree', '-r', '--name-only', commit, '--', ...FROZEN);
  if (names === null || names === '') return [`${commit} has neither migrations nor histories`];
  return names.split('\n').flatMap((name) => {
    const now = path.join(root, name);
    const isSame = existsSync(now) && readFileSync(now, 'utf8') === show(root, `${commit}:${name}`);
    return isSame ? [] : [`${name} was released and is frozen: add a file instead`];
  });
}

/** Checks a commit out, gives it the migrations of this version, and runs its tests. */
export async function testsOf(
  root: string,
  commit: string,
  report: (line: string) => void,
): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-release-'));
  try {
    const script = 'git -C "$1" archive "$2" | tar -x -C "$3"';
    const unpacked = spawnSync('bash', ['-o', 'pipefail', '-c', script, 'unpack', root, commit, folder]);
    if (unpacked.status !== 0) return [`${commit} cannot be checked out: ${unpacked.stderr}`];
    await installPackages(root, folder);
    await rm(path.join(folder, 'migrations'), { recursive: true });
    await cp(path.join(root, 'migrations'), path.join(folder, 'migrations'), { recursive: true });
    const run = spawnSync('npm', ['run', '--silent', 'test:quick'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: TESTS_LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return verdictOn(run, report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same packages are linked; others are installed. */
async function installPackages(root: string, folder: string): Promise<void> {
  const [ours, theirs] = [root, folder].map((where) => {
    const file = path.join(where, 'package-lock.json');
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  });
  if (ours === theirs) return symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const installed = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  if (installed.status !== 0) throw new Error('the packages of the last release cannot be installed');
}

/** A run that counts nothing proves nothing. */
function verdictOn(
  run: { status: number | null; stdout: string; stderr: string },
  report: (line: string) => void,
): string[] {
  const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed$/m.exec(run.stdout) ?? [];
  if (run.status === 0 && Number(passed) > 0 && Number(failed) === 0) {
    report(`${passed} tests of the last release pass`);
    return [];
  }
  for (const line of `${run.stdout}${run.stderr}`.trimEnd().split('\n').slice(-200)) report(line);
  return [`the last release does not work with these migrations: ${passed} tests passed, ${failed} failed`];
}

function versionOf(packageJson: string): string {
  return JSON.parse(packageJson).version;
}

function show(root: string, what: string): string | null {
  return git(root, 'show', what);
}

function git(root: string, ...words: string[]): string | null {
  const { status, stdout } = spawnSync('git', ['-C', root, ...words], { encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) return null;
  return words[0] === 'ls-tree' ? stdout.trimEnd() : stdout;
}

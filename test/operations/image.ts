import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Packages are not installed again: those of this checkout take their place. */
type Packages = 'all' | 'production';

export type Stage = {
  name: string;
  base: string;
  instructions: { keyword: string; rest: string }[];
};

export type Image = {
  /** its /app */
  folder: string;
  /** of its ENV lines, where a process does not get them by itself */
  env: Record<string, string>;
  /** how a process is started inside it; left out: as it is, in its folder */
  inside?(process: Command): Command;
  remove(): Promise<void>;
};
type Command = { command: string; args: string[]; env: Record<string, string> };

/** The stages of the Dockerfile, with continued lines joined. */
export async function readDockerfile(): Promise<Stage[]> {
  const text = await readFile(path.join(root, 'Dockerfile'), 'utf8');
  const lines = text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const stages: Stage[] = [];
  /** what stands before the first stage */
  const given: Record<string, string> = {};
  for (const line of lines) {
    const [, keyword = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const from = /^(\S+)(?: AS (\S+))?$/.exec(rest);
    const base = from?.[1]?.replace(/\$\{(\w+)\}/, (_, name: string) => given[name] ?? '') ?? '';
    const [, argument = '', value = ''] = /^(\w+)=(.*)$/.exec(rest) ?? [];
    if (keyword === 'FROM') stages.push({ name: from?.[2] ?? '', base, instructions: [] });
    else if (keyword === 'ARG' && stages.length === 0) given[argument] = value;
    else stages.at(-1)?.instructions.push({ keyword, rest });
  }
  return stages;
}

/**
 * What `docker build` would put into /app, made by following the Dockerfile with plain processes: its COPYs, its
 * `npm run` commands, and for its `npm ci` the packages that are installed here. What an image alone can show (the
 * base image, apt-get, the user) is left out.
 */
export async function buildImage(): Promise<Image> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'malipo-image-'));
  const env: Record<string, string> = {};
  let folder = home;
  for (const [index, stage] of (await readDockerfile()).entries()) {
    folder = path.join(home, stage.name || `stage-${index}`, 'app');
    await mkdir(folder, { recursive: true });
    for (const { keyword, rest } of stage.instructions) {
      if (keyword === 'COPY') await copy(home, folder, rest);
      if (keyword === 'RUN' && rest.startsWith('npm ci'))
        await addPackages(folder, rest.includes('--omit=dev') ? 'production' : 'all');
      if (keyword === 'RUN' && (rest.startsWith('npm run') || rest.includes('npm sbom')))
        await run('sh', ['-c', rest], { cwd: folder, maxBuffer: 1e7 });
      if (keyword === 'ENV')
        for (const pair of rest.split(' ')) env[pair.split('=')[0] ?? ''] = pair.split('=')[1] ?? '';
    }
  }
  return { folder, env, remove: () => rm(home, { recursive: true, force: true }) };
}

/** From the build context, or from another stage's /app. */
async function copy(home: string, folder: string, rest: string): Promise<void> {
  const words = rest.split(/\s+/);
  const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
  const [target = '', ...sources] = words.slice(from ? 1 : 0).reverse();
  for (const source of sources) {
    const file = from ? path.join(home, from, source) : path.join(root, source);
    const isFolderTarget = target.endsWith('/');
    await cp(file, path.join(folder, target, isFolderTarget ? path.basename(source) : ''), {
      recursive: true,
    });
  }
}

/** Hard links, because the packages are large; a folder on another disk is copied. */
async function addPackages(folder: string, which: Packages): Promise<void> {
  const installed = path.join(root, 'node_modules');
  const wanted = path.join(folder, 'node_modules');
  if (which === 'all') return symlink(installed, wanted);
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    await readFile(path.join(root, 'package-lock.json'), 'utf8'),
  );
  const names = Object.entries(lock.packages).flatMap(([where, { dev }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(where)?.[1];
    return name === undefined || dev ? [] : [name];
  });
  const present = new Set(await packagesIn(installed));
  for (const name of names.filter((one) => present.has(one))) {
    await mkdir(path.dirname(path.join(wanted, name)), { recursive: true });
    const pair = [path.join(installed, name), path.join(wanted, name)];
    await run('cp', ['-a', '-l', ...pair]).catch(() => run('cp', ['-a', ...pair]));
  }
}

async function packagesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const scopes = names.filter((name) => name.startsWith('@'));
  const scoped = await Promise.all(
    scopes.map(async (scope) => (await readdir(path.join(folder, scope))).map((name) => `${scope}/${name}`)),
  );
  return [...names, ...scoped.flat()];
}

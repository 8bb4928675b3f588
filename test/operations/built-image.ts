import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../../sandbox/local/tools/cache.ts';
import type { Image } from './image.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/build-image-offline.sh', import.meta.url));
const NAME = 'malipo-test';

/** Why no image can be built here; null where it can. */
export function noBuilder(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root on Linux';
  const lacking = ['buildah', 'debootstrap'].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  );
  return lacking.length === 0 ? null : `${lacking.join(' and ')} is not installed`;
}

/** The image of the Dockerfile, really built, and a container of it in which processes run. */
export async function buildRealImage(): Promise<Image> {
  await run('sh', [script, NAME], { maxBuffer: 1e7 });
  const folder = path.join(buildah('mount', NAME).trim(), 'app');
  return {
    folder,
    env: {},
    inside: ({ command, args, env }) => ({
      command: 'buildah',
      args: [
        ...storage(),
        'run',
        '--isolation',
        'chroot',
        '--user',
        '1000:1000',
        '--workingdir',
        '/app',
        ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        // The image's entry point, which `buildah run` leaves out.
        NAME,
        '--',
        'tini',
        '-s',
        '--',
        command,
        ...args,
      ],
      env: { PATH: process.env.PATH ?? '' },
    }),
    async remove() {
      buildah('umount', NAME);
      buildah('rm', NAME);
      buildah('rmi', `localhost/${NAME}`);
    },
  };
}

/** The process in the container that `buildah run` is there for: buildah itself answers SIGTERM by killing it. */
export function processInside(pid: number): { pid: number; uid: number } {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statusOf(candidate, 'PPid') === pid);
  for (const child of children) {
    if (commandOf(child) === 'tini') return { pid: child, uid: statusOf(child, 'Uid') };
    const found = processInside(child);
    if (found.pid !== 0) return found;
  }
  return { pid: 0, uid: -1 };
}

function statusOf(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  } catch {
    return Number.NaN;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function storage(): string[] {
  const folder = path.join(cacheFolder(), 'image-base');
  return [
    '--root',
    path.join(folder, 'storage'),
    '--runroot',
    path.join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ];
}

function buildah(...args: string[]): string {
  return execFileSync('buildah', [...storage(), ...args], { encoding: 'utf8' });
}

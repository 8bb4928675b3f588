import { type ChildProcess, spawn } from 'node:child_process';

export type ServerCommand = {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** default: the current folder */
  cwd?: string;
  stopSignal: NodeJS.Signals;
  /** for a server that refuses to run as root */
  uid?: number;
  gid?: number;
  /** our own Node.js processes send `ready`, and end when the channel closes */
  ipc?: boolean;
};

export type RunningServer = {
  pid: number;
  child: ChildProcess;
  /** its last lines, for an error message */
  lastOutput(): string;
  /** resolves when it has ended, for any reason */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** resolves when all its output is read */
  drained: Promise<void>;
  /** asks it to stop, and kills it after `patienceMs` */
  stop(patienceMs: number): Promise<void>;
};

/**
 * Starts a process in its own group, so that Ctrl-C reaches only us and we decide the order of stopping. If
 * we are killed, a small shell that waits for our end of a pipe stops it. Throws if it cannot be started.
 */
export async function startServer(
  given: ServerCommand,
  onLine: (line: string) => void = () => {},
): Promise<RunningServer> {
  const { command, args, env, uid, gid } = given;
  const identity = uid === undefined || gid === undefined ? {} : { uid, gid };
  const child = spawn(command, args, {
    env,
    ...identity,
    ...(given.cwd === undefined ? {} : { cwd: given.cwd }),
    detached: true,
    stdio: given.ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${command} has no process id`);
  const output = collectLines(child, onLine);
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const leash = keepOnLeash(pid, given.stopSignal);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      leash.release();
      resolve({ code, signal });
    });
  });
  return {
    pid,
    child,
    lastOutput: () => output.join('\n'),
    exited,
    drained,
    async stop(patienceMs) {
      child.kill(given.stopSignal);
      const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await exited;
      clearTimeout(impatience);
    },
  };
}

/** A configuration may have as many problems as it has variables. */
const LINES_KEPT = 200;

function collectLines(child: ChildProcess, onLine: (line: string) => void): string[] {
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        last.push(line);
        if (last.length > LINES_KEPT) last.shift();
        onLine(line);
      }
    });
  }
  return last;
}

/** How long a process may take to stop after we died, before it is killed. */
const LEASH_PATIENCE_S = 8;

/** The shell ends if it reads a line. If the pipe closes first, we died, and it stops `pid`. */
function keepOnLeash(pid: number, signal: NodeJS.Signals): { release(): void } {
  if (process.platform === 'win32') return { release: () => {} };
  const name = signal.replace('SIG', '');
  const script = `read -r _ || { kill -s "$1" "$0" && sleep ${LEASH_PATIENCE_S}; kill -s KILL "$0"; }`;
  const leash = spawn('/bin/sh', ['-c', script, String(pid), name], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  leash.on('error', () => {});
  leash.stdin.on('error', () => {});
  leash.unref();
  return { release: () => leash.stdin.end('done\n') };
}

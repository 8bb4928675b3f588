import { spawn } from 'node:child_process';

/**
 * Runs a build tool to its end and gives each line it writes to `onLine`. Throws with its last line when it fails or
 * takes longer than `timeoutMs`.
 */
export async function runTool(options: {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
  onLine: (line: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const child = spawn(options.command, options.args, {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal ? { signal: options.signal } : {}),
  });
  let last = '';
  const read = (chunk: string) => {
    for (const line of chunk.split('\n').filter((candidate) => candidate.trim() !== '')) {
      last = line.trim();
      options.onLine(last);
    }
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearTimeout(timer));
  if (code !== 0) throw new Error(last || `${options.command} ended with ${code}`);
}

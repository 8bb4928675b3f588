import { spawn } from 'node:child_process';

/**
 * Passes each output line to `onLine`. Throws with the last line if the tool fails or exceeds `timeoutMs`.
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

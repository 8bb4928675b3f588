import { execa } from 'execa';

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
  const { command, args, env = {}, timeoutMs, onLine, signal } = options;
  const run = execa(command, args, {
    env,
    stdin: 'ignore',
    all: true,
    buffer: false,
    reject: false,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(signal ? { cancelSignal: signal } : {}),
  });
  let last = '';
  for await (const line of run.iterable({ from: 'all' })) {
    if (line.trim() === '') continue;
    last = line.trim();
    onLine(last);
  }
  const ended = await run;
  if (ended.failed) throw new Error(last || ended.shortMessage);
}

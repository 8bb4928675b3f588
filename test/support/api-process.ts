import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../sandbox/local/ports.ts';
import { SUBMISSION_KEY } from './key-rings.ts';
import { nodeArguments } from './node-entry.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type ApiProcess = {
  pid: number;
  port: number;
  /** what it wrote to its log so far */
  output(): string;
  stop(): Promise<void>;
};

/** What all API processes of one installation share. */
export type Installation = {
  databaseUrl: string;
  keyHashSecret: Buffer;
  environment?: Record<string, string>;
};

/** An entry file as a process of its own, as it runs in production, at a database of the test's. There is no Temporal. */
export async function startEntry(entry: 'src/server.ts' | 'src/worker.ts', installation: Installation) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const secret = () => randomBytes(32).toString('base64');
  const child = spawn(process.execPath, nodeArguments(entry), {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      MALIPO_ENV: 'development',
      LOG_LEVEL: 'info',
      DATABASE_URL: installation.databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      API_PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      KEY_HASH_SECRET: installation.keyHashSecret.toString('base64'),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      PAGE_KEY: secret(),
      SUBMISSION_KEY,
      ...installation.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, port, ended, output: () => output };
}

/** src/server.ts, listening. */
export async function startApiProcess(installation: Installation): Promise<ApiProcess> {
  const { child, port, ended, output } = await startEntry('src/server.ts', installation);
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    void ended.then(() => reject(new Error(`the API ended: ${output()}`)));
  });
  return {
    pid: child.pid ?? 0,
    port,
    output,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

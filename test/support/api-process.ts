import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { freePort } from '../../sandbox/local/ports.ts';
import { startServer } from '../../sandbox/local/server-process.ts';
import { SUBMISSION_KEY } from './key-rings.ts';
import { nodeArguments, root } from './node-entry.ts';

export type ApiProcess = Awaited<ReturnType<typeof startApiProcess>>;

/** What all API processes of one installation share. */
type Installation = {
  databaseUrl: string;
  keyHashSecret: Buffer;
  environment?: Record<string, string>;
};

/**
 * An entry file as a process of its own, as it runs in production, at a database of the test's. There is no
 * Temporal. `output`: what it wrote to its log so far.
 */
export async function startEntry(entry: 'src/server.ts' | 'src/worker.ts', installation: Installation) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const secret = () => randomBytes(32).toString('base64');
  const env = {
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
  };
  const lines: string[] = [];
  const server = await startServer(
    {
      command: process.execPath,
      args: nodeArguments(entry),
      cwd: root,
      env,
      stopSignal: 'SIGTERM',
      ipc: true,
    },
    (line) => lines.push(line),
  );
  return { ...server, port, output: () => lines.join('\n') };
}

/** src/server.ts, listening. */
export async function startApiProcess(installation: Installation) {
  const server = await startEntry('src/server.ts', installation);
  const ended = server.exited.then(() => Promise.reject(new Error(`the API ended: ${server.output()}`)));
  await Promise.race([once(server.child, 'message'), ended]);
  return { ...server, stop: () => server.stop(60_000) };
}

import { type ChildProcess, spawn } from 'node:child_process';

/** A server of openssl with this certificate: it says no within the handshake, as those of networks do. */
export async function startOpenssl(
  folder: string,
  name: string,
  ...more: string[]
): Promise<{ port: number; server: ChildProcess }> {
  const own = ['-cert', `${name}.pem`, '-key', `${name}.key`];
  const server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-www', ...own, ...more], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  for await (const chunk of server.stdout) {
    said += chunk;
    const port = /ACCEPT 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) return { port: Number(port), server };
  }
  throw new Error(`openssl did not listen: ${said}`);
}

import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export type FetchOptions = { progress: (message: string) => void; signal?: AbortSignal };

/** Ends a download that stalls this long, so that nobody waits silently for a missing network. */
const STALLED_AFTER_MS = 20_000;

/**
 * The Temporal SDK downloads a server to `destination`. Returns false if that failed (no network, no build
 * for this machine).
 */
export async function downloadWithSdk(
  kind: 'dev-server' | 'time-skipping',
  destination: string,
  options: FetchOptions,
): Promise<boolean> {
  const folder = `${destination}.download-${process.pid}`;
  await mkdir(folder, { recursive: true });
  try {
    const complete = await watchDownload(kind, folder, options);
    const file = (await readdir(folder)).find((name) => !name.endsWith('.downloading'));
    if (!complete || file === undefined) return false;
    await chmod(path.join(folder, file), 0o755);
    await rename(path.join(folder, file), destination);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function watchDownload(
  kind: string,
  folder: string,
  { progress, signal }: FetchOptions,
): Promise<boolean> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const script = fileURLToPath(new URL(`sdk-download.${extension}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, kind, folder], {
    stdio: 'ignore',
    ...(signal ? { signal } : {}),
  });
  let ended = false;
  const success = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  }).finally(() => {
    ended = true;
  });
  let bytes = 0;
  let lastNews = performance.now();
  for (let round = 0; !ended; round += 1) {
    await Promise.race([success, pause(500)]);
    const now = await bytesIn(folder);
    if (now > bytes) lastNews = performance.now();
    bytes = now;
    if (round % 10 === 9 && bytes > 0) progress(`downloading, ${Math.round(bytes / 1_048_576)} MB so far`);
    if (!ended && performance.now() - lastNews > STALLED_AFTER_MS) {
      child.kill('SIGKILL');
      progress('the download does not get anywhere');
    }
  }
  return success;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (entry) => entry.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

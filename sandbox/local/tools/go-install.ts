import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { findOnPath } from './cache.ts';
import type { FetchOptions } from './download.ts';
import { runTool } from './run-tool.ts';

const GO_FOLDERS = ['/usr/local/go/bin', '/opt/homebrew/bin'];

/**
 * Builds a program from its Go module (`module/path@version`) and puts it at `destination`, whole or not at
 * all. Throws without Go, or if the build fails or exceeds `limitMs`.
 */
export async function goInstall(
  goPackage: string,
  destination: string,
  options: FetchOptions & { limitMs: number },
): Promise<void> {
  const go = await findOnPath('go', GO_FOLDERS);
  if (go === undefined) throw new Error('there is no Go to build it with');
  const folder = `${destination}.build-${process.pid}`;
  await mkdir(folder, { recursive: true });
  const program = path.basename(goPackage.split('@')[0] ?? '') + (process.platform === 'win32' ? '.exe' : '');
  const started = performance.now();
  let packages = 0;
  let lastLine = started;
  const onLine = () => {
    packages += 1;
    if (performance.now() - lastLine < 15_000) return;
    lastLine = performance.now();
    options.progress(`building, ${packages} steps in ${Math.round((lastLine - started) / 1000)} s`);
  };
  try {
    await runTool({
      command: go,
      args: ['install', '-v', '-ldflags=-s -w', goPackage],
      env: { GOBIN: folder, GOTOOLCHAIN: 'auto', GOFLAGS: '', CGO_ENABLED: '0' },
      timeoutMs: options.limitMs,
      onLine,
      signal: options.signal,
    });
    await rename(path.join(folder, program), destination);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

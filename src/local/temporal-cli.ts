import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, findOnPath, isExecutable } from './cache.ts';
import { downloadWithSdk, type FetchOptions } from './download.ts';
import { runTool } from './run-tool.ts';

/** The newest version that `go install` builds. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const GO_FOLDERS = ['/usr/local/go/bin', '/opt/homebrew/bin'];
const BUILD_LIMIT_MS = 40 * 60_000;

/**
 * The Temporal command line, which contains the dev server: on PATH or in the cache folder, else downloaded by the
 * SDK, else built with Go (once, into the cache folder). Throws one sentence that says how to get one.
 */
export async function findTemporalCli(options: FetchOptions): Promise<string> {
  const cached = path.join(cacheFolder(), 'bin', process.platform === 'win32' ? 'temporal.exe' : 'temporal');
  const present = (await findOnPath('temporal')) ?? ((await isExecutable(cached)) ? cached : undefined);
  if (present !== undefined) return present;
  await mkdir(path.dirname(cached), { recursive: true });
  const progress = (message: string) => options.progress(`Temporal: ${message}`);
  progress('not on this machine yet, trying to download it');
  if (await downloadWithSdk('dev-server', cached, { ...options, progress })) return cached;
  options.signal?.throwIfAborted();
  await buildWithGo(cached, { ...options, progress });
  return cached;
}

async function buildWithGo(destination: string, options: FetchOptions): Promise<void> {
  const advice =
    'Install the Temporal CLI (https://docs.temporal.io/cli) or Go 1.21 or newer, or set TEMPORAL_ADDRESS to a running server';
  const go = await findOnPath('go', GO_FOLDERS);
  if (go === undefined)
    throw new Error(`Temporal could not be downloaded and there is no Go to build it with. ${advice}.`);
  const folder = `${destination}.build-${process.pid}`;
  await mkdir(folder, { recursive: true });
  options.progress('no download; building it with Go, about 6 minutes on 2 cores, only this once');
  const started = performance.now();
  let packages = 0;
  let lastLine = started;
  const onLine = () => {
    packages += 1;
    if (performance.now() - lastLine < 15_000) return;
    lastLine = performance.now();
    options.progress(`building, ${packages} steps in ${Math.round((lastLine - started) / 1000)} s`);
  };
  const env = { GOBIN: folder, GOTOOLCHAIN: 'auto', GOFLAGS: '', CGO_ENABLED: '0' };
  try {
    await runTool({
      command: go,
      args: ['install', '-v', '-ldflags=-s -w', GO_PACKAGE],
      env,
      timeoutMs: BUILD_LIMIT_MS,
      onLine,
      signal: options.signal,
    });
    await rename(path.join(folder, path.basename(destination)), destination);
  } catch (error) {
    throw new Error(
      `Temporal could neither be downloaded nor built with Go (${(error as Error).message}). ${advice}.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

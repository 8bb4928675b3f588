import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, findOnPath, isExecutable } from './cache.ts';
import { downloadWithSdk, type FetchOptions } from './download.ts';
import { goInstall } from './go-install.ts';

/** `go install` builds no newer version. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const BUILD_LIMIT_MS = 40 * 60_000;

/**
 * Returns the Temporal command line, which contains the dev server: from PATH, the cache folder, the SDK's
 * download, or a build with Go. Throws one sentence that says how to get one.
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
    'Install the Temporal CLI (https://docs.temporal.io/cli) or Go 1.21 or newer, ' +
    'or set TEMPORAL_ADDRESS to a running server';
  options.progress('no download; building it with Go, about 6 minutes on 2 cores, only this once');
  try {
    await goInstall(GO_PACKAGE, destination, { ...options, limitMs: BUILD_LIMIT_MS });
  } catch (error) {
    throw new Error(
      `Temporal could neither be downloaded nor built with Go (${(error as Error).message}). ${advice}.`,
    );
  }
}

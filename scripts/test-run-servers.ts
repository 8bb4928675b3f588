import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startCluster } from '../test/support/cluster.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
/** Beside dist/, because paths to migrations, docs and deploy are counted from there. */
const COMPILED = 'dist-test';

/**
 * What all mocha processes of a run share: Postgres, and but for the quick run Temporal and the compiled sources, which the
 * processes that tests start run.
 */
export async function startServers(
  what: string,
): Promise<{ environment: NodeJS.ProcessEnv; stop(): Promise<void> }> {
  const needsAll = what !== 'quick';
  const [cluster, temporal] = await Promise.all([
    startCluster(),
    needsAll ? startTemporal() : undefined,
    needsAll ? compile() : undefined,
  ]);
  const { port, password } = cluster;
  return {
    environment: {
      TEST_POSTGRES: JSON.stringify({ port, password }),
      ...(temporal ? { TEST_TEMPORAL: temporal.address, TEST_COMPILED: COMPILED } : {}),
    },
    async stop() {
      await Promise.all([cluster.stop(), temporal?.stop()]);
    },
  };
}

async function startTemporal() {
  // Not for the quick run, which needs none of it.
  const { launchTemporalDevServer } = await import('../test/support/temporal.ts');
  return launchTemporalDevServer();
}

/** Types are checked elsewhere. The bundle of workflows is made here, so that no worker makes it. */
async function compile(): Promise<void> {
  const inRoot = (...args: string[]) => run(process.execPath, args, { cwd: root });
  await inRoot('node_modules/typescript/bin/tsc', '-p', 'tsconfig.tests.json');
  await Promise.all([
    inRoot(path.join(COMPILED, 'src/app/bundle-workflows.js')),
    cp(path.join(root, 'sandbox/simulator/page'), path.join(root, COMPILED, 'sandbox/simulator/page'), {
      recursive: true,
    }),
  ]);
}

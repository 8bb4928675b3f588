import { CommandError } from '../../operators/cli/command-error.ts';
import type { StoreContext, To } from '../../operators/cli/context.ts';
import type { Deployments, Version } from '../../platform/temporal/deployments.ts';
import type { Histories } from '../../platform/temporal/replay.ts';

/** Temporal learns of new workers some seconds after their start, later on a slow machine. */
const WAIT_MS = 60_000;

/** Commands for the worker version that gets payments (docs/operations/deploy.md). */
export function addCommands({ program, onStores: run }: To): void {
  const deploy = program.command('deploy').description('which version of the workers gets new payments');
  deploy
    .command('current [build]')
    .description(
      'send new payments to this version (default: of this image); waits until Temporal knows its workers',
    )
    .option('--lacks-queues', 'also if a channel of the previous version has no worker any more')
    .option('--unchecked', 'do not replay open bills first')
    .action((build: string | undefined, { lacksQueues = false, unchecked = false }: CurrentOptions) =>
      run(async (context) => {
        const buildId = await buildIdOf(context, build);
        if (!unchecked) await checkBefore(context, buildId);
        await (await deploymentsOf(context)).makeCurrent(buildId, { waitMs: WAIT_MS, lacksQueues });
        context.print(`${buildId} is current`);
      }),
    );
  deploy
    .command('check')
    .description('can this image continue the open bills, QR codes and resends? It replays their histories')
    .action(() => run((context) => check(context)));
  deploy
    .command('status')
    .description('show every version, and how many open payments need its workers')
    .action(() =>
      run(async (context) => {
        const versions = await (await deploymentsOf(context)).versions();
        for (const version of versions) context.print(lineOf(version));
        context.answer({
          data: versions.map(({ buildId, ...version }) => ({ build_id: buildId, ...version })),
        });
      }),
    );
  deploy
    .command('drain <build>')
    .description('may the workers of an old version stop? Fails while they may not')
    .option('--move', 'move the flows that this image can continue to the current version')
    .action((build: string, { move: moves = false }: { move?: boolean }) =>
      run((context) => drainOf(context, build, moves)),
    );
}

async function deploymentsOf({ temporal, actor }: StoreContext): Promise<Deployments> {
  const { createDeployments } = await import('../../platform/temporal/deployments.ts');
  return createDeployments(temporal().client, actor);
}

async function buildIdOf({ config }: StoreContext, named?: string): Promise<string> {
  const version = await import('../../platform/temporal/build-id.ts');
  return version.buildIdOf(named ?? config.BUILD_ID);
}

type CurrentOptions = { lacksQueues?: boolean; unchecked?: boolean };

/** Only a version's own image knows what it can continue. The current version needs no check. */
async function checkBefore(context: StoreContext, buildId: string): Promise<void> {
  if (buildId !== (await buildIdOf(context))) return;
  if ((await (await deploymentsOf(context)).currentBuildId()) !== buildId) await check(context);
}

async function check(context: StoreContext): Promise<void> {
  const { replayAll, silenceSdk } = await import('../../platform/temporal/replay.ts');
  silenceSdk();
  const { dataConverterOf } = await import('../../platform/temporal/connect.ts');
  const open: Histories = (await deploymentsOf(context))
    .openUpgrading()
    .intoHistories({ concurrency: 5, bufferLimit: 10 });
  const { replayed, failed, isAll } = await replayAll(open, dataConverterOf(context.config));
  for (const { workflowId, why } of failed) context.print(`${workflowId} cannot be continued: ${why}`);
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} of ${replayed} open flows would stop under this version. ` +
        'Put the change behind patched(), or use --unchecked.',
    );
  context.print(`${replayed} open flows can be continued${isAll ? '' : ', the newest; there are more'}`);
}

async function drainOf(context: StoreContext, buildId: string, moves: boolean): Promise<void> {
  const deployments = await deploymentsOf(context);
  const current = await deployments.currentBuildId();
  if (current === buildId)
    throw new CommandError(`${buildId} is current: make another version current first.`);
  if (moves && current !== (await buildIdOf(context)))
    throw new CommandError(
      `The current version is ${current}: only its own image knows what it can continue.`,
    );
  const { dataConverterOf } = await import('../../platform/temporal/connect.ts');
  const { drain } = await import('../../platform/temporal/drain.ts');
  (await import('../../platform/temporal/replay.ts')).silenceSdk();
  const dataConverter = dataConverterOf(context.config);
  const movesTo = moves ? current : null;
  const { open, moved, kept } = await drain(deployments, buildId, { movesTo, dataConverter });
  if (moved > 0) context.print(`${moved} moved to ${current}`);
  for (const workflowId of kept) context.print(`${workflowId} needs ${buildId}`);
  if (open > 0) throw new CommandError(`${open} open payments need the workers of ${buildId}.`);
  context.print(`nothing needs the workers of ${buildId}`);
}

function lineOf({ buildId, state, percentage, pinned }: Version): string {
  const share = percentage === null ? '' : ` ${percentage} %`;
  return `${buildId}  ${state}${share}  ${pinned} open`;
}

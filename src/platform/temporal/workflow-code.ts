import { fileURLToPath } from 'node:url';
import { type Bundle, bundleOfSources } from './source-bundle.ts';

/** The source under tsx, the compiled file in a build. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const fileOf = (where: string) => fileURLToPath(new URL(where, import.meta.url));

/** Workers, builds and replays share these options. */
export const workflowSources = {
  workflowsPath: fileOf(`../../workflows/index.${extension}`),
  workflowInterceptorModules: [fileOf(`../../workflows/tracing.${extension}`)],
};

/** A build puts the bundle beside the compiled folders. */
export const bundleFile = fileOf('../../workflow-bundle.js');

let ofSources: Promise<Bundle> | undefined;

/**
 * The workflows for a worker, as one bundle: the one that the build made, so that no start has to compile them. Run from
 * source, it is made once and kept for as long as the sources stay as they are: it takes seconds, which a worker that
 * was killed would be away longer. Throws when a workflow imports what may not be in a bundle.
 */
export async function workflowCode(): Promise<{ workflowBundle: Bundle }> {
  if (extension === 'js') return { workflowBundle: { codePath: bundleFile } };
  ofSources ??= bundleOfSources(workflowSources);
  return { workflowBundle: await ofSources };
}

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The source under tsx, the compiled file in a build. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const fileOf = (where: string) => fileURLToPath(new URL(where, import.meta.url));

/** What a bundle of the workflows is made of: the same for workers, builds and replays. */
export const workflowSources = {
  workflowsPath: fileOf(`../workflows/index.${extension}`),
  workflowInterceptorModules: [fileOf(`../workflows/tracing.${extension}`)],
};

/** Where a build puts the bundle, beside the compiled folders. */
export const bundleFile = fileOf('../workflow-bundle.js');

/**
 * The workflows for a worker: the bundle that the build made, so that no start has to compile them; run from source,
 * the worker bundles them itself.
 */
export function workflowCode() {
  if (extension === 'js' && existsSync(bundleFile)) return { workflowBundle: { codePath: bundleFile } };
  const { workflowsPath, workflowInterceptorModules } = workflowSources;
  return { workflowsPath, interceptors: { workflowModules: workflowInterceptorModules } };
}

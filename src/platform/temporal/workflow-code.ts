import { fileURLToPath } from 'node:url';
import { type Bundle, bundleOfSources } from './source-bundle.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const fileOf = (where: string) => fileURLToPath(new URL(where, import.meta.url));

export const workflowSources = {
  workflowsPath: fileOf(`../../workflows/index.${extension}`),
  workflowInterceptorModules: [fileOf(`../../workflows/tracing.${extension}`)],
};

export const bundleFile = fileOf('../../workflow-bundle.js');

let ofSources: Promise<Bundle> | undefined;

/**
 * Returns the workflows as one bundle. A build contains it. From source it is made once per state of the
 * files, because that takes seconds and a killed worker must return soon. Throws if a workflow imports a
 * forbidden module.
 */
export async function workflowCode(): Promise<{ workflowBundle: Bundle }> {
  if (extension === 'js') return { workflowBundle: { codePath: bundleFile } };
  ofSources ??= bundleOfSources(workflowSources);
  return { workflowBundle: await ofSources };
}

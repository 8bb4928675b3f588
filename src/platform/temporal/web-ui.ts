import type { Config } from '../../config/config.ts';

/** Returns the address of a workflow's latest run in Temporal's web UI; null if the UI has none. */
export function workflowUrls(
  config: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
): (workflowId: string) => string | null {
  const { TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace } = config;
  if (url === undefined) return () => null;
  const base = `${url.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
  return (workflowId) => `${base}/${encodeURIComponent(workflowId)}`;
}

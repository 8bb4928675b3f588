import { results } from './proxies.ts';

/** Tells a network the result of a bill's payment that we had only acknowledged. */
export async function reportResult(id: string): Promise<string> {
  return results.postResult(id);
}

import { results } from './proxies.ts';

/** Tells a network what became of a payment of a bill that it reported and we have only acknowledged. */
export async function reportResult(id: string): Promise<string> {
  return results.postResult(id);
}

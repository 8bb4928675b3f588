import { results } from './proxies.ts';

/** A network reported a payment of a bill that we have only acknowledged: this tells it the result. */
export async function reportResult(id: string): Promise<string> {
  return results.postResult(id);
}

import { Resolver } from 'node:dns/promises';

/** Returns every address of a name. Rejects with code `ENOTFOUND` or `EAI_AGAIN`. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** Timeout of the first try; the second try has twice as long. */
const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;

/** If IPv4 and IPv6 both give one of these codes, the name does not exist. Other errors may pass. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Asks only this machine's name servers: merchants must not reach `/etc/hosts` and search domains. With
 * `dns.lookup`, which uses two of libuv's threads, two hanging names would block all callbacks. `servers`
 * (address:port) are for tests.
 */
export function createResolveHost(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (addresses.length > 0) return addresses;
    const reasons = families.flatMap((family) => (family.status === 'rejected' ? [family.reason.code] : []));
    const code = reasons.every((reason) => NO_SUCH_NAME.has(reason)) ? 'ENOTFOUND' : 'EAI_AGAIN';
    throw Object.assign(new Error(`${hostname} has no address: ${reasons.join(', ')}`), { code });
  };
}

import { Resolver } from 'node:dns/promises';

/** Returns every address of a name. Rejects with the code `ENOTFOUND` or `EAI_AGAIN`. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** The first try takes so long; the second one is given twice as long. */
const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;

/** If both families say one of these, the name does not exist; anything else may be better soon. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Asks the name servers of this machine, and nothing else: `/etc/hosts` and search domains are not for merchants to
 * reach. Not `dns.lookup`: that one runs on two of libuv's threads, so two names whose servers hang would keep every
 * other callback from being dialled. `servers` (address:port) are for tests.
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

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** ipaddr.js gives this name to an address in none of its special ranges. */
const ORDINARY = 'unicast';

/**
 * Global unicast is 2000::/3 (RFC 4291, IANA's IPv6 address space). The library knows the special ranges, but takes
 * all space that was never handed out for ordinary: `::8.8.8.8` (IPv4-compatible) and 4000::/3 among it.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's own agent answers every machine there, under an address of the public internet. */
const AZURE_HOST = '168.63.129.16';

/**
 * True if an IP address is public: not private, loopback, link-local, carrier-grade NAT, multicast, documentation,
 * benchmark or reserved, and no IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4, Teredo), unique-local or
 * site-local. Text that is not an address's strict form, or has a zone, is not public.
 */
export function isPublicAddress(text: string): boolean {
  // The library reads `0x7f.1` and `127.1` as addresses, too; such text never comes out of a resolver.
  if (isIP(text) === 0 || text.includes('%')) return false;
  if (text === AZURE_HOST) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== ORDINARY) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

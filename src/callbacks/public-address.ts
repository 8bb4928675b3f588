import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** ipaddr.js gives this name to an address outside its special ranges. */
const ORDINARY = 'unicast';

/**
 * Global unicast is 2000::/3 (RFC 4291, IANA's IPv6 address space). The library also accepts unassigned
 * space, such as `::8.8.8.8` (IPv4-compatible) and 4000::/3.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's agent answers every machine at this public-looking address. */
const AZURE_HOST = '168.63.129.16';

/**
 * Returns false for private, loopback, link-local, carrier-grade NAT, multicast, documentation, benchmark and
 * reserved addresses, for IPv6 that carries IPv4 (mapped, NAT64, 6to4, Teredo) or is unique-local or
 * site-local, and for text with a zone or not in strict form.
 */
export function isPublicAddress(text: string): boolean {
  // The library also accepts `0x7f.1` and `127.1`; a resolver never returns such text.
  if (isIP(text) === 0 || text.includes('%')) return false;
  if (text === AZURE_HOST) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== ORDINARY) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

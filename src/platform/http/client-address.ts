import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns the connection's address. Behind trusted proxies it is the last X-Forwarded-For entry that is not a
 * proxy's: the caller may have written the entries before it.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = trustedOf(trustedProxies);
  return (request) => {
    let address = plain(request.socket.remoteAddress ?? '');
    if (trustedProxies.length === 0) return address;
    const forwarded = (request.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
    while (isTrusted(address)) {
      const next = plain(forwarded.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/** Writes an IPv4 address as such, even from an IPv6 socket. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Returns true if a trusted proxy received the request over TLS (X-Forwarded-Proto). */
export function createTlsCheck(trustedProxies: readonly string[]): (request: IncomingMessage) => boolean {
  const isTrusted = trustedOf(trustedProxies);
  return ({ socket, headersDistinct }) =>
    isTrusted(plain(socket.remoteAddress ?? '')) &&
    headersDistinct['x-forwarded-proto']?.at(-1)?.split(',').at(-1)?.trim().toLowerCase() === 'https';
}

function trustedOf(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    trusted.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';

const URL_LENGTH_MAX = 2_048;
/** The sender's own limit of time ends an attempt; this one ends the dialling that it leaves behind. */
const CONNECT_TIMEOUT_MS = 15_000;

/** The two families are kept apart: an IPv6 rule for mapped addresses would match every IPv4 address in one list. */
const privateV4 = new BlockList();
const publicV6 = new BlockList();
const reservedV6 = new BlockList();

/** IANA special-purpose address registries. Each with its reason, because one day somebody asks. */
const V4_NOT_PUBLIC: readonly [network: string, prefix: number, why: string][] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-grade NAT'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local, cloud metadata'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, '6to4 relays'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, broadcast'],
];

/**
 * Global unicast is 2000::/3; whatever is outside it is refused: loopback, mapped, NAT64 (64:ff9b::/96 and
 * 64:ff9b:1::/48), discard, unique-local, link-local, site-local, multicast. These are the exceptions inside it.
 */
const V6_NOT_PUBLIC: readonly [network: string, prefix: number, why: string][] = [
  ['2001::', 23, 'protocol assignments: Teredo, benchmarks, ORCHID'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
];

publicV6.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of V4_NOT_PUBLIC) privateV4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of V6_NOT_PUBLIC) reservedV6.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is one of the public internet. Anything that is not an address, or has a zone, is not. */
export function isPublicAddress(address: string): boolean {
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) return !privateV4.check(address, 'ipv4');
  if (family === 6) return publicV6.check(address, 'ipv6') && !reservedV6.check(address, 'ipv6');
  return false;
}

/** The callback address leads where callbacks must not go. Its message says so without naming the address. */
export class AddressNotPublic extends Error {
  constructor() {
    super('the callback address does not lead to a public internet address');
    this.name = 'AddressNotPublic';
  }
}

export type UrlPolicy = {
  /** Why a callback URL is refused, as a sentence for the merchant; null when it may be used. */
  check(url: string): string | null;
  /** Checks every address again when it dials: a name that resolved to a public address can be changed later. */
  dispatcher: Agent;
};

export type Resolver = typeof resolve;

/**
 * What a callback URL may be. In development http and any address; otherwise https only, the given ports, and
 * never an address that is not public (decisions in docs/callbacks.md).
 */
export function createUrlPolicy(settings: {
  development: boolean;
  ports: readonly number[];
  /** how names are resolved; the system's resolver unless a test brings its own */
  resolver?: Resolver;
}): UrlPolicy {
  return {
    check: (url) => problemOf(url, settings),
    dispatcher: settings.development
      ? new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } })
      : new Agent({ connect: guardedConnector(settings.resolver ?? resolve) }),
  };
}

function problemOf(
  text: string,
  settings: { development: boolean; ports: readonly number[] },
): string | null {
  if (text.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an absolute http(s) address';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (settings.development) return null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const port = url.port === '' ? 443 : Number(url.port);
  if (!settings.ports.includes(port)) return `must use one of the ports ${settings.ports.join(', ')}`;
  const host = bare(url.hostname);
  const isLocalName = /(^|\.)localhost\.?$/i.test(host);
  if (isLocalName || (isIP(host) !== 0 && !isPublicAddress(host))) {
    return 'must lead to a public internet address';
  }
  return null;
}

/** An address in the URL never reaches the resolver, so it is checked before the socket is opened. */
function guardedConnector(resolver: Resolver): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(resolver), timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) => {
    const host = bare(options.hostname);
    if (isIP(host) !== 0 && !isPublicAddress(host)) return callback(new AddressNotPublic(), null);
    connect({ ...options, hostname: host }, callback);
  };
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** One address that is not public spoils the name: a name that mixes both is an attempt to get in. */
function guardedLookup(resolver: Resolver) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new AddressNotPublic(), []);
      }
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

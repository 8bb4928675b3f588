import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type Message, say } from '../domain/messages.ts';
import { isPublicAddress } from './public-address.ts';
import { createResolveHost, type ResolveHost } from './resolve-host.ts';

const URL_LENGTH_MAX = 2_048;
/** Covers DNS, TCP and TLS. The sender's limit ends an attempt; this one ends only its dial. */
const CONNECT_TIMEOUT_MS = 10_000;

/** These names are never on the public internet (RFC 6761, 6762, 8375, and ICANN's `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** The message does not name the address. */
export class AddressNotPublic extends Error {
  constructor() {
    super('the callback address does not lead to a public internet address');
    this.name = 'AddressNotPublic';
  }
}

export type UrlPolicy = {
  /** Returns why a callback URL is refused, in words for the merchant, or null. */
  check(url: string): Message | null;
  /** Checks every address again when it dials: a name may resolve elsewhere later. */
  dispatcher: Agent;
};

/** Development allows any URL. Otherwise: https, a configured port and public addresses (decision 0008). */
export function createUrlPolicy(settings: {
  development: boolean;
  ports: readonly number[];
  /** this machine's name servers by default; tests pass their own */
  resolveHost?: ResolveHost;
}): UrlPolicy {
  return {
    check: (url) => problemOf(url, settings),
    dispatcher: settings.development
      ? new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } })
      : createGuardedAgent({
          resolveHost: settings.resolveHost ?? createResolveHost(),
          isAllowed: isPublicAddress,
        }),
  };
}

/** Uses the same parser as the sender, so both read the URL alike. */
function problemOf(
  text: string,
  settings: { development: boolean; ports: readonly number[] },
): Message | null {
  if (text.length > URL_LENGTH_MAX) return say('must_have_at_most_characters', { maximum: URL_LENGTH_MAX });
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return say('must_be_address');
  // The parser drops tabs and line breaks and reads a backslash as a slash; other programs do not.
  if (/[\s\p{Cc}\\]/u.test(text)) return say('must_not_have_spaces');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return say('must_not_have_password');
  if (settings.development) return null;
  if (url.protocol !== 'https:') return say('must_begin_with_https');
  const port = url.port === '' ? 443 : Number(url.port);
  if (!settings.ports.includes(port)) return say('must_use_ports', { ports: settings.ports.join(', ') });
  return mayBePublic(bare(url.hostname)) ? null : say('must_be_public');
}

function mayBePublic(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  const name = host.replace(/\.$/, '');
  return name.includes('.') && !LOCAL_NAME.test(name);
}

/**
 * Connects only to allowed addresses. Resolves a name once per connection and dials that answer; Host and TLS
 * name stay the URL's. A forbidden address fails with `AddressNotPublic` before a socket opens.
 */
export function createGuardedAgent(settings: {
  resolveHost: ResolveHost;
  isAllowed: (address: string) => boolean;
  /** PEM, instead of the machine's certificate authorities */
  ca?: string;
}): Agent {
  const { resolveHost, isAllowed, ca } = settings;
  const connect = buildConnector({
    ...(ca === undefined ? {} : { ca }),
    lookup: guardedLookup(resolveHost, isAllowed),
    timeout: CONNECT_TIMEOUT_MS,
  });
  return new Agent({
    connect: (options, callback) => {
      const host = bare(options.hostname);
      // Node does not call the lookup for an IP address in the URL.
      if (isIP(host) !== 0 && !isAllowed(host)) return callback(new AddressNotPublic(), null);
      connect({ ...options, hostname: host }, callback);
    },
  });
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** One forbidden address refuses the whole name: mixed answers are an attempt to reach our network. */
function guardedLookup(resolveHost: ResolveHost, isAllowed: (address: string) => boolean) {
  const allowedOnly = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = await resolveHost(hostname);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new AddressNotPublic();
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    allowedOnly(hostname).then(
      (all) => (options.all ? callback(null, all) : callback(null, all[0]?.address ?? '', all[0]?.family)),
      (error) => callback(error, []),
    );
  };
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

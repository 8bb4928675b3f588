import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type Message, say } from '../domain/messages.ts';
import { isPublicAddress } from './public-address.ts';
import { createResolveHost, type ResolveHost } from './resolve-host.ts';

const URL_LENGTH_MAX = 2_048;
/** The limit covers name, TCP and TLS. The sender's limit ends an attempt; this one ends the dialling left behind. */
const CONNECT_TIMEOUT_MS = 10_000;

/** These names are never of the public internet (RFC 6761, 6762, 8375, and ICANN's `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** The callback address leads where callbacks must not go. Its message says so without naming the address. */
export class AddressNotPublic extends Error {
  constructor() {
    super('the callback address does not lead to a public internet address');
    this.name = 'AddressNotPublic';
  }
}

export type UrlPolicy = {
  /** Returns why a callback URL is refused, as the merchant reads it; null when it may be used. */
  check(url: string): Message | null;
  /** Checks every address again when it dials: a name that resolved to a public address can be changed later. */
  dispatcher: Agent;
};

/** Development allows any URL; else https, a given port and public addresses (decision 0008). */
export function createUrlPolicy(settings: {
  development: boolean;
  ports: readonly number[];
  /** the name servers of this machine unless a test brings its own names */
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

/** The parser that sends also reads the URL for this check, so there is only one reading of it. */
function problemOf(
  text: string,
  settings: { development: boolean; ports: readonly number[] },
): Message | null {
  if (text.length > URL_LENGTH_MAX) return say('must_have_at_most_characters', { maximum: URL_LENGTH_MAX });
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return say('must_be_address');
  // The parser drops tabs and line breaks and takes a backslash for a slash; other programs do not.
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
 * Connects to allowed addresses only. A name is resolved once per connection, and the connection goes to what that one
 * answer says; Host and the TLS name stay the URL's. Requests fail with `AddressNotPublic` before any socket is opened.
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
      // An address in the URL never reaches the lookup.
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

/** One address that is not allowed spoils the name: a name that mixes both is an attempt to get in. */
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

import { causesOf } from '../../domain/causes.ts';
import type { Opened } from './bill-connections.ts';
import { handshake } from './reach.ts';

export type Shown = {
  protocol: string;
  check?: () => Promise<string>;
  /** true: the check calls the network; false: it only connects, so our credentials are untested */
  asks: boolean;
  insecureHttp: string | undefined;
};

export function shownOf({ connection, open }: Opened): Shown {
  const check = checkOf({ connection, open });
  return {
    protocol: connection.protocol.name,
    insecureHttp: connection.reach.insecure_http,
    asks: open.check !== undefined,
    ...(check ? { check } : {}),
  };
}

/**
 * Makes a call that changes nothing: the protocol's own, or only a connection. Returns a sentence, or rejects
 * with the likely cause first. Undefined if only the network calls us.
 */
function checkOf({ connection, open }: Opened): (() => Promise<string>) | undefined {
  const { addresses = [] } = open;
  if (!open.check && addresses.length === 0) return undefined;
  const ask =
    open.check ??
    (async () => {
      for (const address of addresses) await handshake(address, connection.reach);
      return 'a connection opens; it has no harmless question, so credentials show at the first payment';
    });
  return () =>
    ask().catch((error) => {
      throw new Error(named(causesOf(error)));
    });
}

/** The first match gives the cause, in words for the network's staff. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/the proxy/, 'the proxy does not let us through'],
  [/does not contain a DNS name/, 'its certificate has no name: ask for one with a DNS name'],
  [/IP: .{1,60} is not in the cert/, 'we call an address, and its certificate has a name (reach.serverName)'],
  [/ALTNAME_INVALID/, 'its certificate has another name (reach.serverName)'],
  [/CERT_NOT_YET_VALID/, 'its certificate is not valid yet: is our clock right?'],
  [/ALERT_CERTIFICATE_EXPIRED/, 'our certificate has ended, or its clock is wrong (reach.certificate)'],
  [/CERT_HAS_EXPIRED/, 'its certificate is not valid now'],
  [
    /ALERT_UNKNOWN_CA/,
    'our certificate is of another authority, or came without its chain (reach.certificate)',
  ],
  [/ALERT_CERTIFICATE_REQUIRED/, 'it asks for a certificate of ours, and none is there (reach.certificate)'],
  [
    /ALERT_PROTOCOL_VERSION/,
    'it speaks TLS 1.1 or older, or 1.3 alone where our certificate wants 1.2 (reach.md)',
  ],
  [/UNSUPPORTED_PROTOCOL/, 'it speaks TLS 1.1 or older, which is not safe: ask the network for 1.2'],
  [/RENEGOTIATION_DISABLED/, 'it has no secure renegotiation (reach.insecure_renegotiation)'],
  [/is not HTTP/, 'its answer is not HTTP'],
  [/UNABLE_TO|SELF_SIGNED/, 'its certificate is of no authority that we trust (reach.ca)'],
  [/ALERT|HANDSHAKE_FAILURE/, 'our certificate is refused, or asked for and not there (reach.certificate)'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH/, 'it speaks no TLS at this port'],
  [/ENOTFOUND|EAI_AGAIN/, 'its name does not resolve'],
  [/EADDRNOTAVAIL/, 'we have no such address (reach.outboundAddress)'],
  [/ECONNREFUSED/, 'nothing listens there'],
  [
    /CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError|not ready in time|ECONNRESET|UND_ERR_SOCKET/,
    'it does not answer: is the line up, and is our address on its list?',
  ],
  [/origin/i, 'our origin is none of its trusted sources'],
  [/not signed/, 'it does not know our secret, or we not its own, or its clock is wrong'],
  [/HTTP 40[13]\b|access token: HTTP 400|INS-989|our credentials/, 'credentials refused'],
  [
    /SSL certificate|HTTP 49[56]\b/,
    'it asks for a certificate of ours, or takes this one not (reach.certificate)',
  ],
  [/HTTP 407\b/, 'a proxy on the way wants us to log in (reach.proxy)'],
  [/HTTP 3\d\d\b|HTTP 200\b/, 'a page answers, not the network: a login of something before it?'],
  [/HTTP 404\b/, 'there is no such address: is the path right?'],
  [/HTTP 429\b/, 'it is asked too often'],
  [/HTTP 5\d\d\b/, 'it has trouble of its own'],
];

export function named(detail: string): string {
  const cause = causes.find(([pattern]) => pattern.test(detail))?.[1];
  return cause === undefined ? detail : `${cause} (${detail})`;
}

import { causesOf } from '../../domain/causes.ts';
import type { Opened } from './bill-connections.ts';
import { handshake } from './reach.ts';

/** What people are shown of a connection. */
export type Shown = {
  protocol: string;
  check?: () => Promise<string>;
  insecureHttp: string | undefined;
};

export function shownOf({ connection, open }: Opened): Shown {
  const check = checkOf({ connection, open });
  return {
    protocol: connection.protocol.name,
    insecureHttp: connection.reach.insecure_http,
    ...(check ? { check } : {}),
  };
}

/**
 * Asks a network what changes nothing: its own call where its protocol has one, else whether a connection comes about.
 * Gives a sentence, or rejects with one that begins with the cause. Absent where the network only calls us.
 */
function checkOf({ connection, open }: Opened): (() => Promise<string>) | undefined {
  const { addresses = [] } = open;
  if (!open.check && addresses.length === 0) return undefined;
  const ask =
    open.check ??
    (async () => {
      for (const address of addresses) await handshake(address, connection.reach);
      return 'a connection comes about; it has no harmless question, so credentials show at the first payment';
    });
  return () =>
    ask().catch((error) => {
      throw new Error(named(causesOf(error)));
    });
}

/** The first that fits: what a call says of itself, as people at the network name it. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/the proxy/, 'the proxy does not let us through'],
  [/ALTNAME_INVALID/, 'its certificate has another name (reach.serverName)'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is not valid now'],
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
  [/not signed/, 'it does not know our secret, or we not its own'],
  [/HTTP 40[13]\b|access token: HTTP 400|INS-989|our credentials/, 'credentials refused'],
  [/HTTP 404\b/, 'there is no such address: is the path right?'],
  [/HTTP 429\b/, 'it is asked too often'],
  [/HTTP 5\d\d\b/, 'it has trouble of its own'],
];

function named(detail: string): string {
  const cause = causes.find(([pattern]) => pattern.test(detail))?.[1];
  return cause === undefined ? detail : `${cause} (${detail})`;
}

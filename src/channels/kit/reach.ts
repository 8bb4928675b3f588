import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { z } from 'zod';
import { createAddressList } from './address-list.ts';
import { createLookup } from './names.ts';

/** A network is reached with certificates, addresses and a proxy (docs/operations/reach.md). */

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const pem = z.string().refine(isReadable, 'must be certificates in PEM');

export const reachSchema = z
  .strictObject({
    /** the network's certificate or its authority's; replaces the public ones; two during a replacement */
    ca: z.union([pem, z.array(pem).min(1)]).optional(),
    /** our own certificate, with the chain to its authority */
    certificate: pem.optional(),
    key: z.string().min(1).optional(),
    passphrase: z.string().min(1).optional(),
    /** name in the network's certificate, if we use another name or an address */
    serverName: z.hostname().optional(),
    /** our address, which the network allows */
    outboundAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
    proxy: z
      .url({ protocol: /^http$/ })
      .refine(isDecodable, 'has a % in its user or password: write it as %25')
      .optional(),
    /** sends `serverName` as `Host` too */
    host: z.literal(true).optional(),
    /** permits TLS without secure renegotiation (RFC 5746): an attacker could put a request before ours */
    insecure_renegotiation: z.literal(true).optional(),
    /** reason why plain http is safe, such as a private line */
    insecure_http: z.string().trim().min(1).max(100).optional(),
  })
  .superRefine(({ certificate, key, passphrase, proxy, insecure_http, host, serverName }, context) => {
    const wrong = (member: string, message: string) =>
      context.addIssue({ code: 'custom', path: [member], message });
    if ((certificate === undefined) !== (key === undefined))
      wrong('certificate', 'needs its key, and a key its certificate');
    else if (certificate !== undefined && key !== undefined && !isPair(certificate, { key, passphrase }))
      wrong('key', 'is not the key of this certificate, or the passphrase does not open it');
    if (host && serverName === undefined) wrong('host', 'needs the serverName that it names');
    if (proxy !== undefined && insecure_http !== undefined && !isPrivate(proxy))
      wrong('proxy', 'plain http goes through private addresses only');
  });
export type Reach = z.infer<typeof reachSchema>;

function isDecodable(address: string): boolean {
  try {
    const url = URL.parse(address);
    decodeURIComponent(`${url?.username}${url?.password}`);
    return true;
  } catch {
    return false;
  }
}

export const reachSecrets: readonly string[] = ['key', 'passphrase', 'proxy'];

const isPrivateAddress = createAddressList([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  '127.0.0.0/8',
  '::1',
]);

/** Checks only literal addresses, because a name may have another address tomorrow. */
export function isPrivate(url: string): boolean {
  return isPrivateAddress(URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '');
}

/** `about` names the setting and the certificate's subject. */
export type HeldCertificate = { about: string; endsAt: Date };

export function certificatesOf({ ca = [], certificate = '' }: Reach): HeldCertificate[] {
  const read = (member: string, texts: string[]) =>
    texts.flatMap(certificatesIn).map(({ subject, validTo }) => ({
      about: `${member} (${subject?.replaceAll('\n', ', ') || 'without a name'})`,
      endsAt: new Date(validTo),
    }));
  return [...read('certificate', [certificate]), ...read('ca', [ca].flat())];
}

function certificatesIn(text: string): X509Certificate[] {
  return (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
}

function isReadable(text: string): boolean {
  try {
    return certificatesIn(text).length > 0;
  } catch {
    return false;
  }
}

function isPair(
  certificate: string,
  { key, passphrase }: { key: string; passphrase: string | undefined },
): boolean {
  try {
    const opened = createPrivateKey(passphrase === undefined ? key : { key, passphrase });
    return certificatesIn(certificate)[0]?.checkPrivateKey(opened) ?? false;
  } catch {
    return false;
  }
}

type Dial = buildConnector.connector;
type Target = Parameters<Dial>[0];

/** Opens a client's connections. After an error, which `onFailure` gets, no byte was sent. */
export function createDial(reach: Reach, timeoutMs: number, onFailure: (error: Error) => void): Dial {
  const { ca, certificate, key, passphrase, serverName, outboundAddress, proxy } = reach;
  // A TLS 1.3 server may refuse our certificate after it has got a request. So we use 1.2.
  const own = certificate === undefined ? {} : { cert: certificate, key, maxVersion: 'TLSv1.2' as const };
  const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true };
  const lookup = createLookup();
  const connect = buildConnector({
    ...own,
    ...trust,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(reach.insecure_renegotiation ? { secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT } : {}),
    lookup,
    timeout: timeoutMs,
  });
  return (target, callback) => {
    const fail = (error: Error) => {
      onFailure(error);
      callback(error, null);
    };
    const to: Target = {
      ...target,
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(outboundAddress === undefined ? {} : { localAddress: outboundAddress }),
    };
    const open = (httpSocket?: Socket) =>
      connect(httpSocket ? { ...to, httpSocket } : to, (...[error, socket]) =>
        error ? fail(error) : callback(null, withoutContinue(socket as Socket)),
      );
    if (proxy === undefined) return open();
    const isPlain = to.protocol === 'http:';
    tunnel(new URL(proxy), { ...to, lookup }, timeoutMs).then(
      (socket) => (isPlain ? callback(null, withoutContinue(socket)) : open(socket)),
      fail,
    );
  };
}

const CONTINUE = /^HTTP\/1\.[01] 100[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n/;
const CONTINUE_BYTES_MAX = 1_024;

/** Drops an unrequested "100 Continue", which the client would read as the answer. */
function withoutContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const bytes: Buffer | null = read(size);
    const [said = ''] = CONTINUE.exec(bytes?.toString('latin1', 0, CONTINUE_BYTES_MAX) ?? '') ?? [];
    return said === '' ? bytes : bytes?.length === said.length ? null : bytes?.subarray(said.length);
  };
  return socket;
}

/** A TLS 1.3 server reports a missing certificate only after the handshake, so we wait. */
const SECOND_THOUGHT_MS = 300;

/** Opens and closes a connection without sending anything. Rejects if that fails. */
export function handshake(url: string, reach: Reach): Promise<void> {
  const { hostname, host, protocol, port } = new URL(url);
  const dial = createDial(reach, HANDSHAKE_TIMEOUT_MS, () => {});
  return new Promise((resolve, reject) =>
    dial({ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }, (...[error, socket]) => {
      if (error) return reject(error);
      socket.on('error', reject).resume();
      setTimeout(() => {
        socket.destroy();
        resolve();
      }, SECOND_THOUGHT_MS);
    }),
  );
}

const HANDSHAKE_TIMEOUT_MS = 5_000;

/** The proxy sees host and port, and plain traffic. */
function tunnel(proxy: URL, to: Target & { lookup: LookupFunction }, timeoutMs: number): Promise<Socket> {
  const host = isIPv6(to.hostname) ? `[${to.hostname}]` : to.hostname;
  const path = `${host}:${to.port || (to.protocol === 'http:' ? 80 : 443)}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return new Promise((resolve, reject) => {
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || 80,
      method: 'CONNECT',
      path,
      headers: {
        host: path,
        ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials.toString('base64')}` }),
      },
      agent: false,
      lookup: to.lookup,
      ...(to.localAddress ? { localAddress: to.localAddress } : {}),
    });
    const late = setTimeout(() => asked.destroy(new Error('the proxy does not answer in time')), timeoutMs);
    asked.once('close', () => clearTimeout(late));
    asked.once('error', (error) => reject(new Error('the proxy is not reached', { cause: error })));
    asked.once('connect', ({ statusCode }, socket) => {
      clearTimeout(late);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy answers HTTP ${statusCode}`));
    });
    asked.end();
  });
}

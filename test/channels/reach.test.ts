import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { certificatesOf, type Reach } from '../../src/channels/kit/reach.ts';
import { createAuthorities, type Pair } from '../support/certificates.ts';
import { pick } from '../support/pick.ts';
import { startOpenssl } from './openssl-server.ts';

const asksForOurs = ['-Verify', '1', '-verify_return_error', '-CAfile', 'vodacom.pem'];

/** Real TLS servers and a real proxy on this machine: what is proven is that nothing leaves us where a way is wrong. */
describe('the way to a network', function () {
  this.timeout(30_000);
  const made = createAuthorities();
  const ca = made.authority('vodacom');
  const otherCa = made.authority('stranger');
  const network = made.issue('vodacom', 'broker.vodacom.test');
  const nextNetwork = made.issue('vodacom', 'next.vodacom.test');
  const ours = made.issue('vodacom', 'malipo.vodacom.test', { passphrase: 'opens it' });
  const strangers = made.issue('stranger', 'malipo.vodacom.test');
  const open: (() => void)[] = [];
  let seen: { from: string | undefined; body: string }[] = [];

  const answer = async (request: IncomingMessage) => {
    const chunks = await request.toArray();
    seen.push({ from: request.socket.remoteAddress, body: Buffer.concat(chunks).toString() });
  };

  async function listening(server: Server): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  const serveTls = (pair: Pair) =>
    listening(
      createHttpsServer(pair, (request, response) => void answer(request).then(() => response.end('ok'))),
    );

  async function call(url: string, reach: Reach) {
    const http = createHttpClient({ reach, connectTimeoutMs: 2_000 });
    try {
      const result = await http.send({ method: 'POST', url, headers: {}, body: 'pay', timeoutMs: 5_000 });
      return result.kind === 'answer' ? `HTTP ${result.status}` : `${result.kind}: ${result.detail}`;
    } finally {
      await http.close();
    }
  }

  beforeEach(() => {
    seen = [];
  });
  afterEach(() => {
    for (const close of open.splice(0)) close();
  });
  after(() => made.remove());

  it('trusts the authority that it names, under the name that the certificate has', async () => {
    const url = `https://127.0.0.1:${await serveTls(network)}/`;
    const serverName = 'broker.vodacom.test';
    assert.equal(await call(url, { ca, serverName }), 'HTTP 200');
    assert.equal(await call(url, { ca: [otherCa, ca], serverName }), 'HTTP 200', 'one replaces the other');
    assert.match(await call(url, { serverName }), /^not_sent: UNABLE_TO/);
    assert.match(await call(url, { ca: otherCa, serverName }), /^not_sent: UNABLE_TO/);
    assert.match(await call(url, { ca }), /^not_sent: ERR_TLS_CERT_ALTNAME_INVALID/);
    assert.equal(seen.length, 2, 'nothing was sent to whoever was not trusted');
  });

  it('trusts one certificate alone where that is named, and no other one of its authority', async () => {
    const url = `https://127.0.0.1:${await serveTls(network)}/`;
    assert.equal(await call(url, { ca: network.cert, serverName: 'broker.vodacom.test' }), 'HTTP 200');
    const replaced = `https://127.0.0.1:${await serveTls(nextNetwork)}/`;
    assert.match(
      await call(replaced, { ca: network.cert, serverName: 'next.vodacom.test' }),
      /^not_sent: UNABLE_TO/,
    );
    assert.equal(seen.length, 1);
  });

  it('shows its certificate, and has sent nothing where that is refused', async () => {
    const { port, server } = await startOpenssl(made.folder, 'vodacom-broker.vodacom.test', ...asksForOurs);
    open.push(() => void server.kill());
    const url = `https://127.0.0.1:${port}/`;
    const way = { ca, serverName: 'broker.vodacom.test' };
    const get = async (reach: Reach) => {
      const http = createHttpClient({ reach });
      const result = await http.send({ method: 'GET', url, headers: {}, timeoutMs: 5_000 });
      await http.close();
      return result.kind === 'answer' ? `HTTP ${result.status}` : `${result.kind}: ${result.detail}`;
    };
    const own = { certificate: ours.cert, key: ours.key, passphrase: 'opens it' };
    assert.equal(await get({ ...way, ...own }), 'HTTP 200');
    const refused = await get({ ...way, certificate: strangers.cert, key: strangers.key });
    assert.match(refused, /^not_sent: .*(unknown ca|bad certificate|handshake failure)/i);
  });

  it('leaves from the address that the network has on its list', async () => {
    const url = `https://127.0.0.1:${await serveTls(network)}/`;
    const reach = { ca, serverName: 'broker.vodacom.test', outboundAddress: '127.0.0.9' };
    assert.equal(await call(url, reach), 'HTTP 200');
    assert.deepEqual(seen, [{ from: '127.0.0.9', body: 'pay' }]);
  });

  it('goes through a proxy, which sees host and port and no more', async () => {
    const tls = await serveTls(network);
    const plain = await listening(
      createHttpServer((request, response) => void answer(request).then(() => response.end('ok'))),
    );
    const proxy = createProxy('malipo:p ss');
    const at = await listening(proxy.server);
    const way = { ca, serverName: 'broker.vodacom.test' };
    const through = `http://malipo:p%20ss@127.0.0.1:${at}`;
    assert.equal(await call(`https://127.0.0.1:${tls}/`, { ...way, proxy: through }), 'HTTP 200');
    assert.equal(await call(`http://127.0.0.1:${plain}/`, { proxy: through }), 'HTTP 200');
    assert.deepEqual(proxy.asked, [`127.0.0.1:${tls}`, `127.0.0.1:${plain}`]);
    assert.equal(seen.length, 2);
    assert.equal(
      await call(`https://127.0.0.1:${tls}/`, { ...way, proxy: `http://127.0.0.1:${at}` }),
      'not_sent: the proxy answers HTTP 407',
    );
    assert.match(
      await call(`https://127.0.0.1:${tls}/`, { ca: otherCa, serverName: way.serverName, proxy: through }),
      /^not_sent: UNABLE_TO/,
    );
  });

  it('has sent nothing where the proxy is down, silent or cannot reach the network', async () => {
    const url = `https://127.0.0.1:${await serveTls(network)}/`;
    const way = { ca, serverName: 'broker.vodacom.test' };
    assert.match(
      await call(url, { ...way, proxy: 'http://127.0.0.1:1' }),
      /^not_sent: the proxy is not reached: ECONNREFUSED/,
    );
    const silent = await listening(createHttpServer().on('connect', () => undefined));
    assert.match(
      await call(url, { ...way, proxy: `http://127.0.0.1:${silent}` }),
      /^not_sent: the proxy is not reached: the proxy does not answer in time/,
    );
    const lost = await listening(createProxy(':').server);
    assert.equal(
      await call('https://127.0.0.1:1/', { ...way, proxy: `http://127.0.0.1:${lost}` }),
      'not_sent: the proxy answers HTTP 502',
    );
    assert.equal(seen.length, 0);
  });

  it('knows when each certificate ends that it holds', () => {
    const soon = made.issue('vodacom', 'soon.vodacom.test', { days: 3 });
    const held = certificatesOf({ ca: [ca, otherCa], certificate: soon.cert, key: soon.key });
    assert.deepEqual(pick(held, 'about'), [
      'certificate (CN=soon.vodacom.test)',
      'ca (CN=vodacom)',
      'ca (CN=stranger)',
    ]);
    const days = held.map(({ endsAt }) => Math.round((endsAt.getTime() - Date.now()) / 86_400_000));
    assert.deepEqual(days, [3, 400, 400]);
  });
});

/** Takes CONNECT from whoever has the credentials; `:` takes everybody. */
function createProxy(credentials: string) {
  const asked: string[] = [];
  const server = createHttpServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    const given = request.headers['proxy-authorization'] ?? '';
    const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
    socket.on('error', () => undefined);
    if (credentials !== ':' && given !== expected)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [host = '', port] = (request.url ?? '').split(':');
    const beyond = connect(Number(port), host, () => {
      asked.push(request.url ?? '');
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      beyond.pipe(socket).pipe(beyond);
    });
    beyond.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  return { server, asked };
}

// tests: slow
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Reach } from '../../src/channels/kit/reach.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { createAuthorities } from '../support/certificates.ts';
import { serve } from '../support/served.ts';
import { channelsOf } from './accounts.ts';
import { startOpenssl } from './openssl-server.ts';

/** Live servers, each wrong in one way: what `channels check` says of it. */
describe('the cause that a check names', function () {
  this.timeout(30_000);
  const made = createAuthorities();
  const ca = made.authority('network');
  made.authority('stranger');
  made.issue('network', 'net.test');
  made.issue('network', 'bare.test', { nameless: true });
  const ours = made.issue('network', 'malipo.test');
  const ended = made.issue('network', 'ended.test', { days: -1 });
  const strangers = made.issue('stranger', 'malipo.test');
  const between = made.issue('network', 'between.test', { authority: true });
  const chained = made.issue('network-between.test', 'malipo.test');
  const open: (() => void)[] = [];
  afterEach(() => {
    for (const close of open.splice(0)) close();
  });
  after(() => made.remove());

  async function openssl(name: string, ...more: string[]): Promise<number> {
    const { port, server } = await startOpenssl(made.folder, `network-${name}`, ...more);
    open.push(() => void server.kill());
    return port;
  }

  const asks = ['-Verify', '3', '-verify_return_error', '-CAfile', 'network.pem'];
  /** HaloPesa has no harmless question: a connection opens, or the cause is named. */
  const check = async (url: string, reach: Reach, protocol = 'halopesa') => {
    const shown = channelsOf(url, protocol, { reach }).connections.get('one');
    return shown?.check?.().catch((error: Error) => `failed: ${error.message}`);
  };
  const at = async (name: string, server: string[], reach: Reach) =>
    check(`https://127.0.0.1:${await openssl(name, ...server)}/`, { ca, serverName: name, ...reach });
  const with_ = ({ cert, key }: { cert: string; key: string }) => ({ certificate: cert, key });

  const works = /^a connection opens/;
  const causes: [what: string, name: string, server: string[], reach: Reach, said: RegExp][] = [
    ['nothing, where all is well', 'net.test', asks, with_(ours), works],
    [
      'our certificate that is missing (1.2)',
      'net.test',
      [...asks, '-tls1_2'],
      {},
      /^failed: our certificate is refused, or asked for and not there/,
    ],
    [
      'our certificate that is missing (1.3)',
      'net.test',
      [...asks, '-tls1_3'],
      {},
      /^failed: it asks for a certificate of ours, and none is there/,
    ],
    ['our certificate that has ended', 'net.test', asks, with_(ended), /^failed: our certificate has ended/],
    [
      'our certificate of another authority',
      'net.test',
      asks,
      with_(strangers),
      /^failed: our certificate is of another authority, or came without its chain/,
    ],
    [
      'our certificate without its chain',
      'net.test',
      asks,
      with_(chained),
      /^failed: our certificate is of another authority, or came without its chain/,
    ],
    [
      'nothing, where the chain is there',
      'net.test',
      asks,
      with_({ ...chained, cert: chained.cert + between.cert }),
      works,
    ],
    [
      'TLS 1.1 only',
      'net.test',
      ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'],
      {},
      /^failed: it speaks TLS 1\.1 or older/,
    ],
    [
      'TLS 1.3 only, where we show a certificate',
      'net.test',
      [...asks, '-tls1_3'],
      with_(ours),
      /^failed: it speaks TLS 1\.1 or older, or 1\.3 alone where our certificate wants 1\.2/,
    ],
    ['nothing, where its name is only in CN', 'bare.test', [], {}, works],
    [
      'another name in CN',
      'bare.test',
      [],
      { serverName: 'other.test' },
      /^failed: its certificate has another name \(reach\.serverName\)/,
    ],
  ];
  for (const [what, name, server, reach, said] of causes)
    it(`is ${what}`, async () => assert.match((await at(name, server, reach)) ?? '', said));

  it('is an address that is dialled, where the certificate has a name', async () => {
    const url = `https://127.0.0.1:${await openssl('net.test')}/`;
    assert.match(
      (await check(url, { ca })) ?? '',
      /^failed: we call an address, and its certificate has a name/,
    );
  });

  it('is http at an https address', async () => {
    const server = createHttpServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
    open.push(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const protocol of ['halopesa', 'selcom'])
      assert.match(
        (await check(url, {}, protocol)) ?? '',
        /^failed: it speaks no TLS at this port/,
        protocol,
      );
  });

  it('is RFC 5746 that a server lacks, unless the file takes its price', async () => {
    const server = createServer(withoutRenegotiation).listen(0, '127.0.0.1');
    open.push(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    assert.match((await check(url, {})) ?? '', /^failed: it has no secure renegotiation \(/);
    // This one goes no further than its greeting, which is taken now.
    assert.match((await check(url, { insecure_renegotiation: true })) ?? '', /HANDSHAKE_FAILURE/);
  });

  for (const { name } of protocols.filter((one) => one.marks && one.name !== 'halopesa'))
    it(`is a page that asks for a login in the place of ${name}`, async () => {
      for (const status of [200, 302]) {
        const server = await serve((_request, response) =>
          response.writeHead(status, { location: '/login' }).end('<html><form>Log in</form></html>'),
        );
        assert.match(
          (await check(server.url, {}, name)) ?? '',
          /^failed: a page answers, not the network/,
          String(status),
        );
        await server.close();
      }
    });
});

/** A greeting of TLS 1.2 without any extension, as before RFC 5746, and then the alert of a handshake that failed. */
function withoutRenegotiation(socket: Socket): void {
  const hello = Buffer.concat([
    Buffer.from([2, 0, 0, 38, 3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0xc0, 0x2f, 0]),
  ]);
  const record = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([type, 3, 3, 0, body.length]), body]);
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(Buffer.concat([record(22, hello), record(21, Buffer.from([2, 40]))])));
}

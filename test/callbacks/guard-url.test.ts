import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import {
  AddressNotPublic,
  createUrlPolicy,
  isPublicAddress,
  type Resolver,
} from '../../src/callbacks/guard-url.ts';

const notPublic: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%lo'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1ff:ffff::1'],
  documentation: ['192.0.2.1', '198.51.100.255', '203.0.113.7', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  '6to4': ['192.88.99.1', '2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '4000::1', '5f00::1'],
  unspecified: ['::'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  discard: ['100::1'],
  'unique-local': ['fc00::1', 'fd12:3456:789a::1'],
  'site-local': ['fec0::1', 'feff::1'],
  'an address with a zone': ['2600::1%lo'],
  'no address at all': ['', 'localhost', 'example.com', '1.2.3', '256.1.1.1'],
};

describe('public addresses', () => {
  for (const [why, addresses] of Object.entries(notPublic)) {
    it(`are none of these (${why}): ${addresses.join(', ')}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }

  it('are the rest, the neighbours of every refused range included', () => {
    for (const address of [
      ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
      ...['128.0.0.1', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.1'],
      ...['192.0.3.1', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.101.0'],
      ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '41.59.1.1', '192.88.100.0'],
      ...['2001:200::1', '2001:4860:4860::8888', '2003::1', '2c0f:f248::1', '3ffe::1', '2600::'],
    ]) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });
});

describe('a callback URL in production', () => {
  const policy = createUrlPolicy({ development: false, ports: [443, 8443] });

  it('is https on an allowed port of a public host', () => {
    for (const url of [
      'https://shop.example/callbacks',
      'https://shop.example:443/',
      'https://shop.example:8443/a?b=c',
      'https://41.59.1.1/callbacks',
      'https://[2c0f:f248::1]:8443/',
      'HTTPS://SHOP.EXAMPLE/',
    ]) {
      assert.equal(policy.check(url), null, url);
    }
  });

  it('is refused with a sentence that says why', () => {
    const refused: [url: string, why: RegExp][] = [
      ['http://shop.example/', /https/],
      ['ftp://shop.example/', /absolute/],
      ['shop.example/callbacks', /absolute/],
      ['https://', /absolute/],
      ['https:shop.example', /absolute/],
      ['https://shop.example:3000/', /ports 443, 8443/],
      ['https://user:secret@shop.example/', /user name or password/],
      ['https://user@shop.example/', /user name or password/],
      ['https://localhost/', /public/],
      ['https://api.localhost./', /public/],
      ['https://127.0.0.1/', /public/],
      ['https://2130706433/', /public/],
      ['https://0x7f.1/', /public/],
      ['https://017700000001/', /public/],
      ['https://[::1]/', /public/],
      ['https://[::ffff:127.0.0.1]/', /public/],
      ['https://[64:ff9b::10.0.0.1]/', /public/],
      ['https://169.254.169.254/latest/meta-data', /public/],
      [`https://shop.example/${'x'.repeat(2_048)}`, /2048 characters/],
    ];
    for (const [url, why] of refused) assert.match(policy.check(url) ?? 'allowed', why, url);
  });

  it('may use another port by configuration', () => {
    const wider = createUrlPolicy({ development: false, ports: [443, 9443] });
    assert.equal(wider.check('https://shop.example:9443/'), null);
    assert.match(wider.check('https://shop.example:8443/') ?? '', /ports/);
  });
});

describe('a callback URL in development', () => {
  it('may be http, on any port and address, but still carries no password', () => {
    const policy = createUrlPolicy({ development: true, ports: [443] });
    assert.equal(policy.check('http://127.0.0.1:4010/receiver'), null);
    assert.equal(policy.check('http://localhost:3000/'), null);
    assert.match(policy.check('http://a:b@localhost/') ?? '', /password/);
    assert.match(policy.check('file:///etc/passwd') ?? '', /absolute/);
  });
});

describe('dialling a callback URL in production', () => {
  let port: number;
  let connections = 0;
  const server = createServer((_, response) => response.end('reached'));
  server.on('connection', () => {
    connections += 1;
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    connections = 0;
  });
  after(() => void server.close());

  const resolvingTo = (...addresses: string[]) =>
    ((_: string, __: unknown, callback: (error: null, all: { address: string; family: number }[]) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as Resolver;

  async function assertNotReached(host: string, resolver?: Resolver) {
    const policy = createUrlPolicy({ development: false, ports: [], ...(resolver ? { resolver } : {}) });
    await assert.rejects(
      request(`http://${host}:${port}/`, { dispatcher: policy.dispatcher }),
      (error) => error instanceof AddressNotPublic,
      host,
    );
    assert.equal(connections, 0);
  }

  it('never opens a connection to an address written into the URL', async () => {
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
      await assertNotReached(host);
    }
  });

  it('never opens a connection to what a name resolves to, the system resolver included', async () => {
    await assertNotReached('localhost');
    await assertNotReached('rebound.example', resolvingTo('127.0.0.1'));
    await assertNotReached('rebound.example', resolvingTo('::ffff:127.0.0.1'));
    await assertNotReached('nowhere.example', resolvingTo());
  });

  it('is refused when only one of several addresses is not public', async () => {
    await assertNotReached('mixed.example', resolvingTo('41.59.1.1', '127.0.0.1'));
  });

  it('reaches the same server in development, so the refusals above are the guard’s', async () => {
    const { dispatcher } = createUrlPolicy({ development: true, ports: [] });
    const response = await request(`http://127.0.0.1:${port}/`, { dispatcher });
    assert.equal(await response.body.text(), 'reached');
    await dispatcher.close();
  });
});

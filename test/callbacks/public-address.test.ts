import assert from 'node:assert/strict';
import { isPublicAddress } from '../../src/callbacks/public-address.ts';

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
  "Azure's agent": ['168.63.129.16'],
  'no address at all': ['', 'localhost', 'example.com', '1.2.3', '256.1.1.1'],
};

describe('public addresses', () => {
  for (const [why, addresses] of Object.entries(notPublic)) {
    it(`are none of these (${why}): ${addresses.join(', ')}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }

  it('are the rest, the neighbours of every refused range included', () => {
    const others = `
      1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
      169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.0.3.1 192.167.255.255
      192.169.0.0 198.17.255.255 198.20.0.0 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
      41.59.1.1 192.88.100.0 2001:200::1 2001:4860:4860::8888 2003::1 2c0f:f248::1 3ffe::1 2600::
    `;
    for (const address of others.trim().split(/\s+/)) assert.equal(isPublicAddress(address), true, address);
  });
});

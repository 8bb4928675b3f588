import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { createClientAddress } from '../../../src/platform/http/client-address.ts';

const from = (remoteAddress: string, ...forwarded: string[]) =>
  ({
    socket: { remoteAddress },
    headersDistinct: { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  it('is that of the connection, whatever a header says', () => {
    const addressOf = createClientAddress([]);
    assert.equal(addressOf(from('192.0.2.1', '10.0.0.1')), '192.0.2.1');
    assert.equal(addressOf(from('::ffff:192.0.2.1', '10.0.0.1')), '192.0.2.1');
    assert.equal(createClientAddress(['10.0.0.0/8'])(from('192.0.2.1', '203.0.113.5')), '192.0.2.1');
  });

  it('is the last one that a trusted proxy saw and did not make itself', () => {
    const addressOf = createClientAddress(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
    assert.equal(addressOf(from('10.1.1.1', '203.0.113.5')), '203.0.113.5');
    assert.equal(addressOf(from('::ffff:10.1.1.1', '1.1.1.1, 203.0.113.5')), '203.0.113.5');
    assert.equal(addressOf(from('10.1.1.1', '1.1.1.1', '203.0.113.5, 192.0.2.7,10.2.2.2')), '203.0.113.5');
    assert.equal(addressOf(from('2001:db8::5', '2001:4860::1')), '2001:4860::1');
  });

  it('is the proxy itself when it names nobody, or nonsense', () => {
    const addressOf = createClientAddress(['10.0.0.0/8']);
    assert.equal(addressOf(from('10.1.1.1')), '10.1.1.1');
    assert.equal(addressOf(from('10.1.1.1', '203.0.113.5, unknown')), '10.1.1.1');
    assert.equal(addressOf(from('10.1.1.1', '10.2.2.2')), '10.2.2.2');
  });
});

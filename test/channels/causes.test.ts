import assert from 'node:assert/strict';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { named } from '../../src/channels/kit/harmless.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { ringOf } from '../support/key-rings.ts';

describe('a check that failed', () => {
  /** As Node and OpenSSL say it. */
  const said: [string, RegExp][] = [
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: …', /none is there/],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: …', /our certificate has ended/],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: …', /another authority, or came without its chain/],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL: …', /TLS 1\.1/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: …', /TLS 1\.1 or older, or 1\.3 alone/],
    ['ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED: …', /insecure_renegotiation/],
    ['CERT_NOT_YET_VALID: …', /our clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID: … Cert does not contain a DNS name', /has no name/],
    ["ERR_TLS_CERT_ALTNAME_INVALID: … IP: 10.0.0.1 is not in the cert's list", /we call an address/],
    ['HTTP 200, not signed by the bank', /secret, or we not its own, or its clock is wrong/],
    ['no access token: HTTP 302', /a page answers/],
    ['no access token: HTTP 200', /a page answers/],
    ['its answer is not HTTP: HPE_INVALID_HEADER_TOKEN', /its answer is not HTTP/],
    ['ERR_SSL_WRONG_VERSION_NUMBER: …', /no TLS at this port/],
  ];
  for (const [detail, cause] of said)
    it(`names the cause of ${detail}`, () => assert.match(named(detail).replace(`(${detail})`, ''), cause));
});

describe('a channels file that gives the bank rail a door of bills', () => {
  it('is refused at the start', () => {
    const connections = {
      doors: { protocol: 'bill-json', settings: { tokens: ['a-token-of-many-characters-1'] } },
    };
    const networks = { bank: { bills: ['doors'] } };
    const plan = readChannelsFile(JSON.stringify({ connections, networks }), {
      protocols,
      production: false,
      variable: () => undefined,
      file: () => '',
    });
    const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };
    assert.throws(() => createChannels(plan, world), /networks\.bank\.bills/);
  });
});

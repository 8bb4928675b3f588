import assert from 'node:assert/strict';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { inEnglish } from '../../src/domain/messages.ts';

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
      ['https://intranet/', /public/],
      ['https://shop.example/a b', /spaces/],
      ['https://127.0.\t0.1/', /control characters/],
      ['https://shop.example\\@127.0.0.1/', /backslashes/],
      ['https://127.0.0.1/', /public/],
      ['https://2130706433/', /public/],
      ['https://[::1]/', /public/],
      [`https://shop.example/${'x'.repeat(2_048)}`, /2048 characters/],
    ];
    for (const [url, why] of refused) assert.match(inEnglish(policy.check(url) ?? 'allowed'), why, url);
  });

  it('may use another port by configuration', () => {
    const wider = createUrlPolicy({ development: false, ports: [443, 9443] });
    assert.equal(wider.check('https://shop.example:9443/'), null);
    assert.match(inEnglish(wider.check('https://shop.example:8443/') ?? ''), /ports/);
  });
});

describe('a callback URL in development', () => {
  it('may be http, on any port and address, but still carries no password', () => {
    const policy = createUrlPolicy({ development: true, ports: [443] });
    assert.equal(policy.check('http://127.0.0.1:4010/receiver'), null);
    assert.equal(policy.check('http://localhost:3000/'), null);
    assert.match(inEnglish(policy.check('http://a:b@localhost/') ?? ''), /password/);
    assert.match(inEnglish(policy.check('file:///etc/passwd') ?? ''), /absolute/);
  });
});

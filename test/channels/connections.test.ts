import assert from 'node:assert/strict';
import { secretsIn } from '../../src/channels/kit/fingerprints.ts';
import { createAuthorities, type Pair } from '../support/certificates.ts';
import { bills, type Extra, gsma, readPlan, TOKEN } from '../support/channels-file.ts';

const made = createAuthorities();
made.authority('ca');
const OWN = made.issue('ca', 'own.test');
const ELSE = made.issue('ca', 'else.test');
const SEALED = made.issue('ca', 'sealed.test', { passphrase: 'right' });
made.remove();
const withKey = ({ cert, key }: Pair) => ({ certificate: cert, key });

describe('the channels file', () => {
  const networks = { 'm-pesa': { payments: 'a', payouts: 'a' } };
  const only = (a: object) => ({ connections: { a }, networks: {} });
  const reached = (reach: object, url = gsma.settings.url) => only({ ...gsma, settings: { url }, reach });
  const production = { production: true };
  const variables = { TOKEN: 'ab'.repeat(20) };
  const line = { insecure_http: 'line 4711' };
  const token = 't'.repeat(24);
  const wrong: [string, unknown, RegExp, Extra?][] = [
    ['no JSON', '{"connections":', /The channels file is wrong:\n {2}/],
    ['an unknown member', { connections: {}, networks: {}, x: 1 }, /the file: Unrecognized key: "x"/],
    ['an unknown network', { connections: {}, networks: { pesa: {} } }, /networks: Unrecognized key: "pesa"/],
    ['an unknown protocol', only({ protocol: 'smtp' }), /a\.protocol: must be one of gsma-mm-1\.2, /],
    ['a setting that is missing', only({ protocol: 'gsma-mm-1.2' }), /connections\.a\.settings\.url: /],
    ['an absent connection', { connections: {}, networks }, /m-pesa\.payments: there is no connection a/],
    [
      'receipts of a connection that is not there',
      only({ ...bills(token), receipts: 'b' }),
      /connections\.a\.receipts: there is no connection b/,
    ],
    [
      'receipts of a connection that has none of its own',
      {
        connections: { a: { ...bills(token), receipts: 'b' }, b: { ...bills(token), receipts: 'a' } },
        networks: {},
      },
      /connections\.a\.receipts: b takes part in the number space of another one itself/,
    ],
    [
      'a variable that is not set',
      only(bills({ env: 'TOKEN' })),
      /connections\.a\.settings\.tokens\.0: the variable TOKEN is not set/,
    ],
    [
      'a file that is not there',
      only(bills({ file: '/run/token' })),
      /tokens\.0: the file \/run\/token cannot be read, or is empty/,
    ],
    [
      'a secret in the file, in production',
      only(bills(TOKEN)),
      /a\.settings\.tokens\.0: production takes it from/,
      production,
    ],
    [
      'a demo secret, in production',
      only(bills({ env: 'TOKEN' })),
      /tokens\.0: is a demo secret/,
      { ...production, variables },
    ],
    [
      'an address without TLS, in production',
      only({ ...gsma, settings: { url: 'http://gsma.example.com' } }),
      /connections\.a\.settings\.url: must be https/,
      production,
    ],
    [
      'plain http to a public address, whatever line it names',
      reached(line, 'http://41.217.203.61:8080'),
      /connections\.a\.settings\.url: plain http goes to private addresses only/,
    ],
    [
      'plain http to a name, which may lead elsewhere tomorrow',
      reached(line, 'http://ussd.example.com'),
      /connections\.a\.settings\.url: plain http goes to private addresses only, and to no name/,
      production,
    ],
    [
      'plain http through a public proxy',
      reached({ ...line, proxy: 'http://196.201.1.1:3128' }, 'http://10.1.2.3'),
      /connections\.a\.reach\.proxy: plain http goes through private addresses only/,
    ],
    [
      'a certificate without its key',
      reached({ certificate: OWN.cert }),
      /connections\.a\.reach\.certificate: needs its key, and a key its certificate/,
    ],
    [
      'the key of another certificate',
      reached({ certificate: OWN.cert, key: ELSE.key }),
      /connections\.a\.reach\.key: is not the key of this certificate/,
    ],
    [
      'a passphrase that does not open the key',
      reached({ ...withKey(SEALED), passphrase: 'wrong' }),
      /connections\.a\.reach\.key: is not the key of this certificate, or the passphrase does not open it/,
    ],
    ['a certificate that is none', reached({ ca: 'ca.pem' }), /connections\.a\.reach\.ca: /],
    ['a key, in production', reached(withKey(OWN)), /a\.reach\.key: production takes it from/, production],
  ];
  for (const [what, file, reason, extra] of wrong)
    it(`is refused with ${what}, and says where`, () => assert.throws(() => readPlan(file, extra), reason));

  it('never shows a secret in what it says', () => {
    const short = 'tooshortsecret';
    assert.throws(
      () => readPlan({ connections: { a: bills(short) }, networks: {} }),
      (error: Error) => !error.message.includes(short),
    );
  });

  it('takes plain http to a private address by name of its line, keys from files, and a proxy of this machine', () => {
    const a = {
      ...gsma,
      settings: { url: 'http://10.225.199.107:8018/ServiceAPI' },
      reach: { insecure_http: 'leased line 4711' },
    };
    const reach = {
      certificate: { file: '/run/own.pem' },
      key: { file: '/run/own.key' },
      passphrase: { env: 'PASSPHRASE' },
      proxy: { env: 'PROXY' },
    };
    const plan = readPlan(
      { connections: { a, b: { ...gsma, reach } }, networks: {} },
      {
        production: true,
        variables: { PASSPHRASE: 'right', PROXY: 'http://127.0.0.1:3128' },
        files: { '/run/own.pem': SEALED.cert, '/run/own.key': SEALED.key },
      },
    );
    assert.equal(plan.connections.get('a')?.reach.insecure_http, 'leased line 4711');
    assert.equal(plan.connections.get('b')?.reach.proxy, 'http://127.0.0.1:3128');
    const secrets = secretsIn(plan, Buffer.alloc(32, 1)).map(({ member }) => member);
    assert.deepEqual(secrets, ['reach.key', 'reach.passphrase', 'reach.proxy']);
  });
});

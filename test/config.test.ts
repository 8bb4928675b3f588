import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { serviceSecrets } from '../src/base/service-secrets.ts';
import { loadConfig, rateLimitsOf } from '../src/config/config.ts';
import { nodeArguments } from './support/node-entry.ts';
import { production } from './support/production.ts';

const needed = production();
const limitsOf = (more: Record<string, string>) => rateLimitsOf(loadConfig({ ...needed, ...more }));

describe('the configuration of limits', () => {
  it('limits keys in production, and in development only when told to', () => {
    assert.deepEqual(limitsOf({}), {
      perKey: { ratePerSecond: 50, burst: 100 },
      failuresPerMinute: 300,
      store: 'memory',
    });
    const development = { MALIPO_ENV: 'development' };
    assert.equal(limitsOf(development).perKey, null);
    assert.equal(limitsOf(development).failuresPerMinute, 300);
    const told = limitsOf({ ...development, RATE_LIMIT_PER_SECOND: '20' });
    assert.deepEqual(told.perKey, { ratePerSecond: 20, burst: 40 });
  });

  it('can be told everything', () => {
    const development = { MALIPO_ENV: 'development' };
    assert.equal(limitsOf({ ...development, RATE_LIMIT_PER_SECOND: '0' }).perKey, null);
    const all = { RATE_LIMIT_PER_SECOND: '5', RATE_LIMIT_BURST: '7', RATE_LIMIT_STORE: 'postgres' };
    assert.deepEqual(limitsOf({ ...all, FAILED_AUTHENTICATION_PER_MINUTE: '9' }), {
      perKey: { ratePerSecond: 5, burst: 7 },
      failuresPerMinute: 9,
      store: 'postgres',
    });
  });

  it('reads the trusted proxies, and names the variable when one is no network', () => {
    const proxies = (text: string) => loadConfig({ ...needed, TRUSTED_PROXIES: text }).TRUSTED_PROXIES;
    assert.deepEqual(proxies(' 10.0.0.0/8, 192.0.2.7,2001:db8::/32 '), [
      '10.0.0.0/8',
      '192.0.2.7',
      '2001:db8::/32',
    ]);
    for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0'])
      assert.throws(() => proxies(wrong), /TRUSTED_PROXIES/);
  });
});

describe('a process that does not work with a secret', () => {
  const { KEY_HASH_SECRET, ...others } = needed;
  it('starts without it, with one that is nobody else’s', () => {
    assert.throws(() => loadConfig(others), /KEY_HASH_SECRET: is not set/);
    const made = () => loadConfig(others, { without: ['KEY_HASH_SECRET'] }).KEY_HASH_SECRET[0].key;
    assert.notDeepEqual(made(), made());
  });
  it('uses it where it is given all the same', () => {
    const given = loadConfig(needed, { without: ['KEY_HASH_SECRET'] });
    assert.deepEqual(given.KEY_HASH_SECRET, loadConfig(needed).KEY_HASH_SECRET);
  });
});

describe('a command beside `npm start`', () => {
  it('does without a key of payloads, which would say that they are encrypted', () => {
    const development = { ...needed, MALIPO_ENV: 'development', PAYLOAD_ENCRYPTION_KEYS: '' };
    const { PAYLOAD_ENCRYPTION_KEYS } = loadConfig(development, { without: serviceSecrets });
    assert.equal(PAYLOAD_ENCRYPTION_KEYS, undefined);
  });
  it('takes a port without what a listener needs beside it, because it opens none', () => {
    const environment = { ...needed, PAY_PORT: '3002', PAY_URL: '' };
    assert.throws(() => loadConfig(environment), /PAY_URL: goes with PAY_PORT/);
    assert.equal(loadConfig(environment, { listens: false }).PAY_PORT, undefined);
  });
});

describe('a configuration that is wrong', () => {
  const sentencesOf = (environment: Record<string, string>) => {
    try {
      loadConfig(environment);
    } catch (error) {
      return (error as Error).message.split('\n').map((line) => line.trim());
    }
    assert.fail('it is taken');
  };

  it('is told all at once: what is missing, what cannot be read, and what production refuses', () => {
    const { DATABASE_URL, ...rest } = needed;
    const told = sentencesOf({
      ...rest,
      API_PORT: 'x',
      PUBLIC_URL: 'http://malipo.example',
      FOUR_EYES: 'false',
    });
    assert.deepEqual(
      told.map((line) => line.replace(/(API_PORT: ).*/, '$1…')),
      [
        'The configuration is wrong:',
        'DATABASE_URL: is not set',
        'API_PORT: …',
        'FOUR_EYES: nobody may approve what he proposed himself',
        'PUBLIC_URL: must be https',
      ],
    );
  });

  for (const entry of ['server', 'worker'])
    it(`ends the ${entry} with these sentences alone`, async () => {
      const run = promisify(execFile)(process.execPath, nodeArguments(`src/${entry}.ts`), {
        env: { PATH: process.env.PATH, MALIPO_ENV: 'development' },
      });
      await assert.rejects(run, ({ code, stderr }: { code: number; stderr: string }) => {
        assert.equal(code, 1);
        assert.match(stderr, /^The configuration is wrong:\n {2}DATABASE_URL: is not set\n/);
        assert.doesNotMatch(stderr, /\bat |node:|\.ts/);
        return true;
      });
    });
});

describe('the ports of callbacks', () => {
  it('are numbers, and the variable is named when one is none', () => {
    assert.deepEqual(loadConfig(needed).CALLBACK_PORTS, [443, 8443]);
    assert.deepEqual(loadConfig({ ...needed, CALLBACK_PORTS: '443, 9443' }).CALLBACK_PORTS, [443, 9443]);
    assert.throws(() => loadConfig({ ...needed, CALLBACK_PORTS: '443,https' }), /CALLBACK_PORTS/);
  });
});

import assert from 'node:assert/strict';
import { configVariables, loadConfig } from '../src/config/config.ts';
import { production, randomKey } from './support/production.ts';

const same = Buffer.alloc(32, 7).toString('base64');
const twice = randomKey();
const SECRETS = ['KEY_HASH_SECRET', 'ENCRYPTION_KEY', 'SUBMISSION_KEY', 'NOTIFICATION_SECRET', 'PAGE_KEY'];

/**
 * One row per variable. `unsafe`: what development takes and production does not start with. `wrong`: what nobody
 * takes. A variable with neither has no value that could be unsafe, and says why.
 */
type Row = { unsafe?: string[]; wrong?: string[]; also?: Record<string, string>; why?: string };
const rows: Record<string, Row> = {
  MALIPO_ENV: { wrong: ['staging', 'prod'] },
  LOG_LEVEL: { wrong: ['loud'] },
  DATABASE_URL: {
    unsafe: [
      'postgresql://malipo:p@db/malipo',
      'postgresql://malipo:p@127.0.0.1/malipo?sslmode=disable',
      'postgresql://malipo:p@db/malipo?sslmode=require',
      'postgresql://malipo:p@db/malipo?sslmode=no-verify',
      'postgresql://malipo:p@db/malipo?sslmode=verify-full&sslmode=disable',
    ],
    wrong: ['', 'mysql://db/malipo'],
  },
  MIGRATION_DATABASE_URL: { unsafe: ['postgresql://malipo:p@db/malipo'], wrong: ['mysql://db/malipo'] },
  DATABASE_PASSWORD_API: { wrong: ['a-short-one'] },
  DATABASE_PASSWORD_WORKER: { wrong: ['a-short-one'] },
  DATABASE_PASSWORD_READER: { wrong: ['a-short-one'] },
  DATABASE_PLAINTEXT: { wrong: ['true', 'yes'] },
  DATABASE_POOL_MAX: { wrong: ['0', '201', 'many'] },
  TEMPORAL_ADDRESS: { why: 'any address may be right; how it is spoken to is the next rows' },
  TEMPORAL_NAMESPACE: { why: 'a name' },
  BACKUP_MAX_AGE_DAYS: { wrong: ['0', '1.5', 'week'] },
  TEMPORAL_UI_URL: { wrong: ['temporal.example.com'] },
  RUNBOOKS_URL: { wrong: ['docs/operations'] },
  TEMPORAL_API_KEY: { wrong: ['a-key-beside-TLS-off'], also: { TEMPORAL_TLS: 'false' } },
  TEMPORAL_TLS: { unsafe: ['false', ''], wrong: ['maybe'] },
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: { wrong: ['/ca.pem'], also: { TEMPORAL_TLS: 'false' } },
  TEMPORAL_TLS_SERVER_NAME: { wrong: ['temporal.example'], also: { TEMPORAL_TLS: 'false' } },
  TEMPORAL_TLS_CLIENT_CERT_PATH: { wrong: ['/a-certificate-without-its-key.pem'] },
  TEMPORAL_TLS_CLIENT_KEY_PATH: { wrong: ['/a-key-without-its-certificate.pem'] },
  TEMPORAL_PLAINTEXT: { wrong: ['true', 'yes'] },
  API_HOST: { why: 'an address to listen on; the port asks for a key' },
  ALLOWED_HOSTS: { why: 'names by which a listener is asked for; left out, all of them' },
  API_PORT: { wrong: ['-1', '65536'] },
  MANAGEMENT_HOST: { why: 'loopback unless told: telling is what makes it wider' },
  MANAGEMENT_PORT: { wrong: ['65536'] },
  WORKER_MANAGEMENT_PORT: { wrong: ['65536'] },
  PAY_HOST: { why: 'loopback unless told' },
  PAY_PORT: { wrong: ['65536', '3002'] },
  PAY_URL: {
    unsafe: [
      'http://lipa.example.com',
      'https://127.0.0.1',
      'https://localhost:3002',
      'https://pay.example.com',
    ],
    wrong: ['lipa.example.com'],
  },
  SERVICE_NAME: { wrong: ['x'.repeat(61)] },
  SUPPORT_CONTACT: { wrong: ['x'.repeat(101)] },
  OTEL_EXPORTER_OTLP_ENDPOINT: { wrong: ['collector:4318', 'yes'] },
  PUBLIC_URL: {
    unsafe: ['', 'http://pay.example.com', 'https://127.0.0.1', 'https://localhost:3000', 'https://[::1]'],
    wrong: ['pay.example.com'],
  },
  GATEWAY_TIMING: { unsafe: ['fast'], wrong: ['slow'] },
  DOCS_DEMO_KEY: { unsafe: ['sk_test_1_2'] },
  KEY_HASH_SECRET: { unsafe: [same], wrong: ['', 'AAAAAAAA', `a:${twice},b:${twice}`, `${twice},`] },
  ENCRYPTION_KEY: { unsafe: [same], wrong: ['', 'AAAAAAAA', `a:${twice},a:${same}`] },
  SUBMISSION_KEY: { unsafe: [same, `new:${randomKey()},old:${same}`], wrong: ['', 'AAAAAAAA'] },
  NOTIFICATION_SECRET: { unsafe: [same], wrong: ['', 'AAAAAAAA', `bad name:${twice}`] },
  PAGE_KEY: { unsafe: [same], wrong: ['', 'AAAAAAAA'] },
  PAYLOAD_ENCRYPTION: { unsafe: ['false'], wrong: ['perhaps'] },
  PAYLOAD_ENCRYPTION_KEYS: {
    unsafe: [`new:${same}`, `old:${randomKey()},new:${same}`],
    wrong: ['a-name-without-a-key', `same:${randomKey()},same:${randomKey()}`, 'short:AAAAAAAA'],
  },
  PAYLOAD_CUT_OVER: { wrong: ['a week'] },
  CODEC_UI_ORIGINS: { wrong: ['*.example.com', 'https://temporal.example.com/path', '*'] },
  CODEC_TOKEN: { unsafe: ['', 'aaaaaaaaaaaaaaaaaaaaaaaa'], wrong: ['a-short-one'] },
  CHANNELS_FILE: { why: 'its own reader refuses what is unsafe in it (test/channels/production.test.ts)' },
  FOUR_EYES: { unsafe: ['false'], wrong: ['two'] },
  RATE_LIMIT_PER_SECOND: { unsafe: ['0'], wrong: ['-1', 'none'] },
  RATE_LIMIT_BURST: { wrong: ['0'] },
  RATE_LIMIT_STORE: { wrong: ['redis'] },
  FAILED_AUTHENTICATION_PER_MINUTE: { unsafe: ['0'], wrong: ['-1'] },
  LIMIT_PAYOUT_MAX: { wrong: ['-1', 'none'] },
  LIMIT_PAYOUT_DAILY_MAX: { wrong: ['-1'] },
  LIMIT_PAYOUTS_PER_DAY: { wrong: ['-1'] },
  LIMIT_RECIPIENT_DAILY_MAX: { wrong: ['-1'] },
  LIMIT_NEW_RECIPIENT_COOLOFF_S: { wrong: ['-1', '2592001'] },
  LIMIT_DUPLICATE_WINDOW_S: { wrong: ['-1', '604801'] },
  MANAGEMENT_TRUSTED_PROXIES: { unsafe: ['0.0.0.0/0'], wrong: ['proxy.example'] },
  TRUSTED_PROXIES: {
    unsafe: ['0.0.0.0/0', '::/0', '10.0.0.0/8,0.0.0.0/1', '2000::/3', '128.0.0.0/7'],
    wrong: ['proxy.example', '10.0.0.0/33'],
  },
  BILL_CONTROL_NUMBER_PREFIX: { unsafe: [''], wrong: ['99', '1', 'AB'] },
  BILL_EXPIRY_DAYS: { wrong: ['0', '367'] },
  BILLS_PER_ACCOUNT_PER_DAY: { wrong: ['-1'] },
  PREVIEWS_PER_ACCOUNT_PER_DAY: { wrong: ['-1'] },
  QR_EXPIRY_SECONDS: { wrong: ['0', '86401'] },
  QR_ACQUIRER_ID: { unsafe: [''], wrong: ['1'] },
  QR_MERCHANT_ID: { unsafe: ['', '44719038'], wrong: ['12A'] },
  QR_CATEGORY_CODE: { unsafe: [''], wrong: ['59990'] },
  QR_CITY: { unsafe: [''] },
  QR_POSTCODE: { unsafe: [''], wrong: ['1'] },
  SHUTDOWN_NOTICE_MS: { wrong: ['10001', '-1'] },
  SHUTDOWN_GRACE_MS: { wrong: ['30000', '999', '2000'] },
  BUILD_ID: { wrong: ['two words', 'x'.repeat(101)] },
  WORKFLOW_PATCHES: { why: 'names of patches that the code knows; another name switches nothing on' },
  CALLBACK_PORTS: { wrong: ['0', 'https'] },
};

describe('a start in production', () => {
  it('has a row here for every variable', () => {
    assert.deepEqual(Object.keys(rows).sort(), [...configVariables].sort());
    for (const [name, row] of Object.entries(rows)) assert.ok(row.unsafe || row.wrong || row.why, name);
  });

  for (const [name, { unsafe = [], wrong = [], also = {} }] of Object.entries(rows)) {
    for (const value of unsafe) {
      it(`does not happen with ${name}=${value.slice(0, 50) || 'nothing'}, which development takes`, () => {
        const given = { ...also, [name]: value };
        assert.throws(
          () => loadConfig(production(given)),
          (error: Error) => saysOf(name, value, error, 'is wrong'),
        );
        loadConfig(production({ ...given, MALIPO_ENV: 'development' }));
      });
    }
    for (const value of wrong) {
      it(`does not happen with ${name}=${value.slice(0, 50) || 'nothing'}, nor anywhere else`, () => {
        for (const MALIPO_ENV of ['production', 'development']) {
          const given = { MALIPO_ENV, ...also, [name]: value };
          assert.throws(
            () => loadConfig(production(given)),
            (error: Error) => saysOf(also.TEMPORAL_TLS ? 'TEMPORAL_TLS' : name, value, error, 'is wrong'),
          );
        }
      });
    }
  }

  /** One sentence that names the variable (or its other half), and no word of a secret. */
  function saysOf(name: string, value: string, error: Error, words: string): boolean {
    const [first = '', ...sentences] = error.message.split('\n  ');
    assert.ok(first.includes(words), error.message);
    const partners: Record<string, string> = {
      PAY_PORT: 'PAY_URL',
      PAYLOAD_ENCRYPTION: 'PAYLOAD_ENCRYPTION_KEYS',
      TEMPORAL_TLS_CLIENT_CERT_PATH: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
      SHUTDOWN_GRACE_MS: 'SHUTDOWN_NOTICE_MS',
    };
    const names = [name, partners[name] ?? name];
    const named = sentences.filter((line) => names.includes(/^\w+/.exec(line)?.[0] ?? ''));
    assert.equal(named.length, sentences.length, error.message);
    assert.ok(sentences.length > 0);
    if (/SECRET|KEY|TOKEN/.test(name) && value.length > 20)
      assert.equal(error.message.includes(value.slice(-20)), false);
    return true;
  }

  for (const one of SECRETS) {
    for (const other of SECRETS.filter((name) => name > one)) {
      it(`does not happen with one value for ${one} and ${other}`, () => {
        const given = { [one]: twice, [other]: `spare:${randomKey()},${twice}` };
        assert.throws(() => loadConfig(production(given)), /is also used by/);
      });
    }
  }

  it('happens without TLS where that is said by name', () => {
    const plain = { DATABASE_URL: 'postgresql://malipo:p@127.0.0.1/malipo', TEMPORAL_TLS: '' };
    assert.throws(() => loadConfig(production(plain)), /DATABASE_URL[\s\S]*TEMPORAL_TLS/);
    const config = loadConfig(
      production({ ...plain, DATABASE_PLAINTEXT: 'allowed', TEMPORAL_PLAINTEXT: 'allowed' }),
    );
    assert.equal(config.TEMPORAL_TLS, false);
  });

  it('happens with a socket of this machine, private proxies, and certificates that switch TLS on', () => {
    const config = loadConfig(
      production({
        DATABASE_URL: 'postgresql:///malipo?host=/var/run/postgresql&user=malipo',
        TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7,192.0.2.7',
        TEMPORAL_TLS: '',
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/ca.pem',
      }),
    );
    assert.equal(config.TEMPORAL_TLS, true);
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRuns } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config.ts';
import { addProviderSecrets, type ProviderSecrets, providerVariables } from '../../src/local/providers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const secret = () => randomBytes(32).toString('base64');

describe('secrets status', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('names what the service and its channels have, and shows no value', async () => {
    const own: ProviderSecrets = {};
    addProviderSecrets(own);
    const variables: Record<string, string> = {
      MALIPO_ENV: 'development',
      DATABASE_URL: test.url,
      CHANNELS_FILE: 'deploy/channels/own.json',
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      SUBMISSION_KEY: `new:${secret()},old:${secret()}`,
      ...providerVariables(own, 'http://127.0.0.1:9'),
      GSMA_URL: 'http://127.0.0.1:9',
      GSMA_USERNAME: 'malipo',
      GSMA_PASSWORD: 'password',
      BANK_URL: 'http://127.0.0.1:9',
      BANK_SECRET: 'a secret of the bank and of us',
    };
    for (const network of ['M_PESA', 'AIRTEL_MONEY', 'TIGO_PESA', 'HALOPESA', 'T_PESA', 'AZAMPESA'])
      variables[`BILL_TOKEN_${network}`] = `${network}-${randomBytes(16).toString('hex')}`;
    const lines: string[] = [];
    const runs = createRuns({
      access: () => Promise.reject(new Error('no operator API')),
      config: async () => loadConfig(variables),
      environment: async () => variables,
      print: (line) => lines.push(line),
    });
    await createProgram(runs).parseAsync(['secrets', 'status'], { from: 'user' });
    const said = lines.join('\n');
    assert.match(said, /^SUBMISSION_KEY new: makes what is new$/m);
    assert.match(said, /^SUBMISSION_KEY old: still good for what is old$/m);
    assert.match(said, /^airtel-money callbackKey [0-9a-f]{8}: used and believed$/m);
    assert.match(said, /^tigo-pesa-bills tokens [0-9a-f]{8}: used and believed$/m);
    for (const value of [
      variables.BANK_SECRET ?? '',
      own.AIRTEL_CALLBACK_KEY ?? '',
      variables.ENCRYPTION_KEY ?? '',
    ])
      assert.ok(value !== '' && !said.includes(value));
  });
});

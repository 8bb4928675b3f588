import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  addProviderSecrets,
  type ProviderSecrets,
  providerVariables,
} from '../../../sandbox/local/providers.ts';
import { createProgram } from '../../../src/app/cli/program.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createRuns } from '../../../src/operators/cli/context.ts';
import { useTestDatabase } from '../../support/database.ts';

const secret = () => randomBytes(32).toString('base64');

describe('secrets status', () => {
  const test = useTestDatabase();
  let folder: string;
  let channelsFile: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-secrets-'));
    const file = JSON.parse(await readFile('deploy/channels/own.json', 'utf8'));
    const { settings } = file.connections['airtel-money'];
    settings.callbackKey = [settings.callbackKey, { env: 'AIRTEL_OLD_KEY' }];
    channelsFile = path.join(folder, 'channels.json');
    await writeFile(channelsFile, JSON.stringify(file));
  });
  after(() => rm(folder, { recursive: true }));

  it('names what the service and its channels have, and shows no value', async () => {
    const own: ProviderSecrets = {};
    addProviderSecrets(own);
    const variables: Record<string, string> = {
      MALIPO_ENV: 'development',
      DATABASE_URL: test.url,
      CHANNELS_FILE: channelsFile,
      AIRTEL_OLD_KEY: secret(),
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      PAGE_KEY: secret(),
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
    await (await createProgram(runs)).parseAsync(['secrets', 'status'], { from: 'user' });
    const said = lines.join('\n');
    assert.match(said, /^SUBMISSION_KEY new: used for new data$/m);
    assert.match(said, /^SUBMISSION_KEY old: still accepted for old data$/m);
    assert.match(said, /^KEY_HASH_SECRET [0-9a-f]{8}: used for new data; 0 keys and tokens$/m);
    assert.match(said, /^airtel-money callbackKey [0-9a-f]{8}: in use$/m);
    assert.match(said, /^airtel-money callbackKey [0-9a-f]{8}: still accepted$/m);
    assert.match(said, /^tigo-pesa-bills tokens [0-9a-f]{8}: in use$/m);
    for (const value of [
      variables.BANK_SECRET ?? '',
      own.AIRTEL_CALLBACK_KEY ?? '',
      variables.ENCRYPTION_KEY ?? '',
    ])
      assert.ok(value !== '' && !said.includes(value));
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  addProviderSecrets,
  type ProviderSecrets,
  providerVariables,
} from '../../sandbox/local/providers.ts';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { fingerprintsOf, secretsIn } from '../../src/channels/kit/fingerprints.ts';
import { protocols } from '../../src/channels/protocols.ts';

const key = Buffer.alloc(32, 1);

const own: ProviderSecrets = {};
addProviderSecrets(own);
const providers: Record<string, string> = providerVariables(own, 'http://127.0.0.1:9');

type File = { connections: Record<string, { settings: Record<string, unknown> }> };

function planOf(change: (file: File) => void = () => {}) {
  const file = JSON.parse(readFileSync('deploy/channels/own.json', 'utf8'));
  change(file);
  return readChannelsFile(JSON.stringify(file), {
    protocols,
    production: false,
    variable: (name) =>
      providers[name] ??
      (name.endsWith('_URL') ? 'http://127.0.0.1:9' : `a-secret-value-${name}`.padEnd(40, 'x')),
    file: () => '',
  });
}

describe('fingerprints of the channels file', () => {
  it('show every secret by its place, the first of two first, and never its text', () => {
    const plan = planOf(({ connections }) => {
      Object.assign(connections['airtel-money']?.settings ?? {}, {
        callbackKey: ['the-new-one', 'the-old-one'],
      });
    });
    const shown = secretsIn(plan, key);
    const of = (connection: string, member: string) =>
      shown.find((one) => one.connection === connection && one.member === member)?.fingerprints;
    assert.equal(of('airtel-money', 'callbackKey')?.length, 2);
    assert.equal(of('bank', 'secrets')?.length, 1);
    assert.equal(of('tigo-pesa', 'callback.token')?.length, 1);
    assert.equal(of('mixx-w2a', 'password')?.length, 1);
    assert.equal(of('selcom', 'c2bToken'), undefined, 'it is not set');
    for (const { fingerprints } of shown) for (const one of fingerprints) assert.match(one, /^[0-9a-f]{8}$/);
    assert.doesNotMatch(JSON.stringify(shown), /the-new-one|a-secret-value/);
    assert.notDeepEqual(secretsIn(plan, Buffer.alloc(32, 2)), shown, 'another key, another fingerprint');
  });

  it('change with a secret, an address and a route, of that connection alone', () => {
    const before = fingerprintsOf(planOf(), key);
    assert.deepEqual(fingerprintsOf(planOf(), key), before);
    const changedBy = (change: (file: File) => void) => {
      const after = fingerprintsOf(planOf(change), key);
      return Object.keys(after).filter((id) => after[id] !== before[id]);
    };
    const settings =
      (id: string, values: object) => (file: Parameters<NonNullable<Parameters<typeof planOf>[0]>>[0]) =>
        void Object.assign(file.connections[id]?.settings ?? {}, values);
    assert.deepEqual(changedBy(settings('selcom', { apiSecret: 'another' })), ['selcom']);
    assert.deepEqual(changedBy(settings('bank', { url: 'https://elsewhere.example' })), ['bank']);
    assert.deepEqual(
      changedBy((file) => void Object.assign(file, { networks: { bank: { payouts: 'bank' } } })),
      ['networks'],
    );
  });
});

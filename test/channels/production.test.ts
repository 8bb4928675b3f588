import assert from 'node:assert/strict';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { protocols } from '../../src/channels/protocols.ts';

const SECRET = 'a-secret-of-the-bank-0123456789';

/** A bank as it may be in production, but for what the case changes. */
function read(changes: Record<string, unknown>, options: { production: boolean; secret?: string }) {
  const debtor = { name: 'MALIPO LTD', account: '0152200099887', bic: 'CORUTZTZ' };
  const settings = { url: 'https://bank.example/iso', secrets: [{ env: 'BANK_SECRET' }], debtor, ...changes };
  const file = { connections: { bank: { protocol: 'iso20022', settings } }, networks: {} };
  return readChannelsFile(JSON.stringify(file), {
    protocols,
    production: options.production,
    variable: (name) => (name === 'BANK_SECRET' ? (options.secret ?? SECRET) : process.env[name]),
    file: () => '',
  });
}

const placeholder = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };

describe('the channels of production', () => {
  it('may be a bank over https with a secret and an account of its own', () => {
    assert.equal(read({}, { production: true }).connections.size, 1);
  });

  for (const [what, changes, reason] of [
    ['the placeholder debtor', { debtor: placeholder }, /debtor\.account: is the placeholder/],
    ['plain http', { url: 'http://bank.example' }, /url: must be https/],
    ['plain http in capitals', { url: 'HTTP://bank.example' }, /url: must be https/],
    ['this machine in capitals', { url: 'HTTPS://LocalHost/iso' }, /url: is an address of the simulator/],
    ['the simulator by name', { url: 'https://simulator/iso' }, /url: is an address of the simulator/],
    ["the simulator's port", { url: 'https://bank.example:4010' }, /url: is an address of the simulator/],
    ['this machine', { url: 'https://127.0.0.1/iso' }, /url: is an address of the simulator/],
    ['this machine by name', { url: 'https://localhost:9443' }, /url: is an address of the simulator/],
  ] as const) {
    it(`do not start with ${what}, which development takes`, () => {
      assert.throws(() => read(changes, { production: true }), reason);
      assert.equal(read(changes, { production: false }).connections.size, 1);
    });
  }

  it('do not start with a short secret, which nobody takes, nor with a demo secret', () => {
    for (const production of [true, false])
      assert.throws(
        () => read({}, { production, secret: 'x1y2z3w4v5u6t7s8r9q0pab' }),
        /at least 24 characters/,
      );
    assert.throws(() => read({}, { production: true, secret: 'ab'.repeat(20) }), /is a demo secret/);
  });

  it('take two secrets of a bank while one replaces another', () => {
    const plan = read({ secrets: [{ env: 'BANK_SECRET' }, { env: 'BANK_SECRET' }] }, { production: true });
    assert.deepEqual((plan.connections.get('bank')?.settings as { secrets: string[] } | undefined)?.secrets, [
      SECRET,
      SECRET,
    ]);
  });
});

import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, publicEncrypt } from 'node:crypto';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import {
  assertJson,
  assertXml,
  bodyOf,
  type Exchange,
  FIXTURES,
  filled,
  readFixture,
} from '../../support/fixtures.ts';
import { openSimulator } from '../../support/simulator.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const keys = { privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };

/** `rsa:text` is sent encrypted, as the network's clients do. */
function sentAs(value: string): string {
  const padding = { key: publicKey, padding: constants.RSA_PKCS1_PADDING };
  return value
    .replace(/rsa:(.+)$/, (_, text) => publicEncrypt(padding, Buffer.from(text)).toString('base64'))
    .replace(/^\*$/, 'text/xml')
    .replace(/^\*/, 'bearer ');
}

describe('what the simulator answers', () => {
  for (const name of FIXTURES) {
    describe(`in ${name}`, () => {
      const { simulator: options, conversations } = readFixture(name, keys);
      let simulator: Simulator;
      before(async () => {
        simulator = await openSimulator({ timing: { customerMs: 60_000 }, ...fast(name), ...options });
      });
      after(() => simulator.close());

      async function hold({ request, answer }: Exchange, texts: Record<string, string>): Promise<void> {
        const headers = Object.entries(request.headers ?? {}).map(
          ([header, value]) => [header, sentAs(filled(value, texts))] as [string, string],
        );
        const body = bodyOf(request) ?? null;
        const answered = await fetch(simulator.url + request.path, { method: request.method, headers, body });
        const text = await answered.text();
        assert.equal(answered.status, answer.status, text);
        if (answer.json !== undefined) assertJson(JSON.parse(text), answer.json, { texts, exactly: false });
        if (answer.xml !== undefined) assertXml(text, answer.xml, { texts, volatile: ['TYPE'] });
      }

      for (const { what, source, exchanges } of conversations)
        it(`is what others show of ${what} (${source})`, async () => {
          const texts: Record<string, string> = {};
          for (const exchange of exchanges) await hold(exchange, texts);
        });
    });
  }
});

/** Mixx decides a payout while its caller waits. */
function fast(name: string) {
  return name === 'mixx' ? { timing: { customerMs: 10 } } : {};
}

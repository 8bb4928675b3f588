// tests: generated
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { everyNth } from '../support/generated.ts';
import { block, vector } from './support/documented.ts';
import { harness } from './support/languages.ts';
import { hasProgram, notTested, output } from './support/other-tools.ts';

const YEARS = 100 * 365 * 86_400;
const MINUTES = 300;

type Case = {
  what: string;
  body: string;
  passphrase: string;
  headers: Record<string, string>;
  toleranceSeconds: number;
  /** what the documented code says of webhook-signature, and of Service-Signature */
  expected: [boolean, boolean];
};

/** The vector, and what a receiver must tell apart. */
function cases(): Case[] {
  const { body, passphrase, eventId } = vector;
  const secrets = [passphrase, 'nenosiri-é-✓', `whsec_${Buffer.alloc(24, 0xa5).toString('base64')}`];
  const sign = (passphrases: string[], sentAtMs = Date.now()) =>
    signatureHeaders({ eventId, body, passphrases, sentAtMs });
  const fixed = {
    'webhook-id': eventId,
    'webhook-timestamp': vector.timestamp,
    'webhook-signature': vector.standard,
    'Service-Signature': vector.service,
  };
  const vectors = [
    { what: 'the vector', body, expected: [true, true] },
    {
      what: 'the vector, tampered with',
      body: body.replace('5,000.00', '5,000.01'),
      expected: [false, false],
    },
    { what: 'the vector with a line break', body: `${body}\n`, expected: [false, false] },
  ].map((one) => ({ ...one, passphrase, headers: fixed, toleranceSeconds: YEARS }));
  const live = secrets.flatMap((secret) => {
    const others = secrets.filter((other) => other !== secret);
    const all = { body, passphrase: secret, toleranceSeconds: MINUTES };
    return [
      { what: 'ours', ...all, headers: sign([secret]), expected: [true, true] },
      { what: 'another body', ...all, body: `${body} `, headers: sign([secret]), expected: [false, false] },
      { what: 'another passphrase', ...all, headers: sign(others), expected: [false, false] },
      { what: 'a rotation', ...all, headers: sign([...others, secret]), expected: [true, false] },
      { what: 'too old', ...all, headers: sign([secret], Date.now() - 600_000), expected: [false, true] },
    ];
  });
  return [...vectors, ...live] as Case[];
}

/** A line for each case: everything as hex, so that no shell, locale or parser comes between. */
function written(all: Case[]): string {
  const hex = (text = '') => Buffer.from(text, 'utf8').toString('hex');
  return all
    .map(({ body, passphrase, headers, toleranceSeconds }) =>
      [
        ...[body, passphrase, headers['webhook-id'], headers['webhook-timestamp']].map(hex),
        ...[headers['webhook-signature'], headers['Service-Signature']].map(hex),
        toleranceSeconds,
      ].join(' '),
    )
    .join('\n');
}

describe('the code that docs/callbacks.md shows', function () {
  // The first run of Go compiles its standard library.
  this.timeout(300_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-documented-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const { name, block: code, files, needs, run } of everyNth(2, harness)) {
    const missing = needs.find((program) => !hasProgram(...program));
    if (missing) {
      const why = `${missing[0]} is not installed here`;
      it(`in ${name} cannot be run on this machine`, () => notTested(`the ${name} code`, why));
      continue;
    }
    it(`in ${name} accepts the vector and what is ours, and nothing else`, () => {
      const all = cases();
      for (const [file, text] of Object.entries(files(block(...code)))) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), text);
      }
      const commands = run(folder);
      for (const [program, ...args] of commands.slice(0, -1)) output(program ?? '', args);
      const [program = '', ...args] = commands.at(-1) ?? [];
      const said = output(program, args, `${written(all)}\n`).split('\n');
      assert.deepEqual(
        all.map(({ what }, at) => `${what}: ${said[at]}`),
        all.map(({ what, expected }) => `${what}: ${expected.join(' ')}`),
      );
    });
  }
});

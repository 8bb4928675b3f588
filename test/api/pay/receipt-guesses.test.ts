// tests: generated
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { receiptsOfToken, receiptTokenOf } from '../../../src/transactions/rows/page-token.ts';
import { portion } from '../../support/generated.ts';
import { tokenKeys } from '../../support/pay-pages.ts';

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Half of them are random, and half are a true token with another character. */
const GUESSES = 1_000_000;

describe('guesses', () => {
  it('find none of 10,000 receipts', function () {
    this.timeout(120_000);
    const ids = Array.from({ length: 10_000 }, () => ofVersion5(randomUUID()));
    const known = new Set(ids);
    const tokens = ids.map((id) => receiptTokenOf(tokenKeys, { id, part: 0 }));
    const isFound = (token: string) => receiptsOfToken(tokenKeys, token).some(({ id }) => known.has(id));
    assert.ok(tokens.every(isFound));
    for (let i = 0; i < portion(GUESSES) / 2; i += 1) {
      const random = randomBytes(17).toString('base64url').slice(0, 22);
      for (const guess of [random, nearly(tokens[i % tokens.length] ?? '', i)])
        if (isFound(guess)) assert.fail(`${guess} opens a receipt`);
    }
  });
});

const ofVersion5 = (id: string) => `${id.slice(0, 14)}5${id.slice(15)}`;

function nearly(token: string, i: number): string {
  const at = i % token.length;
  const other = CHARACTERS[(CHARACTERS.indexOf(token.charAt(at)) + 1 + (i % 63)) % 64];
  return `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
}

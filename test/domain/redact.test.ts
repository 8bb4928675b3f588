import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { describeError, mask, maskNumber } from '../../src/base/redact.ts';
import { useTestDatabase } from '../support/database.ts';

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('what may be said of a text', () => {
  for (const [given, shown] of [
    ['customer 0754123456 is unknown', 'customer 0754***456 is unknown'],
    ['customer +255754123456', 'customer 0754***456'],
    ['account 0150123456789 is closed', 'account 0150***789 is closed'],
    ['GET https://user:secret@shop.example/hook?token=abc failed', 'GET https://shop.example/… failed'],
    ['at postgresql://malipo:pass@db:5432/malipo', 'at postgresql://db:5432/…'],
    ['Authorization: Bearer sk_test_ab12_cd34', 'Authorization: Bearer ***'],
    ['key sk_live_ab12_cd34ef', 'key sk_live_***'],
    ['whsec_AbC+/123= is short', 'whsec_*** is short'],
  ] as const) {
    it(`masks: ${shown}`, () => assert.equal(mask(given), shown));
  }

  it('leaves ids, amounts and times alone', () => {
    const text =
      'transaction 7f8d2c1e-5b7a-5c3d-8e9f-123456789012 of 5000 TZS at 2026-01-02T03:04:05.123456Z';
    assert.equal(mask(text), text);
  });

  it('shows a number by its ends, and of a short one less', () => {
    assert.equal(maskNumber('255754123456'), '0754***456');
    assert.equal(maskNumber('12345678'), '12***78');
    assert.equal(maskNumber('12345'), '1***5');
    assert.equal(maskNumber('123'), '***');
  });
});

describe('what may be said of an error', () => {
  const test = useTestDatabase();
  before(async function () {
    this.timeout(30_000);
    await test.sql`CREATE TABLE people (name text PRIMARY KEY, born date)`;
    await test.sql`INSERT INTO people VALUES ('Asha Juma', '2000-01-01')`;
  });

  const ofQuery = (text: string, values: unknown[]) =>
    test.database.query(text, values).then(
      () => assert.fail('the query succeeded'),
      (error: pg.DatabaseError) => error,
    );

  it('is the constraint of a row that Postgres refuses, never the row', async () => {
    const error = await ofQuery('INSERT INTO people (name) VALUES ($1)', ['Asha Juma']);
    assert.ok(error.detail?.includes('Asha Juma'), 'the error itself quotes it');
    const facts = describeError(error);
    assert.equal(facts.constraint, 'people_pkey');
    assert.equal(facts.code, '23505');
    assert.equal(JSON.stringify(facts).includes('Asha'), false);
  });

  it('is the code of a value that Postgres cannot read, never the value', async () => {
    const error = await ofQuery('INSERT INTO people (name, born) VALUES ($1, $2)', ['x', 'Asha Juma']);
    assert.ok(error.message.includes('Asha Juma'), 'the error itself quotes it');
    const facts = describeError(error);
    assert.equal(facts.message, 'Postgres refused a value (22007)');
    assert.equal(JSON.stringify(facts).includes('Asha'), false);
  });

  it('is nothing that a parser quotes', () => {
    for (const work of [
      () => JSON.parse('Asha Juma'),
      () => new URL('Asha Juma'),
      () => BigInt('Asha Juma'),
      () => z.strictObject({}).parse(JSON.parse('{"Asha Juma":1}')),
      () => decodeURIComponent('%Asha Juma'),
      () => Buffer.alloc(1).writeUInt32BE('Asha Juma' as unknown as number),
    ]) {
      const facts = describeError(thrownBy(work));
      assert.equal(JSON.stringify(facts).includes('Asha'), false, JSON.stringify(facts));
      assert.ok(facts.stack?.includes('redact.test.ts'), 'it still says where');
    }
  });

  it('is what our own code says, masked', () => {
    const { message } = describeError(new Error('0754123456 has no network'));
    assert.equal(message, '0754***456 has no network');
  });

  it('is what failed and where, for errors of the system and of the database driver', async () => {
    const client = new pg.Client({ connectionString: 'postgresql://malipo:secret@127.0.0.1:1/malipo' });
    const facts = await client.connect().then(
      () => assert.fail('something listens on port 1'),
      (error: Error) => describeError(error),
    );
    assert.equal(facts.code, 'ECONNREFUSED');
    assert.match(facts.message, /ECONNREFUSED 127\.0\.0\.1:1/);
    assert.equal(JSON.stringify(facts).includes('secret'), false);
  });

  it('is what caused it, too, and what caused that, with as little of what was sent', () => {
    const cause = thrownBy(() => JSON.parse('Asha Juma'));
    const { cause: shown } = describeError(
      new Error('no answer', { cause: new Error('to 0754123456', { cause }) }),
    );
    assert.equal(shown?.message, 'to 0754***456');
    assert.equal(shown?.cause?.type, 'SyntaxError');
    assert.equal(JSON.stringify(shown).includes('Asha'), false);
  });

  it('ends, where an error is its own cause', () => {
    const error = new Error('a circle');
    error.cause = error;
    assert.ok(JSON.stringify(describeError(error)).includes('a circle'));
  });

  it('is the message only, not once more in the stack', () => {
    const facts = describeError(new Error('first line\nAsha Juma\n  at the door'));
    assert.equal(facts.stack?.includes('Asha'), false);
    assert.equal(facts.stack?.includes('at the door'), false);
  });

  it('is not asked of what is no error', () => {
    assert.deepEqual(describeError('Asha Juma'), {
      type: 'string',
      message: 'something that is no error was thrown',
    });
  });
});

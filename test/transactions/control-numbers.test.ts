import assert from 'node:assert/strict';
import { isPermanent } from '../../src/db/errors.ts';
import { parseControlNumber } from '../../src/domain/control-number.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { listAttention } from '../../src/transactions/attention.ts';
import {
  drawControlNumber,
  requireControlNumbers,
  skipControlNumbers,
} from '../../src/transactions/control-numbers.ts';
import { countUse } from '../../src/transactions/daily-uses.ts';
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';

describe('what an account may use up', () => {
  let test: TestDatabase;
  let [one, other]: Merchant[] = [];
  before(async () => {
    test = await createTestDatabase();
    one = await createMerchant(test.database);
    other = await createMerchant(test.database);
  });
  after(() => test.drop());
  const draw = (merchant: Merchant | undefined) =>
    drawControlNumber(asRole(test.database, 'worker'), {
      accountId: merchant?.accountId ?? '',
      prefix: '77',
    });
  const blockOf = (number: string) => number.slice(2, 9);

  it('is a number of its own block, each given once', async () => {
    const numbers = [];
    for (let i = 0; i < 105; i += 1) numbers.push(await draw(one));
    assert.equal(new Set(numbers).size, 105);
    assert.ok(numbers.every((number) => parseControlNumber(number) === number));
    assert.equal(new Set(numbers.map(blockOf)).size, 2, 'a hundred of one block, then the next');
    assert.ok(!numbers.map(blockOf).includes(blockOf(await draw(other))));
  });

  it('is nothing of a block that was begun before a restore, nor what was given after the copy', async () => {
    const last = Number((await draw(one)).slice(2, 11));
    await skipControlNumbers(test.database, last + 40);
    for (const merchant of [one, other]) assert.ok(Number((await draw(merchant)).slice(2, 11)) > last + 100);
    const [first, second] = [await draw(one), await draw(one)].map((number) => Number(number.slice(2, 11)));
    await skipControlNumbers(test.database, 0);
    assert.ok(
      Number((await draw(one)).slice(2, 11)) > Math.max(first ?? 0, second ?? 0),
      'run twice, it goes on',
    );
  });

  it('is refused clearly when the space is used up, and a person is notified', async () => {
    await requireControlNumbers(asRole(test.database, 'api'), '77');
    await test.database.query("SELECT setval('control_number_serials', 999999900)");
    await assert.rejects(
      requireControlNumbers(asRole(test.database, 'api'), '77'),
      (error: unknown) => error instanceof GatewayError && error.code === 'unavailable',
    );
    await test.database.query("SELECT setval('control_number_serials', 1000000000)");
    // The next draw is refused for good, so that nothing is tried for ever.
    await assert.rejects(
      async () => {
        for (let drawn = 0; drawn <= 100; drawn += 1) await draw(one);
      },
      (error: unknown) => isPermanent(error),
    );
    const [entry] = await listAttention(test.database);
    assert.deepEqual([entry?.subject, entry?.reason], ['control-numbers:77', 'control_numbers_low']);
  });

  it('is so many uses a day of Dar es Salaam', async () => {
    const accountId = one?.accountId ?? '';
    const use = (at: string, perDay = 2) =>
      countUse(test.database, { accountId, use: 'bills', perDay, now: new Date(at) });
    await use('2026-01-08T10:00:00Z');
    await use('2026-01-08T20:59:00Z');
    await assert.rejects(use('2026-01-08T20:59:00Z'), (error: unknown) => {
      assert.ok(error instanceof GatewayError && error.code === 'rate_limited');
      assert.deepEqual(error.detail.headers, {
        'Retry-After': '60',
        'RateLimit-Policy': '"account-day";q=2;w=86400',
        RateLimit: '"account-day";r=0;t=60',
      });
      return true;
    });
    await use('2026-01-08T20:59:00Z', 0);
    await use('2026-01-08T21:00:00Z');
  });
});

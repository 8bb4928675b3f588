import assert from 'node:assert/strict';
import { countUse, purgeUses } from '../../src/accounts/uses.ts';
import { parseControlNumber } from '../../src/domain/control-number.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { isPermanent } from '../../src/platform/db/errors.ts';
import {
  controlNumbersLeft,
  drawControlNumber,
  flagControlNumbers,
  requireControlNumbers,
  skipControlNumbers,
} from '../../src/transactions/acceptance/control-numbers.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { listAttention } from '../support/unexplained.ts';

describe('what an account may use up', () => {
  const test = useTestDatabase();
  let [one, other]: Merchant[] = [];
  before(async () => {
    one = await createMerchant(test.database);
    other = await createMerchant(test.database);
  });
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
    await test.sql`SELECT setval('control_number_serials', 999999900)`;
    await assert.rejects(
      requireControlNumbers(asRole(test.database, 'api'), '77'),
      (error: unknown) => error instanceof GatewayError && error.code === 'unavailable',
    );
    await test.sql`SELECT setval('control_number_serials', 1000000000)`;
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

  describe('of control numbers', () => {
    const fresh = useTestDatabase({ each: true });
    /** So many serials are left of the space of nine digits. */
    const leave = (left: number) =>
      fresh.sql`SELECT setval('control_number_serials', ${1_000_000_000 - left}, false)`;

    it('counts as left what no block was drawn for, to the last one', async () => {
      const whole = await controlNumbersLeft(fresh.database, '77');
      const { accountId } = await createMerchant(fresh.database);
      await drawControlNumber(fresh.database, { accountId, prefix: '77' });
      assert.equal(await controlNumbersLeft(fresh.database, '77'), whole - 100, 'its block is drawn');
      await drawControlNumber(fresh.database, { accountId, prefix: '77' });
      assert.equal(
        await controlNumbersLeft(fresh.database, '77'),
        whole - 100,
        'the next one is of the block',
      );
      await fresh.sql`SELECT setval('control_number_serials', 1000000000)`;
      assert.equal(await controlNumbersLeft(fresh.database, '77'), 0, 'never less than none');
    });

    it('is made no more once 20 blocks are left, which those have that were admitted before', async () => {
      await leave(2_000);
      await requireControlNumbers(fresh.database, '77');
      await leave(1_900);
      await assert.rejects(
        requireControlNumbers(fresh.database, '77'),
        /No control numbers are left: no bill or QR code can be made now/,
      );
    });

    it('shows a person when less than a tenth is left, and how many these are', async () => {
      await leave(100_000_000);
      assert.equal(await flagControlNumbers(fresh.database, '77'), false);
      assert.deepEqual(await listAttention(fresh.database), []);
      await leave(99_999_000);
      assert.equal(await flagControlNumbers(fresh.database, '77'), true);
      const [entry] = await listAttention(fresh.database);
      assert.equal(entry?.detail, '99999000 control numbers with the prefix 77 are left');
    });
  });

  it('is forgotten a week after the day of its use', async () => {
    const accountId = other?.accountId ?? '';
    const used = (daysAgo: number) => {
      const now = new Date(Date.now() - daysAgo * 86_400_000);
      return countUse(test.database, { accountId, use: 'previews', budget: { most: 9, every: 'day' }, now });
    };
    for (const daysAgo of [0, 5, 9, 30]) await used(daysAgo);
    await purgeUses(test.database);
    const rows = await test.sql`SELECT count(*)::int AS left FROM uses
        WHERE account_id = ${accountId} AND use = 'previews'`;
    assert.equal(rows[0].left, 2);
  });

  it('is so many uses a day of Dar es Salaam', async () => {
    const accountId = one?.accountId ?? '';
    const use = (at: string, perDay = 2) =>
      countUse(test.database, {
        accountId,
        use: 'bills',
        budget: { most: perDay, every: 'day' },
        now: new Date(at),
      });
    await use('2026-01-08T10:00:00Z');
    await use('2026-01-08T20:59:00Z');
    await assert.rejects(use('2026-01-08T20:59:00Z'), (error: unknown) => {
      assert.ok(error instanceof GatewayError && error.code === 'rate_limited');
      assert.equal(error.message, 'This account may make 2 bills a day; try again tomorrow');
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

// tests: slow
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { GatewayError } from '../../src/domain/errors.ts';
import { readList } from '../../src/platform/db/listing.ts';
import { createTransactionList } from '../../src/transactions/rows/list.ts';
import type { TransactionFilter } from '../../src/transactions/rows/list-filter.ts';
import { accept } from '../support/accept.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { createMerchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { filterFor, type Planted, plant, referencesOf, transaction } from './list-plant.ts';

/** What a list ought to be, in the plainest words: everything is looked at, filtered and sorted. */
function expected(all: Planted[], filter: TransactionFilter): string[] {
  const { types, status, mode, channel, bic, msisdn, idempotencyKey, reference, from, to, metadata } = filter;
  const isEqual = (asked: string | undefined, ...found: (string | null)[]) =>
    asked === undefined || found.includes(asked);
  return all
    .filter(
      (one) =>
        (types?.includes(one.type) ?? true) &&
        isEqual(status, one.status) &&
        isEqual(mode, one.mode) &&
        isEqual(channel, one.channel) &&
        isEqual(bic, one.bic) &&
        isEqual(msisdn, one.msisdn) &&
        isEqual(idempotencyKey, one.idempotencyKey) &&
        isEqual(reference, ...referencesOf(one)) &&
        (from === undefined || one.createdAt >= from) &&
        (to === undefined || one.createdAt < to) &&
        (metadata ?? []).every(([key, value]) =>
          one.items.some((item) => item[0] === key && item[1] === value),
        ),
    )
    .map((one) => `${one.createdAt} ${one.id}`)
    .sort()
    .reverse()
    .map((text) => text.split(' ')[1] ?? '');
}

describe('the transaction list', () => {
  const test = useTestDatabase();

  it('is what filtering, sorting and counting everything by hand gives, for any filter and page', async () => {
    const query = (all: Planted[]) =>
      fc.record({
        filter: filterFor(all),
        perPage: fc.integer({ min: 1, max: 100 }),
        place: fc.double({ min: 0, max: 1.1, noNaN: true }),
      });
    const population = fc.array(transaction, { minLength: 0, maxLength: 400, size: 'max' });
    const stranger = await createMerchant(test.database);
    await fc.assert(
      fc.asyncProperty(
        population.chain((all) =>
          fc.tuple(fc.constant(all), fc.array(query(all), { minLength: 20, maxLength: 20 })),
        ),
        fc.array(transaction, { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async ([planted, queries], others, parts) => {
          const merchant = await createMerchant(test.database);
          const all: Planted[] = [];
          for (let part = 0; part < parts; part += 1)
            all.push(
              ...(await plant(
                test.database,
                merchant,
                planted.filter((_, at) => at % parts === part),
              )),
            );
          await plant(test.database, stranger, others);
          for (const { filter, perPage, place } of queries) {
            const wanted = expected(all, filter);
            const page = 1 + Math.floor((place * wanted.length) / perPage);
            const { items, total, totalIsMinimum } = await createTransactionList(test.database)({
              accountId: merchant.accountId,
              filter,
              page,
              perPage,
            });
            const found = items.map((item) => item.id);
            assert.equal(totalIsMinimum, false);
            assert.deepEqual(found, wanted.slice((page - 1) * perPage, page * perPage));
            assert.equal(total, wanted.length);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  itRaced(
    test,
    11,
    'counts what it shows, at every moment while transactions are accepted and settled side by side',
    async () => {
      const merchant = await createMerchant(test.database);
      const { accountId } = merchant;
      let isOver = false;
      const flows = times(10, async () => {
        for (let count = 0; count < 8; count += 1) {
          const submission = submissionFor(merchant, pushRequest());
          await accept(test.database, submission);
          await answered(test.database, submission.transactionId, succeeded(5_000, submission.transactionId));
        }
      });
      const reading = (async () => {
        let looks = 0;
        for (; !isOver; looks += 1) {
          const from = looks % 2 === 0 ? {} : { from: '2020-01-01T00:00:00.000000Z' };
          const filter =
            looks % 3 === 0 ? from : { ...from, status: looks % 3 === 1 ? 'pending' : 'completed' };
          const { items, total } = await createTransactionList(test.database)({
            accountId,
            filter,
            page: 1,
            perPage: 100,
          });
          assert.equal(total, items.length);
        }
        return looks;
      })();
      await atOnce(10, test.database, flows);
      isOver = true;
      assert.ok((await reading) > 5);
      const done = await createTransactionList(test.database)({
        accountId,
        filter: { status: 'completed' },
        page: 1,
        perPage: 1,
      });
      assert.equal(done.total, 80);
    },
  );

  it('can be told to forget a transaction: no list shows or counts it any more', async () => {
    const merchant = await createMerchant(test.database);
    const [one] = await plant(
      test.database,
      merchant,
      fc.sample(transaction, 30).filter(({ controlNumber }) => controlNumber === null),
    );
    assert.ok(one);
    const all = () =>
      createTransactionList(test.database)({
        accountId: merchant.accountId,
        filter: {},
        page: 1,
        perPage: 100,
      });
    const before = await all();
    await test.sql`DELETE FROM transactions WHERE id = ${one.id}`;
    const after = await all();
    assert.deepEqual([after.total, after.items.length], [before.total - 1, before.total - 1]);
    assert.ok(!after.items.some(({ id }) => id === one.id));
  });

  it('says that it takes too long after 2 s, and the connection goes on as before', async () => {
    const merchant = await createMerchant(test.database);
    const slow = readList(test.database, (db) => db.query('SELECT pg_sleep(30)'));
    await assert.rejects(slow, (error: GatewayError) => {
      assert.equal(error.code, 'validation_failed');
      assert.match(error.message, /narrow `from` and `to`/);
      assert.deepEqual(
        error.detail.errors?.map(({ field }) => field),
        ['from', 'to'],
      );
      return true;
    });
    const rows = await test.sql`SHOW statement_timeout`;
    assert.equal(rows[0].statement_timeout, '10s');
    const list = { accountId: merchant.accountId, filter: {}, page: 1, perPage: 20 };
    assert.equal((await createTransactionList(test.database)(list)).total, 0);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { settle } from '../../src/activities/settle.ts';
import { createDatabase } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { accept } from '../../src/transactions/accept.ts';
import { listTransactions, type TransactionFilter } from '../../src/transactions/list.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { assertListed } from '../support/listed.ts';
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
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

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
          await assertListed(test.database, merchant.accountId);
          for (const { filter, perPage, place } of queries) {
            const wanted = expected(all, filter);
            const page = 1 + Math.floor((place * wanted.length) / perPage);
            const { items, total } = await listTransactions(test.database, {
              accountId: merchant.accountId,
              filter,
              page,
              perPage,
            });
            const found = items.map((item) => item.id);
            assert.deepEqual(found, wanted.slice((page - 1) * perPage, page * perPage));
            assert.equal(total, wanted.length);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('counts what it shows, at every moment while transactions are accepted and settled side by side', async () => {
    const busy = await createTestDatabase({ poolMax: 12 });
    const merchant = await createMerchant(busy.database);
    const { accountId } = merchant;
    let isOver = false;
    const flows = Array.from({ length: 10 }, async () => {
      for (let count = 0; count < 8; count += 1) {
        const submission = submissionFor(merchant, pushRequest());
        await accept(busy.database, submission);
        await settle(busy.database, submission.transactionId, { kind: 'answer', result: succeeded(5_000) });
      }
    });
    const reading = (async () => {
      let looks = 0;
      for (; !isOver; looks += 1) {
        const from = looks % 2 === 0 ? {} : { from: '2020-01-01T00:00:00.000000Z' };
        const filter =
          looks % 3 === 0 ? from : { ...from, status: looks % 3 === 1 ? 'pending' : 'completed' };
        const { items, total } = await listTransactions(busy.database, {
          accountId,
          filter,
          page: 1,
          perPage: 100,
        });
        assert.equal(total, items.length);
      }
      return looks;
    })();
    await Promise.all(flows);
    isOver = true;
    assert.ok((await reading) > 5);
    const done = await listTransactions(busy.database, {
      accountId,
      filter: { status: 'completed' },
      page: 1,
      perPage: 1,
    });
    assert.equal(done.total, 80);
    await busy.drop();
  });

  it('lets nobody wait for the counts that another accepting transaction has changed', async () => {
    const merchant = await createMerchant(test.database);
    const { accountId } = merchant;
    const total = async () =>
      (await listTransactions(test.database, { accountId, filter: {}, page: 1, perPage: 20 })).total;
    await accept(test.database, submissionFor(merchant, pushRequest()));
    const others = createDatabase({ url: test.url, poolMax: 1, applicationName: 'somebody else' });
    await inTransaction(others, async (db) => {
      await db.query(`UPDATE transactions SET status = 'cancelled' WHERE account_id = $1`, [accountId]);
      await accept(test.database, submissionFor(merchant, pushRequest()));
      assert.equal(await total(), 2);
    });
    await others.end();
    const cancelled = { accountId, filter: { status: 'cancelled' }, page: 1, perPage: 20 };
    assert.equal((await listTransactions(test.database, cancelled)).total, 1);
    assert.equal(await total(), 2);
  });

  it('refuses to delete transactions, which nothing would uncount', async () => {
    await assert.rejects(test.database.query('DELETE FROM transactions'), /never deleted/);
    await assert.rejects(test.database.query('TRUNCATE transactions CASCADE'), /never deleted/);
  });
});

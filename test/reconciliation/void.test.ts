// tests: slow
import assert from 'node:assert/strict';
import type { Succeeded } from '../../src/domain/channel.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { driftOf, importMoves, importOf, type Move, statementOf } from '../support/statements-of-accounts.ts';
import { useReconciliation } from './desk.ts';

const DAY = 24 * 60;

describe('a statement that was wrong or forged', () => {
  const { test, desk, wallet, bank, lines, decide, voided } = useReconciliation();
  const success = (shillings: number, receipt: string | null): Succeeded => succeeded(shillings, receipt);
  const sums = async () => {
    const rows =
      await test.sql`SELECT a.kind, sum(e.amount)::bigint AS sum FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
       GROUP BY a.kind HAVING sum(e.amount) <> 0 ORDER BY a.kind`;
    return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
  };
  const failed = async (shillings: number) => {
    const { id } = await handedOver(test.database, pushRequest(shillings));
    await answered(test.database, id, failure('customer_timeout'));
    return id;
  };
  const late = async (id: string, shillings: number, receipt: string | null) => {
    const transaction = await getTransaction(test.database, id);
    assert.ok(transaction);
    await inTransaction(test.database, (db) => takeLateSuccess(db, transaction, success(shillings, receipt)));
  };

  it('is void by the word of two: what it booked is taken back, and the file may be imported again', async () => {
    const { id: push } = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    await answered(test.database, push, success(1_000, 'R1'));
    const before = await sums();
    const statement = statementOf(wallet, 500, [
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'F', amount: -5, kind: 'fee' },
      { receipt: 'S', amount: -200, kind: 'sweep', sweepTo: 'bank' },
      { receipt: 'X', amount: 70 },
      { receipt: 'X', amount: 70 },
    ]);
    const imported = await importOf(test.database, wallet, statement, { bytes: 'forged' });
    const booked = await sums();
    assert.deepEqual(imported.outcome.classes, {
      charge: 1,
      opening: 1,
      receipt: 1,
      sweep: 1,
      theirs_only: 1,
      twice: 1,
    });
    assert.match(await voided(imported.id), /is void: 5 movements taken back/);
    assert.deepEqual(await sums(), before);
    assert.deepEqual(await lines(), []);
    await assert.rejects(voided(imported.id), /is void already/);

    const again = await importOf(test.database, wallet, statement, { bytes: 'forged' });
    assert.deepEqual([again.isRepeated, again.outcome], [false, imported.outcome]);
    assert.deepEqual(await sums(), booked);
    assert.equal(await driftOf(test.database, wallet), 0);
    const rows = await test.sql`SELECT receipt FROM suspense_items WHERE is_open ORDER BY 1`;
    assert.deepEqual(
      rows.map((row) => row.receipt.replace(/^(line:).*/, '$1')),
      ['X', 'line:', 'opening:m-pesa'],
    );
  });

  it('is void with all that go on from it, by one proposal that names them', async () => {
    const before = await sums();
    const days = [3, 2, 1].map((ago) => ({ receipt: `A${ago}`, amount: 10, minutes: ago * DAY }));
    const files = days.map((move, index) => statementOf(wallet, index * 10, [move]));
    const ids: string[] = [];
    for (const [index, file] of files.entries())
      ids.push((await importOf(test.database, wallet, file, { bytes: `day ${index}` })).id);
    const [first = '', second = '', third = ''] = ids;
    const stale = await desk.cli('asha', 'statements', 'void', second, '--note', 'it is forged');
    const proposed = (await desk.cli('asha', 'proposals', 'list')).join('\n');
    assert.match(proposed, new RegExp(`Void statement ${second} of m-pesa .* and the 1 after it: `));
    const fourth = await importMoves(test.database, wallet, [{ receipt: 'A0', amount: 10, minutes: 5 }], 30);
    await assert.rejects(desk.approve('juma', stale), /changed since you looked at it \(later\)/);
    assert.match(await voided(second), /and 2 after it are void: 3 movements taken back/);
    assert.deepEqual(await test.sql`SELECT id FROM statements WHERE voided_by IS NULL`, [{ id: first }]);
    await assert.rejects(voided(third), /is void already/);
    await assert.rejects(voided(fourth.id), /is void already/);
    for (const [index, file] of files.entries())
      await importOf(test.database, wallet, file, { bytes: `day ${index}` });
    assert.equal(await driftOf(test.database, wallet), 0);
    assert.match(await voided(first), /and 2 after it are void/);
    assert.deepEqual(await sums(), before);
  });

  it('that is part of what people decided, or before one that is, is not void', async () => {
    const first = await importMoves(test.database, wallet, [{ receipt: 'A', amount: 10, minutes: 2 * DAY }]);
    const second = await importMoves(test.database, wallet, [{ receipt: 'B', amount: 20, minutes: DAY }], 10);
    await decide((await lines())[1]?.id ?? '', 'own');
    for (const id of [first.id, second.id])
      await assert.rejects(voided(id), /Operators have decided about si_\w+/);
    await assert.rejects(voided('st_0000000000000000'), /There is no statement/);
  });

  it('of a closed day is void only after that was opened again', async () => {
    const { id } = await importMoves(test.database, wallet, [
      { receipt: 'F', amount: -5, kind: 'fee', minutes: DAY },
    ]);
    const day = new Date(Date.now() - DAY * 60_000 + 3 * 3_600_000).toISOString().slice(0, 10);
    const days = (verb: string) => desk.cli('asha', 'days', verb, 'm-pesa', day, '--reason', 'r');
    await desk.approve('juma', await days('close'));
    await assert.rejects(voided(id), new RegExp(`${day} is closed, and this statement helps to prove it`));
    await desk.approve('juma', await days('reopen'));
    await voided(id);
    assert.deepEqual(await sums(), {});
  });

  it('leaves what a channel reported, too: it counts once, and is its line in another file', async () => {
    const [one, other, third] = [await failed(1_000), await failed(1_000), await failed(3_000)];
    const { reference } = (await getTransaction(test.database, third)) ?? assert.fail();
    const moves: Move[] = [
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'R2', amount: 1_000 },
      { receipt: 'R3', amount: 3_000, reference },
    ];
    const statement = statementOf(wallet, 0, moves);
    const { id } = await importOf(test.database, wallet, statement, { bytes: 'file' });
    await late(one, 1_000, 'R1');
    await late(third, 3_000, null);
    assert.match(await voided(id), /is void: 1 movement taken back/);
    await late(other, 1_000, 'R2');
    assert.equal((await sums()).suspense, 5_000_00, 'each of them was reported, and is there once');
    const again = await importOf(test.database, wallet, statement, { bytes: 'file' });
    assert.deepEqual(again.outcome.classes, { receipt: 3 });
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('leaves what a transaction has taken since, and a sweep that another account shows', async () => {
    const { id: push } = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    const statement = statementOf(wallet, 5_000, [
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'S', amount: -5_000, kind: 'sweep', sweepTo: 'bank' },
    ]);
    const { id } = await importOf(test.database, wallet, statement, { bytes: 'file' });
    await answered(test.database, push, success(1_000, 'R1'));
    await importMoves(test.database, bank, [
      { receipt: 'B', amount: 5_000, kind: 'sweep', sweepTo: 'm-pesa' },
    ]);
    assert.match(await voided(id), /is void: 1 movement taken back/);
    assert.deepEqual([(await sums()).own, (await sums()).suspense], [undefined, undefined]);
    const again = await importOf(test.database, wallet, statement, { bytes: 'file' });
    assert.deepEqual(again.outcome.classes, { opening: 1, receipt: 2 });
    assert.deepEqual([await driftOf(test.database, wallet), await driftOf(test.database, bank)], [0, 0]);
  });
});

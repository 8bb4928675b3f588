import assert from 'node:assert/strict';
import { isBilled, type TransactionOf } from '../../src/domain/transaction.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { paidPartsOf, refundsSoFar } from '../../src/transactions/odd-money/refunds.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { asRole, createTestDatabase } from '../support/database.ts';
import type { Database } from '../support/queryable.ts';
import { accountOf, Network } from './network.ts';
import { generatorOf } from './random.ts';
import { Walk } from './walker.ts';

export const STEPS = 45;

/** Minor units that they have for us by our books. */
async function oursOf(database: Database) {
  const { rows } = await database.query(
    `SELECT coalesce(-sum(e.amount) FILTER (WHERE a.channel = 'm-pesa'), 0)::bigint AS "m-pesa",
       coalesce(-sum(e.amount) FILTER (WHERE a.channel IS DISTINCT FROM 'm-pesa'), 0)::bigint AS bank
     FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE a.kind IN ('clearing', 'settlement')`,
  );
  return rows[0];
}

/**
 * After everything is shown each day's equation holds without a rest. The list of ours that no statement shows has whole pairs
 * alone: what a decision booked, and what its channel took back.
 */
async function unprovenOf(database: Database) {
  const unproven = [];
  for (const where of ['m-pesa', 'bank'] as const) {
    const group = [accountOf(where, 1)];
    const days = await daysOf(database, group);
    unproven.push(...days.filter(({ holds, unbooked, unseen }) => !holds || unbooked !== 0 || unseen !== 0));
    const unseen = await itemsOf(database, group, { states: ['open'], class: 'ours_only', limit: 1_000 });
    if (unseen.reduce((sum, { amount }) => sum + amount, 0) !== 0) unproven.push(...unseen);
  }
  return unproven;
}

/** What is wrong with the merchant's balance, against what became of its transactions. */
async function balanceOff(database: Database, { merchant, given }: Walk): Promise<number> {
  const { rows } = await database.query(
    `SELECT (SELECT sum(balance) FROM ledger_accounts WHERE account_id = $1)::bigint
       - coalesce((SELECT sum(CASE WHEN b.paid > 0 THEN b.paid - t.fee
           WHEN t.type <> 'payout' AND t.status = 'completed' THEN t.settled
           WHEN t.type = 'payout' AND t.status = 'paid' THEN -t.amount - t.fee ELSE 0 END)
         FROM transactions t LEFT JOIN bills b ON b.transaction_id = t.id WHERE t.account_id = $1), 0)
       - coalesce((SELECT sum(t.amount) FROM transfers c JOIN transactions t ON t.id = c.transaction_id
           WHERE c.kind = 'reversal' AND t.account_id = $1), 0) - $2::bigint AS off`,
    [merchant.accountId, given],
  );
  return Number(rows[0].off);
}

/** A push that its payer asked for on a page is refunded as its bill's payment, or its number's. */
async function paymentOfPush(database: Database, push: TransactionOf<'ussd'>) {
  const { rows } = await database.query(
    "SELECT transaction_id AS id, number FROM bill_receipts WHERE prompt_id = $1 AND outcome = 'accepted'",
    [push.id],
  );
  const paid = rows[0] && (await getTransaction(database, rows[0].id));
  return paid && isBilled(paid) ? { payment: paid, number: rows[0].number } : { payment: push, number: null };
}

/**
 * Payments whose payer has more back than `refundsSoFar` says, or less although nothing came back; minor units. Of those alone that
 * moved once, and where no two people said what became of money.
 */
async function refundsOff(database: Database, { truths, refunds }: Walk) {
  const off = [];
  for (const [id, truth] of truths) {
    const push = await getTransaction(database, id);
    if (push?.mode !== 'ussd' || truth.movements.length > 1) continue;
    const { payment, number } = await paymentOfPush(database, push);
    const its = [...refunds].flatMap(([refund, of]) => (of === payment.id ? (truths.get(refund) ?? []) : []));
    const all = await paidPartsOf(database, payment);
    const part = all.find((one) => one.number === number);
    if (
      all.length > 1 ||
      !part ||
      [truth, ...its].some(({ isDecided, isReleased }) => isDecided || isReleased)
    )
      continue;
    const out = its.flatMap(({ movements }) => movements);
    const gone = [
      ...out.filter(({ back }) => back === null),
      ...truth.movements.filter(({ back }) => back !== null),
    ];
    const has = gone.reduce((sum, { amount }) => sum + amount, 0);
    const { refunded } = await refundsSoFar(database, { payment: payment.id, part });
    const isExact = [...out, ...truth.movements].every(({ back }) => back === null);
    if (isExact ? refunded !== has : refunded < has) off.push({ id, has, refunded });
  }
  return off;
}

/**
 * Walks on one database, `together` of them at a time, each with `atOnce` steps at once. After them everything is told and shown:
 * what networks and banks have is what moved, and each merchant has what became of its transactions.
 */
export async function walkOn(of: { seed: number; walks: number; together?: number; atOnce: number }) {
  const { seed, walks, together = 1, atOnce } = of;
  const test = await createTestDatabase({ poolMax: 8 });
  try {
    const { database } = test;
    const network = new Network();
    for (let number = 0; number < walks; number += together) {
      const nexts = Array.from({ length: together }, (_, other) =>
        generatorOf(seed + 1_000 * number + other),
      );
      const ours = await Promise.all(nexts.map((next) => Walk.begin({ database, network }, next)));
      const go = async (walk: Walk) => {
        for (let step = 0; step < STEPS; step += atOnce)
          await Promise.all(Array.from({ length: atOnce }, () => walk.step()()));
      };
      await Promise.all(ours.map(go));
      for (const walk of ours) await walk.tellAll();
      await network.showAll(asRole(database, 'api'), asRole(database, 'worker'));
      const where = `walk ${number} of seed ${seed}, ${atOnce} at once`;
      assert.deepEqual(await oursOf(database), network.moved, where);
      for (const walk of ours) {
        assert.equal(await balanceOff(database, walk), 0, `the balance in ${where}`);
        assert.deepEqual(await refundsOff(database, walk), [], `refunds in ${where}`);
      }
      assert.deepEqual(await unprovenOf(database), [], where);
      assert.deepEqual(await checkInvariants(database), [], where);
    }
  } finally {
    await test.drop();
  }
}

// tests: generated
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { minor } from '../../src/domain/money.ts';
import type { ProvenAccount } from '../../src/ledger/accounts.ts';
import { serviceBalances } from '../../src/ledger/balances.ts';
import { postPairOfItems, postUnmoved, type UnseenEntry } from '../../src/ledger/line-decisions.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { postRelease, postSuspense } from '../../src/ledger/suspense-postings.ts';
import { postTransfers } from '../../src/ledger/transfer.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkNew } from '../../src/reconciliation/check.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { portion } from '../support/generated.ts';
import type { Queryable } from '../support/queryable.ts';

const wallet: ProvenAccount = { kind: 'clearing', channel: 'm-pesa' };
const bank: ProvenAccount = { kind: 'settlement' };
const channelOf = (account: ProvenAccount) => (account.kind === 'clearing' ? account.channel : 'bank');

const test = useTestDatabase();
let proposalId: string;
before(async () => {
  proposalId = await plantProposal(test.database, 'lines.own');
});
const once = <T>(work: (db: Queryable) => Promise<T>) => inTransaction(test.database, work);

async function sums(): Promise<Record<string, number>> {
  const balances = await serviceBalances(test.database);
  return Object.fromEntries(
    balances.map(({ kind, channel, amount }) => [channel === null ? kind : `${kind}:${channel}`, amount]),
  );
}

/** What each account gained by some work. */
async function gained(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await sums();
  await work();
  const after = await sums();
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, amount]) => {
      const more = amount - (before[name] ?? 0);
      return more === 0 ? [] : [[name, more]];
    }),
  );
}

async function itemOf(receipt: string) {
  const rows = await test.sql`SELECT id FROM suspense_items WHERE receipt = ${receipt}`;
  return (await getSuspenseItem(test.database, rows[0]?.id)) ?? assert.fail(`no item ${receipt}`);
}

function suspend(receipt: string, account: ProvenAccount, amount: number) {
  return once((db) =>
    postSuspense(db, {
      channel: channelOf(account),
      connection: 'statements',
      receipt,
      transactionId: null,
      direction: amount > 0 ? 'collection' : 'payout',
      amount: minor(Math.abs(amount)),
      currency: 'TZS',
      note: 'a line that nothing explains',
    }),
  );
}

describe('what two operators decide about lines of statements', () => {
  it('leaves suspense as a charge or as own money, once', async () => {
    for (const [to, account] of [
      ['charges', wallet],
      ['own', bank],
    ] as const) {
      await suspend(`X-${to}`, account, -1_200);
      const item = await itemOf(`X-${to}`);
      const work = () => once((db) => postRelease(db, item, { to, proposalId, note: 'seen' }));
      assert.deepEqual(await gained(work), { suspense: 1_200, [to]: -1_200 });
      assert.deepEqual(await gained(work), {});
    }
  });

  it('leaves suspense as the two halves of a sweep, both or none', async () => {
    await suspend('OUT', wallet, -80_000);
    await suspend('IN', bank, 80_000);
    await suspend('OTHER', bank, 80_001);
    const [out, into, other] = [await itemOf('OUT'), await itemOf('IN'), await itemOf('OTHER')];
    const agreed = { proposalId, note: 'to our bank' };
    const sweep = { kind: 'sweep', transactionId: null, ...agreed } as const;
    await assert.rejects(
      once((db) => postPairOfItems(db, [out, other], sweep)),
      /do not make up for each other/,
    );
    assert.deepEqual(await gained(() => once((db) => postPairOfItems(db, [out, into], sweep))), {});
    assert.deepEqual(
      [(await itemOf('OUT')).release?.kind, (await itemOf('IN')).release?.kind],
      ['sweep', 'sweep'],
    );
    assert.equal(await once((db) => postPairOfItems(db, [into, out], sweep)), false);
    assert.equal(await once((db) => postRelease(db, into, { to: 'us', ...agreed })), false);
    await suspend('OUT2', wallet, -80_000);
    const again = await itemOf('OUT2');
    assert.equal(await once((db) => postPairOfItems(db, [again, into], sweep)), false);
    assert.equal((await itemOf('OUT2')).release, null, 'the half that is open stays so');
  });

  /** An entry of ours, in minor units: below zero where money came in. */
  async function booked(account: ProvenAccount, amount: number): Promise<number> {
    const entries = await once((db) =>
      postTransfers(db, [
        {
          kind: 'top_up',
          currency: 'TZS',
          transactionId: null,
          dedupeKey: randomUUID(),
          reference: null,
          lines: [
            { account, amount, moved: { toldBy: 'channel', names: [] } },
            { account: { kind: 'own' }, amount: -amount },
          ],
        },
      ]),
    );
    return entries.find(({ movementId }) => movementId !== null)?.entryId ?? assert.fail('no entry');
  }

  it('did not happen: ours is corrected once, under its own name where that is free', async () => {
    await suspend('TAKEN', wallet, 100);
    for (const name of ['FREE', 'TAKEN']) {
      const entry = await booked(wallet, -5_000);
      const receipt = name === 'FREE' ? name : `TAKEN#ours#${entry}`;
      const unseen: UnseenEntry = {
        entry,
        account: wallet,
        amount: minor(-5_000),
        currency: 'TZS',
        connection: 'statements',
        name,
        transactionId: null,
      };
      const work = () =>
        once((db) => postUnmoved(db, unseen, { proposalId, note: 'the network never had it' }));
      assert.deepEqual(await gained(work), { 'clearing:m-pesa': 5_000, suspense: -5_000 });
      assert.deepEqual(await gained(work), {}, 'once');
      assert.equal((await itemOf(receipt)).amount, -5_000);
    }
  });

  it('in any order, twice or interrupted, leaves books that balance', async function () {
    this.timeout(60_000);
    const kinds = ['suspend', 'unmoved'] as const;
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      way: fc.constantFrom('once', 'twice', 'rolled back' as const),
      out: fc.boolean(),
      at: fc.constantFrom(wallet, bank),
      size: fc.integer({ min: 1, max: 1_000_000_000_00 }),
      leaves: fc.constantFrom('charges', 'own', 'us', 'channel', null),
    });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { kind, way, out, at, size, leaves } of steps) {
          const id = `p${++number}`;
          const amount = minor(out ? -size : size);
          const entry = kind === 'unmoved' ? await booked(at, amount) : 0;
          const run = async (db: Queryable): Promise<boolean> => {
            const rest = { currency: 'TZS', connection: 'statements', transactionId: null };
            if (kind === 'unmoved')
              return postUnmoved(
                db,
                { ...rest, account: at, amount, entry, name: id },
                { proposalId, note: id },
              );
            const direction = out ? 'payout' : 'collection';
            return postSuspense(db, {
              ...rest,
              direction,
              channel: channelOf(at),
              receipt: id,
              amount: minor(size),
              note: id,
            });
          };
          if (way === 'rolled back')
            await assert.rejects(
              once(async (db) => {
                await run(db);
                throw new Error('it dies before its commit');
              }),
              /it dies/,
            );
          assert.equal(await once(run), true);
          if (way === 'twice') assert.equal(await once(run), false);
          if (leaves && (kind === 'suspend' || kind === 'unmoved')) {
            const item = await itemOf(id);
            const leave = () => once((db) => postRelease(db, item, { to: leaves, proposalId, note: id }));
            assert.deepEqual([await leave(), await leave()], [true, false]);
          }
        }
        const total = Object.values(await sums()).reduce((sum, amount) => sum + amount, 0);
        assert.equal(total, 0);
        assert.deepEqual(await checkInvariants(test.database), []);
        assert.deepEqual((await checkNew(test.database)).breaches, []);
      }),
      { numRuns: portion(20), interruptAfterTimeLimit: 40_000 },
    );
  });
});

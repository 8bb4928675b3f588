// tests: slow, generated
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InsufficientFunds } from '../../src/domain/errors.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf, entriesOf } from '../../src/ledger/accounts.ts';
import { placeHold, releaseHold, takeHold } from '../../src/ledger/hold.ts';
import { postCollection, postReturn } from '../../src/ledger/movement.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { postFunding, topUp } from '../../src/ledger/transfer.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { atOnce } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { portion } from '../support/generated.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import type { Database, Queryable } from '../support/queryable.ts';
import { insertTransaction, type Subject, setStatus, subjectOf } from './support.ts';

class Crash extends Error {}

/**
 * The same database, on which every transaction dies at its commit: before it (nothing happened) or after it (all
 * happened, and nobody was told). Both look alike to whoever asked, who then tries again.
 */
function dyingAtCommit(database: Database, when: 'before' | 'after'): Database {
  const connect = async () => {
    const client = await database.connect();
    const query = async (...args: Parameters<typeof client.query>) => {
      if (String(args[0]) !== 'COMMIT') return client.query(...args);
      if (when === 'after') await client.query('COMMIT');
      throw new Crash();
    };
    return {
      query,
      on: client.on.bind(client),
      off: client.off.bind(client),
      release: client.release.bind(client),
    };
  };
  return { connect } as unknown as Database;
}

/** How often a step runs and where it dies. A step that died is run again, as Temporal does. */
const ways = ['once', 'twice', 'at_once', 'dies_before', 'dies_after', 'dies_and_stays'] as const;
type Way = (typeof ways)[number];
type Step = { kind: keyof typeof steps; amount: number; fee: number; pick: number; way: Way };

/** What the ledger should say, kept in plain numbers. */
type Model = {
  available: number;
  held: number;
  payouts: { subject: Subject; state: 'held' | 'taken' | 'released' | 'returned' }[];
};
type World = { merchant: Merchant; model: Model; number: number };
/** What a step does to the database, and what it means in the model once it happened. */
type Planned = { run(database: Database): Promise<unknown>; affordable: boolean; happened(): void };

const inOne = (work: (db: Queryable) => Promise<unknown>) => (database: Database) =>
  inTransaction(database, work);
const nothing: Planned = { run: async () => {}, affordable: true, happened: () => {} };

const steps = {
  topUp: ({ merchant, model, number }: World, { amount }: Step): Planned => ({
    run: (database) => topUp(database, funding(merchant, amount, number)),
    affordable: true,
    happened: () => {
      model.available += amount;
    },
  }),
  withdraw: ({ merchant, model, number }: World, { amount }: Step): Planned => ({
    run: (database) =>
      inTransaction(database, (db) => postFunding(db, 'withdrawal', funding(merchant, amount, number))),
    affordable: model.available >= amount,
    happened: () => {
      model.available -= amount;
    },
  }),
  hold: ({ merchant, model }: World, { amount, fee }: Step): Planned => {
    const subject = subjectOf(merchant, 'payout', { value: minor(amount), fee: minor(fee) });
    return {
      run: inOne(async (db) => {
        if (await insertTransaction(db, merchant, subject)) await placeHold(db, subject);
      }),
      affordable: model.available >= amount + fee,
      happened: () => {
        model.available -= amount + fee;
        model.held += amount + fee;
        model.payouts.push({ subject, state: 'held' });
      },
    };
  },
  take: (world: World, step: Step): Planned => resolve(world, step, 'taken'),
  release: (world: World, step: Step): Planned => resolve(world, step, 'released'),
  collect: ({ merchant, model }: World, { amount, fee }: Step): Planned => {
    const taken = Math.min(fee, amount);
    const subject = subjectOf(merchant, 'payment', { value: minor(amount), fee: minor(taken) });
    return {
      run: inOne(async (db) => {
        if (!(await insertTransaction(db, merchant, subject))) return;
        await setStatus(db, subject, 'completed');
        await postCollection(db, { ...subject, receipt: null });
      }),
      affordable: true,
      happened: () => {
        model.available += amount - taken;
      },
    };
  },
  suspend: ({ model, number }: World, { amount, pick }: Step): Planned => {
    const payout = model.payouts[pick % model.payouts.length];
    if (!payout) return nothing;
    const odd = { amount: minor(amount), receipt: `${payout.subject.transactionId}-${number}`, note: 'late' };
    const connection = 'test';
    return {
      run: inOne((db) => postSuspense(db, { ...payout.subject, ...odd, connection, direction: 'payout' })),
      affordable: true,
      happened: () => {},
    };
  },
  returned: ({ model }: World, { pick }: Step): Planned => {
    const payout = model.payouts[pick % model.payouts.length];
    if (payout?.state !== 'taken') return nothing;
    const { subject } = payout;
    return {
      run: inOne(async (db) => {
        const { rowCount } = await db.query(
          'UPDATE transactions SET returned_at = now() WHERE id = $1 AND returned_at IS NULL',
          [subject.transactionId],
        );
        if (rowCount === 1)
          await postReturn(db, {
            ...subject,
            amount: subject.value,
            connection: 'test',
            names: [],
            item: null,
          });
      }),
      affordable: true,
      happened: () => {
        model.available += subject.value;
        payout.state = 'returned';
      },
    };
  },
};

/** Takings and releases of the same hold in any order: the first one counts, for ever. */
function resolve({ model }: World, { pick }: Step, resolution: 'taken' | 'released'): Planned {
  const payout = model.payouts[pick % model.payouts.length];
  if (!payout) return nothing;
  const { subject } = payout;
  const move = resolution === 'taken' ? takeHold : releaseHold;
  return {
    run: inOne(async (db) => {
      if (await move(db, subject)) await setStatus(db, subject, resolution === 'taken' ? 'paid' : 'failed');
    }),
    affordable: true,
    happened: () => {
      if (payout.state !== 'held') return;
      payout.state = resolution;
      model.held -= subject.value + subject.fee;
      if (resolution === 'released') model.available += subject.value + subject.fee;
    },
  };
}

function funding(merchant: Merchant, amount: number, number: number) {
  return {
    accountId: merchant.accountId,
    amount: minor(amount),
    actor: 'test',
    dedupeKey: `step-${number} of ${merchant.accountId}`,
  };
}

/** Runs a step in its way. A refusal must come exactly when the model cannot pay. */
async function perform(database: Database, planned: Planned, way: Way): Promise<void> {
  const { run, affordable, happened } = planned;
  const attempt = async (on: Database) => {
    if (affordable) return void (await run(on));
    await assert.rejects(
      async () => {
        await run(on);
      },
      (error) => error instanceof InsufficientFunds,
    );
  };
  const crash = async (when: 'before' | 'after') => {
    if (planned === nothing) return;
    const on = dyingAtCommit(database, when);
    if (affordable)
      await assert.rejects(
        async () => {
          await run(on);
        },
        (error) => error instanceof Crash,
      );
    else await attempt(on);
  };
  if (way === 'at_once' && planned !== nothing) {
    const once = () => attempt(database);
    await atOnce(3, database, [once, once, once]);
  }
  if (way === 'dies_before' || way === 'dies_and_stays') await crash('before');
  if (way === 'dies_and_stays') return;
  if (way === 'dies_after') await crash('after');
  if (way !== 'at_once') await attempt(database);
  if (way === 'twice') await attempt(database);
  if (affordable) happened();
}

describe('any sequence of movements', () => {
  const test = useTestDatabase();

  const anyStep: fc.Arbitrary<Step> = fc.record({
    // Holds and their money come more often, or most resolutions would find nothing to resolve.
    kind: fc.constantFrom(
      ...(Object.keys(steps) as (keyof typeof steps)[]),
      'topUp',
      'topUp',
      'hold',
      'hold',
      'hold',
      'take',
      'release',
    ),
    // Small amounts, so that balances run out often; now and then a large one.
    amount: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_000_000_000_00 })),
    fee: fc.integer({ min: 0, max: 5 }),
    pick: fc.nat({ max: 12 }),
    way: fc.constantFrom(...ways),
  });

  it('leaves exactly the balances it should, repeated, crashed or at once, and breaks no invariant', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40, size: 'max' }), async (sequence) => {
        const merchant = await createMerchant(test.database);
        const model: Model = { available: 0, held: 0, payouts: [] };
        for (const [number, step] of sequence.entries()) {
          await perform(test.database, steps[step.kind]({ merchant, model, number }, step), step.way);
          assert.deepEqual(
            await balanceOf(test.database, merchant.accountId, 'TZS'),
            { current: model.available, reserved: model.held },
            `after step ${number}: ${JSON.stringify(step)}`,
          );
        }
        assert.deepEqual(await checkInvariants(test.database), []);
      }),
      // The limit lets a failure that is still being shrunk be reported instead of timing out.
      { numRuns: 10 + portion(40), interruptAfterTimeLimit: 60_000 },
    );
  });

  it('gives each transaction entries that sum to zero', async () => {
    const rows =
      await test.sql`SELECT DISTINCT transaction_id FROM transfers WHERE transaction_id IS NOT NULL LIMIT 50`;
    assert.notEqual(rows.length, 0);
    for (const { transaction_id } of rows) {
      const entries = await entriesOf(test.database, transaction_id);
      assert.notEqual(entries.length, 0);
      const sum = entries.reduce<number>((total, entry) => total + entry.amount, 0);
      assert.equal(sum, 0);
    }
  });
});

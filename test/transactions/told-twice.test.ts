import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import type { WayOut } from '../../src/transactions/odd-money/opposites.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { actions } from '../support/actions.ts';
import { carryOut } from '../support/agree.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantDecision, plantProposal } from '../support/decision.ts';
import { handedOver, notify, type Started } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, importMoves, type Move, walletAccount } from '../support/statements-of-accounts.ts';

const SHILLINGS = 50_000;

describe('a movement that is told twice', () => {
  const test = useTestDatabase({ each: true, poolMax: 8 });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];
  const accounts = { wallet: walletAccount({ graceMs: 1 }), bank: bankAccount({ graceMs: 1 }) };
  /** What their statements show so far: each file is of the whole day. */
  let shown: Move[] = [];
  beforeEach(() => {
    shown = [];
  });

  /** It dies before its commit, then it runs, then it runs again. */
  async function settled(id: string, cause: Cause) {
    const before = await books();
    const dies = tryToEnd(worker(), id, cause, () => Promise.reject(new Error('it dies')));
    await assert.rejects(dies, /it dies/);
    assert.deepEqual(await books(), before);
    await tryToEnd(worker(), id, cause);
    const after = await books();
    await tryToEnd(worker(), id, cause);
    assert.deepEqual(await books(), after, 'run twice it changes nothing');
  }

  /** Whole shillings: what networks and banks have for us, and what is in suspense by open items. */
  async function books() {
    const { rows } = await test.database.query(
      `SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'clearing'), 0)::bigint AS theirs,
         coalesce(sum(e.amount) FILTER (WHERE a.kind = 'suspense'), 0)::bigint AS suspense,
         (SELECT count(*) FROM suspense_items WHERE is_open)::int AS open
       FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id`,
    );
    const [{ theirs, suspense, open }] = rows;
    return { theirs: theirs / 100, suspense: suspense / 100, open };
  }

  type Step = (one: Started) => Promise<unknown>;
  const line =
    (move: Move & { isOurs?: boolean }, account: AccountInUse = accounts.wallet): Step =>
    async ({ reference }) => {
      const { isOurs = false, ...also } = move;
      const at = new Date(Date.now() - 60_000 + shown.length);
      shown.push({ at, ...(isOurs ? { reference } : {}), ...also });
      await importMoves(api(), account, shown);
    };
  const says =
    (receipt: string | null, amount = SHILLINGS): Step =>
    ({ id }) =>
      settled(id, { kind: 'answer', result: succeeded(amount, receipt) });
  const fails: Step = ({ id }) =>
    settled(id, {
      kind: 'answer',
      result: { kind: 'failed', code: 'network_error', channelReference: null },
    });
  const decided =
    (outcome: 'paid' | 'failed'): Step =>
    async ({ id }) => {
      await plantDecision(test.database, id, outcome);
      await settled(id, { kind: 'notifications' });
    };
  const returned =
    (channelReference: string | null, amount = SHILLINGS): Step =>
    async ({ id }) => {
      const content = {
        kind: 'returned',
        amount: minor(amount * 100),
        currency: 'TZS',
        reason: 'AC04',
        channelReference,
      } as const;
      await notify(api(), id, content);
      await settled(id, { kind: 'notifications' });
    };
  /** Two people let the item of this receipt go. */
  const released =
    (receipt: string | null, to: WayOut['to'] = 'merchant', back?: string): Step =>
    async ({ merchant }) => {
      const { rows } = await test.database.query(
        'SELECT id, receipt, amount, currency FROM suspense_items WHERE receipt = coalesce($1, receipt)',
        [receipt],
      );
      const [item] = rows;
      const name = to === 'merchant' ? 'suspense.to-merchant' : 'suspense.given-back';
      const { id, ...money } = item;
      await agreed(name, {
        item: id,
        ...money,
        note: 'a test',
        ...(to === 'merchant' ? { account_id: merchant.accountId } : { return_receipt: back }),
      });
    };

  const refused =
    (step: Step): Step =>
    (one) =>
      assert.rejects(step(one), /is the receipt of/);

  async function agreed(name: string, payload: object) {
    const action = actions[name];
    assert.ok(action, name);
    const proposalId = await plantProposal(test.database, name);
    await inTransaction(api(), (db) => carryOut(db, { action, payload, proposalId }));
  }

  type Story = { name: string; of?: MoneyRequest; steps: Step[]; ends: End };
  type End = {
    /** whole shillings that they have for us at the end, and in open items */
    theirs: number;
    suspense?: number;
    open?: number;
    status: string;
    /** what a person is called for about the transaction */
    asks?: string[];
    /** events of this name that the merchant is told */
    told?: Record<string, number>;
  };
  const V1 = { receipt: 'V1', kind: 'return', names: ['R1'] } as const;
  const stories: Story[] = [
    ...(
      [
        ['bank payout', bankPayoutRequest(SHILLINGS), accounts.bank],
        ['payout', mobilePayoutRequest(SHILLINGS), accounts.wallet],
      ] as const
    ).flatMap(([kind, of, account]): Story[] => {
      const paid = [says('R1'), line({ receipt: 'R1', amount: -SHILLINGS, isOurs: true }, account)];
      const back = line({ ...V1, amount: SHILLINGS }, account);
      const ends = { theirs: 0, status: 'paid', asks: ['returned'], told: { 'payout.returned': 1 } };
      const once = { of, ends };
      return [
        {
          name: `${kind}: a line of its return, then the return`,
          steps: [...paid, back, returned('V1')],
          ...once,
        },
        {
          name: `${kind}: a line of its return, then the return without a number`,
          steps: [...paid, back, returned(null)],
          ...once,
        },
        { name: `${kind}: its return, then its line`, steps: [...paid, returned('V1'), back], ...once },
        {
          name: `${kind}: a line of its return that was released, then the return`,
          steps: [...paid, back, released('V1'), returned('V1')],
          ...once,
        },
      ];
    }),
    // ClickPesa has no number of a reversal: it gives that of the payment.
    ...['V1', 'R1'].flatMap((number): Story[] => {
      const shown = line({ ...V1, kind: 'reversal', amount: -SHILLINGS });
      const both = [shown, returned(number)];
      return [both, both.toReversed()].map((steps, n) => ({
        name: `${n === 0 ? 'a line of it, then' : 'before its line,'} the reversal ${number} of a push`,
        steps: [says('R1'), line({ receipt: 'R1', amount: SHILLINGS }), ...steps],
        ends: { theirs: 0, suspense: -SHILLINGS, open: 1, status: 'completed', asks: ['returned'] },
      }));
    }),
    ...[null, 'R1'].map(
      (receipt): Story => ({
        name: `a line that was released to its merchant, then a success with ${receipt}`,
        steps: [line({ receipt: 'R1', amount: SHILLINGS, isOurs: true }), released('R1'), says(receipt)],
        ends: { theirs: SHILLINGS, status: 'pending', asks: ['late_success', 'unknown_outcome'] },
      }),
    ),
    ...(['push', 'payout'] as const).flatMap((kind): Story[] => {
      const sign = kind === 'push' ? 1 : -1;
      const of = kind === 'push' ? pushRequest(SHILLINGS) : mobilePayoutRequest(SHILLINGS);
      const status = kind === 'push' ? 'completed' : 'paid';
      const its = { of, ends: { theirs: sign * SHILLINGS, status } };
      const shown = line({ receipt: 'R1', amount: sign * SHILLINGS });
      return [
        {
          name: `${kind}: a success without a receipt, its line, the success with the receipt`,
          steps: [says(null), shown, says('R1')],
          ...its,
        },
        { name: `${kind}: the same, spelled otherwise`, steps: [says(null), shown, says(' r1')], ...its },
        {
          name: `${kind}: decided paid, its line, the success`,
          steps: [decided('paid'), shown, says('R1')],
          ...its,
        },
        {
          name: `${kind}: its line with our reference, and a success with its receipt`,
          steps: [line({ receipt: 'R1', amount: sign * SHILLINGS, isOurs: true }), says('R1')],
          ...its,
        },
        {
          name: `${kind}: a line without a receipt, and a success with one`,
          steps: [line({ amount: sign * SHILLINGS, isOurs: true }), says('R1')],
          ...its,
        },
        {
          name: `${kind}: decided paid, a line of another amount, the success of that amount`,
          steps: [
            decided('paid'),
            line({ receipt: 'R1', amount: sign * 57_000, isOurs: true }),
            says('R1', 57_000),
          ],
          of,
          ends: { theirs: sign * 57_000, suspense: sign * 7_000, status, asks: ['wrong_amount'] },
        },
      ];
    }),
    {
      name: 'a success, then its line, spelled otherwise',
      steps: [says('r1'), line({ receipt: 'R 1', amount: SHILLINGS, isOurs: true })],
      ends: { theirs: SHILLINGS, status: 'completed', asks: [] },
    },
    {
      name: 'a line without a receipt that was released, then the success with one, again and again',
      steps: [line({ amount: SHILLINGS, isOurs: true }), released(null), says('R1'), says('R1'), says(null)],
      ends: { theirs: SHILLINGS, status: 'pending', asks: ['late_success', 'unknown_outcome'] },
    },
    {
      name: 'the same, and two people decide that it failed: he has the money already',
      steps: [
        line({ amount: SHILLINGS, isOurs: true }),
        released(null),
        says('R1'),
        decided('failed'),
        says('R1'),
      ],
      ends: { theirs: SHILLINGS, status: 'failed' },
    },
    {
      name: 'a line of a bank by its own number that was released, then the success of the payout',
      of: bankPayoutRequest(SHILLINGS),
      steps: [
        line({ receipt: 'N1', amount: -SHILLINGS, isOurs: true }, accounts.bank),
        released('N1'),
        says('N2'),
        says('N2'),
      ],
      ends: { theirs: -SHILLINGS, status: 'pending', asks: ['late_success', 'unknown_outcome'] },
    },
    {
      name: 'a line of a bank by its own number, the success of the payout, and another one: it moved twice',
      of: bankPayoutRequest(SHILLINGS),
      steps: [
        line({ receipt: 'N1', amount: -SHILLINGS, isOurs: true }, accounts.bank),
        says('N2'),
        says('N3'),
      ],
      ends: { theirs: -2 * SHILLINGS, suspense: -SHILLINGS, status: 'paid', asks: ['late_success'] },
    },
    {
      name: 'two late successes, and one return that is to give both of them back',
      steps: [
        fails,
        says('R1'),
        says('R2'),
        released('R1', 'channel', 'V1'),
        refused(released('R2', 'channel', 'V1')),
      ],
      ends: { theirs: SHILLINGS, suspense: SHILLINGS, status: 'failed' },
    },
    {
      name: 'a late success, a line of its way back, and people who say that its network gave it back',
      steps: [
        fails,
        says('R1'),
        line({ receipt: 'R1', amount: SHILLINGS }),
        line({ ...V1, kind: 'reversal', amount: -SHILLINGS }),
        released('R1', 'channel', 'V1'),
      ],
      ends: { theirs: 0, status: 'failed' },
    },
    {
      name: 'a wrong amount under a receipt, then the right one under the same: two movements, of which none ends it',
      steps: [says('R1', 40_000), says('R1')],
      ends: { theirs: 90_000, suspense: 90_000, status: 'pending', asks: ['late_success', 'wrong_amount'] },
    },
    ...[SHILLINGS, 57_000].map(
      (amount): Story => ({
        name: `decided paid, a line of ${amount}, and its channel says that it failed, and then that amount`,
        steps: [decided('paid'), line({ receipt: 'R1', amount, isOurs: true }), fails, says('R1', amount)],
        ends: {
          theirs: amount,
          suspense: amount - SHILLINGS,
          status: 'completed',
          asks: ['conflicting_failure', ...(amount === SHILLINGS ? [] : ['wrong_amount'])],
        },
      }),
    ),
    {
      name: 'decided paid, its channel says that it failed, its line, and then its success',
      of: mobilePayoutRequest(SHILLINGS),
      steps: [decided('paid'), fails, line({ receipt: 'R1', amount: -SHILLINGS }), says('R1')],
      ends: {
        theirs: -SHILLINGS,
        status: 'paid',
        open: 2,
        asks: ['conflicting_failure', 'receipt_mismatch'],
      },
    },
    {
      name: 'a payout that failed and was paid late, people who say that its bank gave it back, and the return',
      of: bankPayoutRequest(SHILLINGS),
      steps: [fails, says('R1'), released('R1', 'channel', 'V1'), returned('V1')],
      ends: { theirs: 0, status: 'failed' },
    },
    {
      name: 'a payout that was paid twice, its return, and people who say that this gave the second one back',
      of: bankPayoutRequest(SHILLINGS),
      steps: [says('R1'), says('R2'), returned('V1'), refused(released('R2', 'channel', 'V1'))],
      ends: { theirs: -SHILLINGS, suspense: -SHILLINGS, status: 'paid' },
    },
    {
      name: 'a payout that failed and was paid late, its return, and the line of that',
      of: bankPayoutRequest(SHILLINGS),
      steps: [
        fails,
        says('R1'),
        returned('V1'),
        line({ receipt: 'R1', amount: -SHILLINGS }, accounts.bank),
        line({ ...V1, amount: SHILLINGS }, accounts.bank),
      ],
      ends: { theirs: 0, status: 'failed', open: 2 },
    },
    {
      name: 'decided paid, two lines name it, and its channel says one of them',
      of: mobilePayoutRequest(SHILLINGS),
      steps: [
        decided('paid'),
        line({ receipt: 'R1', amount: -SHILLINGS, isOurs: true }),
        line({ receipt: 'R2', amount: -SHILLINGS, isOurs: true }),
        says('R2'),
      ],
      ends: { theirs: -2 * SHILLINGS, suspense: -SHILLINGS, open: 1, status: 'paid' },
    },
    {
      name: 'decided paid, its channel says failed, and a line of another amount names it',
      of: mobilePayoutRequest(SHILLINGS),
      steps: [decided('paid'), fails, line({ receipt: 'R1', amount: -SHILLINGS - 7, isOurs: true })],
      // What was taken back, and what moved: neither is the difference of the other.
      ends: { theirs: -SHILLINGS - 7, suspense: -7, open: 2, status: 'paid' },
    },
    {
      name: 'decided paid, and its channel says: failed, paid, returned',
      of: mobilePayoutRequest(SHILLINGS),
      steps: [decided('paid'), fails, says('R1'), returned('V1')],
      // What was taken back, and what moved after all: they make up for each other, and leave in the same way.
      ends: { theirs: 0, status: 'paid', open: 2 },
    },
  ];

  for (const { name, of = pushRequest(SHILLINGS), steps, ends } of stories)
    it(name, async () => {
      const { theirs, suspense = 0, open, status, asks, told = {} } = ends;
      const one = await handedOver(test.database, of);
      for (const step of steps) await step(one);
      for (const account of Object.values(accounts)) await matchAgain(worker(), account);
      const now = await books();
      assert.deepEqual([now.theirs, now.suspense], [theirs, suspense]);
      assert.equal((await getTransaction(test.database, one.id))?.status, status);
      if (open !== undefined || suspense === 0) assert.equal(now.open, open ?? 0);
      const { rows } = await test.database.query(
        'SELECT DISTINCT reason FROM attention WHERE transaction_id = $1 AND resolved_at IS NULL ORDER BY reason',
        [one.id],
      );
      if (asks)
        assert.deepEqual(
          rows.map(({ reason }) => reason),
          asks,
        );
      for (const [event, count] of Object.entries(told)) {
        const events = await test.database.query(
          'SELECT FROM callback_events WHERE transaction_id = $1 AND event = $2',
          [one.id, event],
        );
        assert.equal(events.rowCount, count, event);
      }
    });
});

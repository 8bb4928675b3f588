import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { postRelease } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { correctOurs } from '../../src/reconciliation/correct-ours.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { voidStatement } from '../../src/reconciliation/void.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantDecision, plantProposal } from '../support/decision.ts';
import { accepted, handedOver, notify } from '../support/handed-over.ts';
import { billRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

const look: Cause = { kind: 'notifications' };
const failed: Cause = {
  kind: 'answer',
  result: { kind: 'failed', code: 'network_error', channelReference: null },
};
const answered = (receipt: string | null): Cause => ({ kind: 'answer', result: succeeded(50_000, receipt) });

describe('the rows of what moved', () => {
  const test = useTestDatabase({ each: true });
  const wallet = walletAccount({ graceMs: 1 });
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  /** Each movement at the channel: who told it, its kind, whole shillings, how often it is booked by now, its names. */
  async function movements() {
    const { rows } = await test.database.query(
      `SELECT m.told_by, m.kind, m.amount, m.part, m.gives_back IS NOT NULL AS gives_back,
         (SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e WHERE e.movement_id = m.id)::int AS stands,
         ARRAY(SELECT n.name || CASE WHEN n.freed_at IS NOT NULL THEN ' (freed)' WHEN n.is_receipt THEN '' ELSE ' (points)' END
           FROM movement_names n WHERE n.movement_id = m.id ORDER BY n.id) AS names
       FROM movements m JOIN ledger_accounts a ON a.id = m.ledger_account_id WHERE a.kind = 'clearing' ORDER BY m.created_at, m.kind`,
    );
    return rows.map(({ told_by, kind, amount, part, gives_back, stands, names }) =>
      [
        told_by,
        kind,
        amount / 100,
        part && `part ${part}`,
        gives_back && 'gives back',
        `×${stands}`,
        ...names,
      ]
        .filter(Boolean)
        .join(' '),
    );
  }
  /** It dies before its commit, then it runs, then it runs again. */
  async function settled(id: string, cause: Cause) {
    const before = await movements();
    const dies = tryToEnd(worker(), id, cause, () => Promise.reject(new Error('it dies')));
    await assert.rejects(dies, /it dies/);
    assert.deepEqual(await movements(), before);
    await tryToEnd(worker(), id, cause);
    const after = await movements();
    await tryToEnd(worker(), id, cause);
    assert.deepEqual(await movements(), after, 'run twice it changes nothing');
  }
  const started = (request: MoneyRequest) => handedOver(test.database, request);
  const agree = () =>
    plantProposal(test.database, 'a test').then((proposalId) => ({ proposalId, note: 'a test' }));
  async function decidedPaid(request: MoneyRequest = mobilePayoutRequest(50_000)) {
    const { id } = await started(request);
    await plantDecision(test.database, id, 'paid');
    await settled(id, look);
    return id;
  }
  async function itemCalled(receipt: string) {
    const { rows } = await test.database.query('SELECT id FROM suspense_items WHERE receipt = $1', [receipt]);
    const item = await getSuspenseItem(test.database, rows[0].id);
    assert.ok(item);
    return item;
  }

  it('say once that a payout was paid, and that it came back', async () => {
    const { id } = await started(mobilePayoutRequest(50_000));
    await settled(id, answered('R1'));
    assert.deepEqual(await movements(), ['channel itself -50000 ×1 R1']);
    const returned = {
      kind: 'returned',
      amount: minor(5_000_000),
      currency: 'TZS',
      channelReference: 'V1',
      reason: 'x',
    };
    for (let n = 0; n < 2; n += 1)
      await notify(api(), id, returned as Parameters<typeof notify>[2], { eventKey: 'v1' });
    assert.deepEqual(await movements(), ['channel itself -50000 ×1 R1', 'channel reversal 50000 ×1 V1']);
  });

  it('say of a decision that it was wrong, and that it was right after all: it is one movement', async () => {
    const id = await decidedPaid();
    assert.deepEqual(await movements(), ['people itself -50000 ×1']);
    await settled(id, failed);
    assert.deepEqual(await movements(), ['people itself -50000 ×0']);
    await settled(id, answered('R1'));
    assert.deepEqual(await movements(), ['people itself -50000 ×1 R1']);
  });

  it('are taken back once where two people correct what they decided, and its channel says the same', async () => {
    const id = await decidedPaid();
    await importMoves(api(), wallet, [{ receipt: 'OTHER', amount: 5 }]);
    const { rows } = await test.database.query(
      'SELECT entry_id FROM movement_entries WHERE transaction_id = $1',
      [id],
    );
    const agreed = await agree();
    const correct = () =>
      inTransaction(api(), (db) => correctOurs(db, { entry: rows[0].entry_id, group: [wallet], agreed }));
    assert.deepEqual([await correct(), await correct()], [true, false]);
    const other = 'line itself 5 ×1 OTHER';
    assert.deepEqual(await movements(), ['people itself -50000 ×0', other]);
    await settled(id, failed);
    assert.deepEqual(await movements(), ['people itself -50000 ×0', other]);
  });

  it('are not those of a void statement, when people say that it was paid and its channel that it was not', async () => {
    const { id, reference } = await started(mobilePayoutRequest(50_000));
    const wrong = await importMoves(api(), wallet, [{ receipt: 'WRONG', amount: -50_000, reference }]);
    const agreed = await agree();
    await inTransaction(api(), (db) => voidStatement(db, wrong.id, agreed));
    const gone = 'line itself -50000 ×0 WRONG (freed)';
    assert.deepEqual(await movements(), [gone]);
    await plantDecision(test.database, id, 'paid');
    await settled(id, look);
    assert.deepEqual(await movements(), [gone, 'people itself -50000 ×1']);
    await settled(id, failed);
    assert.deepEqual(await movements(), [gone, 'people itself -50000 ×0']);
    await settled(id, answered('R1'));
    assert.deepEqual(await movements(), [gone, 'people itself -50000 ×1 R1']);
  });

  for (const [says, called] of [
    ['returned', 'returned'],
    ['succeeded', 'late_success'],
  ] as const)
    it(`stay as people corrected them where its channel said the same, and then ${says}: a person is called`, async () => {
      const id = await decidedPaid();
      await importMoves(api(), wallet, [{ receipt: 'OTHER', amount: 5 }]);
      const { rows } = await test.database.query(
        'SELECT entry_id FROM movement_entries WHERE transaction_id = $1',
        [id],
      );
      const agreed = await agree();
      await inTransaction(api(), (db) =>
        correctOurs(db, { entry: rows[0].entry_id, group: [wallet], agreed }),
      );
      await settled(id, failed);
      const reported =
        says === 'succeeded'
          ? succeeded(50_000, 'R2')
          : ({ ...succeeded(50_000, 'B1'), kind: 'returned', reason: 'closed' } as const);
      await notify(api(), id, reported as never);
      const other = 'line itself 5 ×1 OTHER';
      const named = says === 'succeeded' ? ' R2' : '';
      assert.deepEqual(await movements(), [`people itself -50000 ×0${named}`, other]);
      const { rows: listed } = await test.database.query(
        'SELECT reason FROM attention WHERE transaction_id = $1 AND resolved_at IS NULL',
        [id],
      );
      assert.ok(
        listed.some(({ reason }) => reason === called),
        JSON.stringify(listed),
      );
    });

  it('get the receipt of a payment that came without one', async () => {
    const { id } = await started(pushRequest(50_000));
    await settled(id, answered(null));
    assert.deepEqual(await movements(), ['channel itself 50000 ×1']);
    for (let n = 0; n < 2; n += 1) await notify(api(), id, succeeded(50_000, 'R1'));
    assert.deepEqual(await movements(), ['channel itself 50000 ×1 R1']);
  });

  it('are one for each receipt that a door takes, with the part that it is', async () => {
    const { id } = await accepted(test.database, billRequest(50_000, { mode: 'flexible' }));
    const number = await controlNumberOf(test.database, id);
    for (const receipt of ['R1', 'R2', 'R1'])
      await receiveBillPayment(api(), paymentOf(number, 10_000, { receipt }));
    assert.deepEqual(await movements(), ['door itself 10000 part 1 ×1 R1', 'door itself 10000 part 2 ×1 R2']);
  });

  it('are the line’s where a statement showed it first, and nothing is added when it is told', async () => {
    const { id, reference } = await started(mobilePayoutRequest(50_000));
    await importMoves(api(), wallet, [{ receipt: 'R1', amount: -50_000, reference, minutes: 5 }]);
    assert.deepEqual(await movements(), ['line itself -50000 ×1 R1']);
    await settled(id, answered('R1'));
    assert.deepEqual(await movements(), ['line itself -50000 ×1 R1']);
  });

  it('are one where two pushes are told under one receipt', async () => {
    for (let n = 0; n < 2; n += 1) {
      const { id } = await started(pushRequest(50_000));
      await settled(id, answered(n === 0 ? 'SAME' : 'sa me'));
    }
    assert.deepEqual(await movements(), ['channel itself 50000 ×1 SAME']);
  });

  it('say what goes back over its channel', async () => {
    const { id } = await started(pushRequest(50_000));
    await settled(id, failed);
    await settled(id, answered('LATE'));
    const item = await itemCalled('LATE');
    const agreed = await agree();
    await inTransaction(api(), (db) => postRelease(db, item, { to: 'channel', ...agreed }));
    assert.deepEqual(await movements(), [
      'channel itself 50000 ×1 LATE',
      'people reversal -50000 gives back ×1',
    ]);
  });

  it('are nothing any more where their statement is void, and their receipt is another one’s then', async () => {
    await accepted(test.database, pushRequest(50_000));
    const lines = [
      { receipt: 'R1', amount: 700 },
      { receipt: 'R1', amount: -20, kind: 'fee' },
      { receipt: 'S1', amount: -100, kind: 'sweep', sweepTo: 'bank' },
    ] as const;
    const { id } = await importMoves(api(), wallet, lines);
    const shown = ['line charge -20 ×1 R1 (points)', 'line itself -100 ×1 S1', 'line itself 700 ×1 R1'];
    assert.deepEqual((await movements()).sort(), shown);
    const agreed = await agree();
    const withdraw = () => inTransaction(api(), (db) => voidStatement(db, id, agreed));
    assert.deepEqual(await withdraw(), { takenBack: 3 });
    const gone = [
      'line charge -20 ×0 R1 (freed)',
      'line itself -100 ×0 S1 (freed)',
      'line itself 700 ×0 R1 (freed)',
    ];
    assert.deepEqual((await movements()).sort(), gone);
    await importMoves(api(), wallet, lines);
    assert.deepEqual((await movements()).sort(), [...gone, ...shown].sort());
  });
});

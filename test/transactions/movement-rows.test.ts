import assert from 'node:assert/strict';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { voidStatement } from '../../src/reconciliation/void.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { accepted } from '../support/handed-over.ts';
import { billRequest, pushRequest } from '../support/merchant.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';
import { movementsOf } from './books.ts';

/** Those of one transaction are told as stories (`moved`). */
describe('the rows of what moved', () => {
  const test = useTestDatabase({ each: true });
  const wallet = walletAccount({ graceMs: 1 });
  const api = () => asRole(test.database, 'api');
  const movements = () => movementsOf(test.database);
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  it('are one for each receipt that a door takes, with the part that it is', async () => {
    const { id } = await accepted(test.database, billRequest(50_000, { mode: 'flexible' }));
    const number = await controlNumberOf(test.database, id);
    for (const receipt of ['R1', 'R2', 'R1'])
      await receiveBillPayment(api(), paymentOf(number, 10_000, { receipt }));
    assert.deepEqual(await movements(), ['door itself 10000 part 1 ×1 R1', 'door itself 10000 part 2 ×1 R2']);
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
    const agreed = { proposalId: await plantProposal(test.database, 'a test'), note: 'a test' };
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

import assert from 'node:assert/strict';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { createMerchant, pushRequest } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  importMoves,
  importOf,
  type Move,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';

const PAYER = '255754123456';

describe('the lines of a payer who is erased', () => {
  const test = useTestDatabase({ each: true });
  beforeEach(() => createMerchant(test.database));

  const imported = (moves: Move[]) => importMoves(asRole(test.database, 'api'), walletAccount(), moves);
  const paid = (id: string) => {
    const result = { ...succeeded(1_000, 'R1'), fullName: 'JANE DOE' };
    return answered(asRole(test.database, 'worker'), id, result);
  };
  const erase = async (ids: string[], person: string | null) =>
    (await asRole(test.database, 'api').query('SELECT erase_payers($1, $2, true) AS n', [ids, person]))
      .rows[0].n;
  /** What still says something of people: receipts of lines, and how many files. */
  const left = async () => {
    const rows =
      await test.sql`SELECT ARRAY(SELECT receipt FROM statement_lines WHERE sealed IS NOT NULL ORDER BY receipt) AS lines,
         (SELECT count(*)::int FROM statements WHERE raw IS NOT NULL) AS files`;
    return rows[0];
  };

  it('say nothing of him any more, also one that was in suspense before its transaction ended, and no file does', async () => {
    const { id } = await handedOver(test.database, pushRequest(1_000));
    await imported([
      { receipt: 'R1', amount: 1_000, status: 'pending' },
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'R2', amount: 700 },
    ]);
    await paid(id);
    assert.deepEqual(await left(), { lines: ['R1', 'R1', 'R2'], files: 1 });
    await test.sql`UPDATE transactions SET status_at = now() - interval '10 years'`;
    await test.sql`UPDATE callback_events SET state = 'delivered'`;
    assert.equal(await erase([id], null), 1);
    assert.deepEqual(await left(), { lines: ['R2'], files: 0 });
  });

  it('do not come back with another file of them; what he typed as a reference goes, too', async () => {
    const { id, reference } = await handedOver(test.database, pushRequest(1_000));
    const moves = [
      { receipt: 'R1', amount: 1_000, reference: '0754123456' },
      { receipt: 'R2', amount: 700, reference: 'JOHN' },
    ];
    const account = walletAccount();
    const statement = statementOf(account, 0, moves);
    const api = asRole(test.database, 'api');
    await importOf(api, account, statement);
    await paid(id);
    await test.sql`UPDATE transactions SET status_at = now() - interval '10 years'`;
    await test.sql`UPDATE callback_events SET state = 'delivered'`;
    assert.equal(await erase([id], null), 1);
    const fee = { receipt: 'R1', amount: -10, kind: 'fee' as const, reference };
    await importOf(api, account, {
      ...statementOf(account, 0, [...moves, fee]),
      lines: [...statement.lines, ...statementOf(account, 1_700, [fee]).lines],
    });
    assert.deepEqual(await left(), { lines: ['R2'], files: 0 });
    const rows = await test.sql`SELECT reference FROM statement_lines ORDER BY position`;
    assert.deepEqual(pick(rows, 'reference'), [null, 'JOHN', null]);
  });

  it('go with a payment of no bill, once its money has left suspense', async () => {
    const payment = paymentOf('771234567897', 500, { receipt: 'U1', refusalReturnsMoney: false });
    assert.equal((await receiveBillPayment(test.database, payment)).outcome, 'suspended');
    await imported([
      { receipt: 'U1', amount: 500 },
      { receipt: 'U2', amount: 700 },
    ]);
    for (const trigger of ['append_only', 'decided_once'])
      await test.database.query(`ALTER TABLE bill_receipts DISABLE TRIGGER bill_receipts_${trigger}`);
    await test.sql`UPDATE bill_receipts SET received_at = now() - interval '10 years'`;
    assert.equal(await erase([], PAYER), 0, 'its money is in suspense');
    assert.deepEqual(await left(), { lines: ['U1', 'U2'], files: 1 });
    await test.sql`UPDATE suspense_items SET left_by = transfer_id WHERE receipt = 'U1'`;
    assert.equal(await erase([], PAYER), 1);
    assert.deepEqual(await left(), { lines: ['U2'], files: 0 });
  });
});

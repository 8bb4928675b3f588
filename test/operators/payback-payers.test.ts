import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { type SuspenseItem, suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const ERASED = '255000000000';
const look: Cause = { kind: 'notifications' };
const failed: Cause = { kind: 'answer', result: failure('recipient_not_found') };

describe('whom money in suspense goes back to', () => {
  const desk = openSuspenseDesk();
  const { suspended, toPayer, approve } = desk;

  async function agreed(item: SuspenseItem): Promise<string> {
    const { proposal, begin } = await approve(await toPayer(item));
    assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    return begin ?? '';
  }
  const answered = (id: string, cause: Cause) => tryToEnd(asRole(desk.database, 'worker'), id, cause);
  const itemsOf = (id: string) => suspenseItemsOf(desk.database, { transactionIds: [id] });
  /** Two operators said that the payer has it, and the channel says that nothing moved. */
  async function takenBack() {
    const { item } = await suspended();
    const id = await agreed(item);
    await plantDecision(desk.database, id, 'paid');
    await answered(id, look);
    await answered(id, failed);
    const [back] = await itemsOf(id);
    assert.match(back?.receipt ?? '', /^failed:PO/);
    return { id, back: back as SuspenseItem };
  }

  it('is nobody once the number is erased, of a push and of a receipt', async () => {
    const { item } = await suspended();
    await desk.database.query('UPDATE transactions SET msisdn = $2 WHERE id = $1', [
      item.transactionId,
      ERASED,
    ]);
    const payment = { ...paymentOf('770000000', 500, { refusalReturnsMoney: false }), controlNumber: null };
    await receiveBillPayment(asRole(desk.database, 'api'), { ...payment, msisdn: ERASED });
    const { rows } = await desk.database.query('SELECT id FROM suspense_items WHERE receipt = $1', [
      payment.receipt,
    ]);
    for (const one of [item, await desk.itemOf(rows[0])])
      await assert.rejects(toPayer(one), /The payer of si_\w+ is not known/);
  });

  it('is kept while a payback is on its way, which may fail, and not after that', async () => {
    const { item } = await suspended();
    const push = item.transactionId ?? '';
    await answered(push, failed);
    const id = await agreed(item);
    await desk.database.query("UPDATE callback_events SET state = 'delivered' WHERE transaction_id = $1", [
      push,
    ]);
    await desk.database.query('UPDATE attention SET resolved_at = now() WHERE transaction_id = $1', [push]);
    await desk.database.query(
      "UPDATE transactions SET status_at = now() - interval '10 years' WHERE id = $1",
      [push],
    );
    const erase = async () =>
      (await asRole(desk.database, 'api').query('SELECT erase_payers($1, NULL, true) AS n', [[push]])).rows[0]
        .n;
    assert.equal(await erase(), 0);
    await answered(id, { kind: 'answer', result: succeeded(500, randomUUID()) });
    assert.equal(await erase(), 1);
  });

  it('is known of a payback that did not reach him', async () => {
    const { back } = await takenBack();
    const again = await getTransaction(desk.database, await agreed(back));
    assert.equal(again?.mode === 'payback' && again.msisdn, '255754123456');
  });

  it('has his money already where the books say so twice', async () => {
    const { id, back } = await takenBack();
    await answered(id, { kind: 'answer', result: succeeded(500, randomUUID()) });
    assert.equal((await itemsOf(id)).length, 2);
    await assert.rejects(toPayer(back), /shows that the money of si_\w+ is gone already/);
  });
});

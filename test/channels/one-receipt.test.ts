import assert from 'node:assert/strict';
import { translateNotification } from '../../src/channels/clickpesa/notification.ts';
import { meaningOf } from '../../src/channels/clickpesa/translate.ts';
import { rowSchema } from '../../src/channels/clickpesa/wire.ts';
import { orderOf } from '../../src/channels/selcom/translate.ts';
import type { WireOrder } from '../../src/channels/selcom/wire.ts';
import type { Succeeded } from '../../src/domain/channel.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered, handedOver, notify } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';

const reference = 'PY0000000000000001';

/** One field of a protocol is the receipt. What else it calls a payment is none, and stands for none where that is missing. */
describe('the receipt of a payment', () => {
  const clickpesa = (paymentReference: string | null, status = 'SUCCESS') => ({
    id: 'CP123',
    orderReference: reference,
    status,
    collectedAmount: '5000',
    collectedCurrency: 'TZS',
    ...(paymentReference === null ? {} : { paymentReference }),
  });
  const messages: Record<string, (receipt: string | null) => unknown> = {
    ClickPesa: (receipt) =>
      meaningOf(rowSchema.parse(clickpesa(receipt)), { direction: 'collection', currency: 'TZS' }),
    Selcom: (receipt) => {
      const order = { order_id: reference, payment_status: 'COMPLETED', amount: '5000', transid: 'T1' };
      const told = { ...order, ...(receipt === null ? {} : { reference: receipt }) };
      return orderOf(told as WireOrder, { reference, currency: 'TZS' });
    },
  };

  it('that ClickPesa has only in its second notification is news', () => {
    const keyOf = (receipt: string | null) => {
      const body = { event: 'PAYMENT RECEIVED', data: clickpesa(receipt) };
      const raw = { method: 'POST', transactionId: null, token: null, headers: {} };
      return translateNotification({ ...raw, body: Buffer.from(JSON.stringify(body)) }, 'TZS')?.eventKey;
    };
    assert.notEqual(keyOf(null), keyOf('QK71'));
    assert.equal(keyOf('QK71'), keyOf('QK71'));
  });

  describe('in the books', () => {
    const test = useTestDatabase({ each: true });
    for (const [protocol, say] of Object.entries(messages))
      for (const first of ['without it', 'with it'] as const)
        it(`is the same movement of ${protocol}, told first ${first} and then otherwise`, async () => {
          const { id } = await handedOver(test.database, pushRequest(5_000));
          const [one, other] = first === 'with it' ? ['QK71', null] : [null, 'QK71'];
          const result = say(one) as Succeeded;
          assert.equal(result.channelReference, one);
          await answered(asRole(test.database, 'worker'), id, result);
          for (let n = 0; n < 2; n += 1)
            await notify(asRole(test.database, 'api'), id, say(other) as Succeeded);
          const rows =
            await test.sql`SELECT m.amount, ARRAY(SELECT n.name FROM movement_names n WHERE n.movement_id = m.id AND n.is_receipt) AS receipts,
               ARRAY(SELECT n.name FROM movement_names n WHERE n.movement_id = m.id AND NOT n.is_receipt) AS others
             FROM movements m JOIN ledger_accounts a ON a.id = m.ledger_account_id WHERE a.kind = 'clearing'`;
          const others = [protocol === 'Selcom' ? 'T1' : 'CP123'];
          assert.deepEqual(rows, [{ amount: 500_000, receipts: ['QK71'], others }]);
          assert.deepEqual(await checkInvariants(test.database), []);
        });
  });
});

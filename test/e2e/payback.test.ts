import assert from 'node:assert/strict';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { agree, cli, movementsOf, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const SHILLINGS = 700;

describe('money of no bill of ours goes back to whoever paid it', function () {
  this.timeout(120_000);
  let gateway: Awaited<ReturnType<typeof sharedGateway>>;
  before(async () => {
    gateway = await sharedGateway();
  });

  /** A network took it for a number that is none, and gives nothing back. Returns the id of the item. */
  async function paidBy(msisdn: string): Promise<string> {
    const payment = paymentOf('770000000', SHILLINGS, { refusalReturnsMoney: false, msisdn });
    await receiveBillPayment(gateway.database, { ...payment, controlNumber: null });
    const { rows } = await gateway.database.query('SELECT id FROM suspense_items WHERE receipt = $1', [
      payment.receipt,
    ]);
    return rows[0].id;
  }
  const give = (item: string) => agree(gateway, 'suspense', 'to-payer', item, '--note', 'nobody knows it');
  async function ended(item: string) {
    const payback = () =>
      gateway.database.query(
        "SELECT id, status, reference FROM transactions WHERE suspense_item = $1 AND status <> 'pending'",
        [item],
      );
    return until(async () => (await payback()).rows[0], 'its payout ends');
  }
  const payable = async () =>
    (await cli(gateway, 'ledger', 'balances')).split('\n').find((line) => line.startsWith('payable'));

  it('and the simulator shows it with the payer, once', async () => {
    const item = await paidBy('255754123456');
    assert.match(await give(item), /on its way back to its payer/);
    const { status, reference, id } = await ended(item);
    assert.equal(status, 'paid');
    const moved = await movementsOf(gateway, reference);
    assert.deepEqual(
      moved.map(({ direction, party, amount }: Record<string, unknown>) => [direction, party, amount]),
      [['out', '255754123456', SHILLINGS]],
    );
    const shown = await cli(gateway, 'suspense', 'show', item);
    assert.match(shown, new RegExp(`${id} +paid`));
    assert.match(shown, /^How it left +payback$/m);
    assert.match(shown, /^Proposal +pr_/m);
    assert.match((await payable()) ?? '', / 0\.00 TZS /);
    assert.ok(!(await cli(gateway, 'attention', 'list')).includes(id));
    const merchants = await gateway.request('GET', `payouts/${id}`);
    assert.equal(merchants.status, 404, 'it is no merchant’s');
  });
});

import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { pageOfSuspense, type SuspenseItem } from '../../src/ledger/suspense.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { resolveSubject } from '../../src/transactions/care/attention.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { actions } from '../support/actions.ts';
import { endTimeOf, expireBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { hire } from '../support/finance.ts';
import { listAttention } from '../support/unexplained.ts';

describe('payments of bills whose amount nobody can read', () => {
  const desk = openBillDesk();
  before(async () => await hire(desk.database));

  const unreadable = (number: string, receipt: string, amountAsSent = '1e5') =>
    paymentOf(number, 0, {
      receipt,
      amount: null,
      amountAsSent,
      channel: 'halopesa',
      refusalReturnsMoney: false,
    });
  const openItems = async () => (await pageOfSuspense(desk.database, { page: 1, perPage: 200 })).items;
  async function itemOf(receipt: string): Promise<SuspenseItem> {
    const item = (await openItems()).find((one) => one.receipt === receipt);
    assert.ok(item, `${receipt} is not in the list of what is open`);
    return item;
  }
  /** Two operators say how much an item is. */
  async function name({ id, receipt }: SuspenseItem, amount: number): Promise<string> {
    const desks = createProposals({ database: asRole(desk.database, 'api'), actions, fourEyes: true });
    const by = (who: string) => ({
      caller: { name: who, roles: ['finance' as const], tokenId: 't' },
      actor: { operator: who, address: '192.0.2.1', requestId: 'req_1' },
    });
    const payload = { item: id, receipt, amount, currency: 'TZS', note: 'the network says so' };
    const asked = { action: 'suspense.name-amount', payload, reason: 'ticket 9' };
    const { id: proposal, payloadHash, summary } = await desks.propose(asked, by('asha'));
    assert.match(summary, amount === 0 ? /is money that never came/ : /is 250\.00 TZS/);
    return (await desks.approve({ id: proposal, payloadHash }, by('juma'))).proposal.state;
  }

  it('are an item each, with its raw text, and an entry each, and nothing is posted', async () => {
    const { id, number } = await desk.bill();
    for (const receipt of ['U1', 'U2', 'U1'])
      assert.deepEqual(await receiveBillPayment(desk.database, unreadable(number, receipt)), {
        outcome: 'suspended',
        transactionId: id,
      });
    assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment', 'unexpected_payment']);
    for (const receipt of ['U1', 'U2']) {
      const { amount, detail, space } = await itemOf(receipt);
      assert.deepEqual([amount, space], [0, 'test']);
      assert.match(detail, /no readable amount \("1e5"\)/);
    }
    assert.deepEqual(await desk.suspenseOf(id), []);
  });

  it('are another story under the same receipt with another text', async () => {
    const { id, number } = await desk.bill();
    await receiveBillPayment(desk.database, unreadable(number, 'U9'));
    assert.deepEqual(await receiveBillPayment(desk.database, unreadable(number, 'U9', '2e5')), {
      outcome: 'suspended',
      transactionId: id,
    });
    assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment', 'receipt_mismatch']);
    assert.equal((await receiveBillPayment(desk.database, unreadable(number, 'U9'))).outcome, 'suspended');
  });

  it('keep their entry whatever else ends, and their bill is neither cancelled nor expired', async () => {
    const { id, number } = await desk.bill();
    await receiveBillPayment(desk.database, unreadable(number, 'U3'));
    assert.deepEqual(await resolveSubject(desk.database, id), { closed: 0, kept: 1 });
    assert.equal((await tryToEnd(desk.database, id, { kind: 'cancel' })).status, 'pending');
    await endTimeOf(desk.database, id);
    assert.equal((await tryToEnd(desk.database, id, { kind: 'expired' })).status, 'pending');
    assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment']);
  });

  it('are posted to suspense with the amount that two operators name, once', async () => {
    const { id, number } = await desk.bill();
    await receiveBillPayment(desk.database, unreadable(number, 'U4'));
    const item = await itemOf('U4');
    assert.equal(await name(item, 250_00), 'executed');
    assert.deepEqual(await desk.suspenseOf(id), [250_00]);
    assert.equal((await itemOf('U4')).amount, 250_00);
    assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment'], 'its money is in suspense now');
    await assert.rejects(name(item, 250_00), /has the amount 250\.00 TZS \(U4\): look at it again/);
    assert.equal((await expireBill(desk.database, id)).status, 'failed');
  });

  it('are one payment where the network tells a readable amount later, before or after two operators name it', async () => {
    const { id, number } = await desk.bill();
    const readable = (receipt: string) =>
      receiveBillPayment(desk.database, { ...unreadable(number, receipt, '250'), amount: minor(250_00) });
    await receiveBillPayment(desk.database, unreadable(number, 'L1'));
    await readable('L1');
    const item = await itemOf('L1');
    await assert.rejects(name(item, 250_00), /of L1 are booked already \(si_\w+\): set the amount to zero/);
    assert.equal(await name(item, 0), 'executed');
    await receiveBillPayment(desk.database, unreadable(number, 'L2'));
    assert.equal(await name(await itemOf('L2'), 250_00), 'executed');
    const reasons = await desk.reasonsOf(id);
    assert.deepEqual(await readable('L2'), { outcome: 'suspended', transactionId: id });
    assert.deepEqual(await desk.reasonsOf(id), reasons);
    const money = (await openItems()).filter(({ channel }) => channel === 'halopesa');
    assert.deepEqual(
      money.filter(({ receipt }) => /^L\d/.test(receipt)).map(({ receipt, amount }) => [receipt, amount]),
      [
        ['L1 over test/halopesa', 250_00],
        ['L2', 250_00],
      ],
    );
  });

  it('are nothing where two operators confirm that nothing came: the entry ends, and the bill may', async () => {
    const { id, number } = await desk.bill();
    await receiveBillPayment(desk.database, unreadable(number, 'U5'));
    const item = await itemOf('U5');
    assert.equal(await name(item, 0), 'executed');
    assert.deepEqual([await desk.suspenseOf(id), await desk.reasonsOf(id)], [[], []]);
    assert.ok(!(await openItems()).some(({ id: open }) => open === item.id));
    await assert.rejects(name(item, 0), /has left suspense already/);
    assert.equal((await tryToEnd(desk.database, id, { kind: 'cancel' })).status, 'cancelled');
  });

  it('of zero, below zero, of no currency and for no bill are the same', async () => {
    const { id, number } = await desk.bill();
    await receiveBillPayment(desk.database, { ...unreadable(number, 'U6', '0'), amount: 0 as never });
    await receiveBillPayment(desk.database, { ...paymentOf(number, 5), ...odd('U7'), currency: 'tzs' });
    await receiveBillPayment(desk.database, { ...unreadable('770000000048', 'U8'), controlNumber: null });
    for (const receipt of ['U6', 'U7', 'U8']) assert.equal((await itemOf(receipt)).amount, 0);
    assert.equal((await desk.reasonsOf(id)).length, 2);
    const [strange] = (await listAttention(desk.database)).filter(({ subject }) => subject === 'test:U8');
    assert.equal(strange?.reason, 'unexpected_payment');
  });
  const odd = (receipt: string) => ({ receipt, channel: 'halopesa', refusalReturnsMoney: false });

  it('that come twice with two stories are two mismatches of one bill, and none is lost', async () => {
    const { id, number } = await desk.bill();
    for (const receipt of ['M1', 'M2'])
      for (const amount of [100, 200])
        await receiveBillPayment(desk.database, { ...paymentOf(number, amount), receipt });
    assert.deepEqual(await desk.reasonsOf(id), ['receipt_mismatch', 'receipt_mismatch']);
  });
});

import assert from 'node:assert/strict';
import pg from 'pg';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { correctOurs } from '../../src/reconciliation/correct-ours.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { atOnce, times } from '../support/at-once.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { plantProposal } from '../support/decision.ts';
import { billRequest } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { pick } from '../support/pick.ts';
import { listAttention } from '../support/unexplained.ts';
import { agree } from './agree.ts';
import { accountOf, Network } from './network.ts';

const NOBODYS = '77000000';

/** Of a protocol whose messages may lack a receipt. `try-…`: what its client makes anew for each try. */
describe('a payment at a door that may lack a receipt', () => {
  const desk = openBillDesk();
  const network = new Network();
  const payer = '255754000111';
  const flexible = () => desk.bill(billRequest(100_000, { mode: 'flexible' }));
  const say = (number: string, receipt: string, also: { amount?: number; msisdn?: string } = {}) => {
    const { amount = 10_000, msisdn = payer } = also;
    const hasReceipt = !receipt.startsWith('try-');
    return receiveBillPayment(desk.database, {
      ...paymentOf(number, amount, { receipt, msisdn, refusalReturnsMoney: number !== NOBODYS }),
      hasReceipt,
    });
  };
  const receiptsOf = async (id: string) => {
    const rows =
      await desk.sql`SELECT ARRAY(SELECT n.name FROM movement_names n WHERE n.movement_id = m.id AND n.is_receipt) AS names
       FROM movements m WHERE m.transaction_id = ${id} ORDER BY m.part`;
    return rows.map(({ names }) => names);
  };
  let made = 0;
  const unique = (text: string) => {
    made += 1;
    return `${text}${made}`;
  };

  it('is one that is told again, by its bill, payer and minute, whichever of the two has the receipt', async () => {
    for (const [one, other] of [
      ['try-', 'try-'],
      ['try-', 'R'],
      ['R', 'try-'],
    ] as const) {
      const { id, number } = await flexible();
      const [first, second] = [unique(one), unique(other)];
      const answers = [];
      for (const receipt of [first, second, first, second])
        answers.push((await say(number, receipt)).outcome);
      assert.deepEqual(answers, ['accepted', 'repeated', 'repeated', 'repeated'], `${one} ${other}`);
      assert.deepEqual(await receiptsOf(id), [[first, second].filter((name) => name.startsWith('R'))]);
      assert.equal((await desk.stored(id)).bill.paid, 1_000_000);
    }
  });

  desk.itRaced(3, 'is one where two messages without it come at once', async () => {
    const { id, number } = await flexible();
    const messages = times(3, () => say(number, unique('try-')));
    const answers = await atOnce(3, desk.database, messages);
    assert.deepEqual(answers.map(({ outcome }) => outcome).sort(), ['accepted', 'repeated', 'repeated']);
    assert.equal((await desk.stored(id)).bill.payments, 1);
  });

  it('is another one with another receipt, payer or amount, or a minute later', async () => {
    const { id, number } = await flexible();
    const later = () =>
      desk.database.query(`ALTER TABLE bill_receipts DISABLE TRIGGER USER;
        UPDATE bill_receipts SET received_at = received_at - interval '2 minutes';
        ALTER TABLE bill_receipts ENABLE TRIGGER USER`);
    const answers = [
      await say(number, unique('R')),
      await say(number, unique('R')),
      await say(number, unique('try-'), { msisdn: '255754000222' }),
      await say(number, unique('try-'), { amount: 5_000 }),
    ];
    await later();
    answers.push(await say(number, unique('try-')));
    assert.deepEqual(pick(answers, 'outcome'), Array(5).fill('accepted'));
    assert.equal((await desk.stored(id)).bill.payments, 5);
  });

  it('calls a person where two fit, and books nothing', async () => {
    const { id, number } = await flexible();
    for (let n = 0; n < 2; n += 1) assert.equal((await say(number, unique('R'))).outcome, 'accepted');
    assert.equal((await say(number, unique('try-'))).outcome, 'suspended');
    assert.equal((await desk.stored(id)).bill.payments, 2);
    const [entry] = (await listAttention(desk.database)).filter(
      ({ reason }) => reason === 'receipt_mismatch',
    );
    assert.match(entry?.detail ?? '', /two payments of its payer and minute fit/);
  });

  it('takes the item of a line that showed it first, and leaves it there once where its bill refuses it', async () => {
    const show = async (reference: string, receipt: string | null) => {
      network.move('m-pesa', { amount: 1_000_000, receipt, reference, kind: 'payment' });
      await network.show(desk.database, 'm-pesa', { overlap: 0, graceMs: 1 });
      await matchAgain(desk.database, accountOf('m-pesa', 1));
    };
    const left = async (id: string) => (await desk.suspenseOf(id)).reduce((sum, amount) => sum + amount, 0);
    for (const receipt of [unique('R'), null]) {
      const { id, number } = await flexible();
      await show(number, receipt);
      assert.equal(await left(id), 1_000_000);
      const first = unique('try-');
      for (const outcome of ['accepted', 'repeated'])
        assert.equal((await say(number, first)).outcome, outcome, `${receipt}`);
      assert.equal(await left(id), 0, `${receipt}`);
      // No line shows this one.
      assert.equal((await say(number, unique('try-'), { msisdn: '255754000333' })).outcome, 'accepted');
      assert.equal((await desk.stored(id)).bill.paid, 2_000_000);
      const small = await desk.bill(billRequest(5_000));
      await show(small.number, receipt === null ? null : unique('R'));
      assert.equal((await say(small.number, unique('try-'))).outcome, 'suspended');
      assert.equal(await left(small.id), 1_000_000, `${receipt}`);
      assert.deepEqual(await desk.reasonsOf(small.id), ['unexpected_payment']);
    }
  });

  const makeVoid = () =>
    network.makeVoid('m-pesa', 1, async (asked) => {
      const note = 'the wrong file';
      return (await agree(desk.database, 'statements.void', { ...asked, note })) !== null;
    });

  it('of a number is one, whether its line is void and shown again or its receipt is told', async () => {
    const { controlNumber } = await makeNumber(desk.database, desk.merchant);
    const show = () => network.show(desk.database, 'm-pesa', { overlap: 0, graceMs: 1 });
    network.move('m-pesa', { amount: 1_000_000, receipt: null, reference: controlNumber, kind: 'payment' });
    await show();
    const [first, receipt] = [unique('try-'), unique('R')];
    assert.equal((await say(controlNumber, first)).outcome, 'accepted');
    await makeVoid();
    await show();
    const left =
      await desk.sql`SELECT id FROM suspense_items WHERE is_open AND amount = 1000000 AND transaction_id IS NULL`;
    assert.deepEqual(left, []);
    for (const name of [receipt, first]) assert.equal((await say(controlNumber, name)).outcome, 'repeated');
    assert.equal(await desk.earned(), 985_000);
  });

  const show = async (reference: string, receipt: string | null, amount: number) => {
    network.move('m-pesa', { amount: amount * 100, receipt, reference, kind: 'payment' });
    await network.show(desk.database, 'm-pesa', { overlap: 0, graceMs: 1 });
    await matchAgain(desk.database, accountOf('m-pesa', 1));
  };

  it('of a number that nobody has is one item, whichever of door and line comes first', async () => {
    for (const [amount, isShownFirst] of [
      [11_000, false],
      [12_000, true],
    ] as const) {
      const tell = async () =>
        assert.equal((await say(NOBODYS, unique('try-'), { amount })).outcome, 'suspended');
      if (!isShownFirst) await tell();
      await show(NOBODYS, unique('R'), amount);
      if (isShownFirst) await tell();
      const items = await desk.sql`SELECT id FROM suspense_items WHERE is_open AND amount = ${amount * 100}`;
      assert.equal(items.length, 1, `${amount}`);
    }
  });

  it('is told by receipt, though another amount was told under the receipt of the first', async () => {
    const { id, number } = await flexible();
    const [first, second, third] = [unique('R'), unique('R'), unique('R')];
    assert.equal((await say(number, first)).outcome, 'accepted');
    assert.equal((await say(number, first, { amount: 20_000 })).outcome, 'suspended');
    assert.equal((await say(number, unique('try-'))).outcome, 'repeated');
    assert.equal((await say(number, second)).outcome, 'accepted');
    await show(number, third, 20_000);
    const of = { amount: 20_000, msisdn: '255754000222' };
    assert.equal((await say(number, third, of)).outcome, 'accepted');
    assert.equal((await desk.stored(id)).bill.paid, 4_000_000);
  });

  /** Two people say that this money never came. */
  const correct = async (amount: number, meanwhile = async (_id: string | null) => {}) => {
    const [moved] =
      await desk.sql`SELECT entry_id, transaction_id FROM movement_entries WHERE amount = ${amount * 100}`;
    assert.ok(moved?.entry_id);
    const agreed = { proposalId: await plantProposal(desk.database, 'lines.ours'), note: 'asked them' };
    await inTransaction(desk.database, async (db) => {
      assert.ok(await correctOurs(db, { entry: moved.entry_id, group: [accountOf('m-pesa', 1)], agreed }));
      await meanwhile(moved.transaction_id);
    });
  };

  it('is locked while people say that its money never came, though its line made the item', async () => {
    const { controlNumber } = await makeNumber(desk.database, desk.merchant);
    await show(controlNumber, null, 17_000);
    assert.equal((await say(controlNumber, unique('try-'), { amount: 17_000 })).outcome, 'accepted');
    await makeVoid();
    const other = new pg.Client(desk.url);
    await other.connect();
    try {
      await correct(17_000, async (id) => {
        const free = 'SELECT FROM transactions WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED';
        assert.equal((await other.query(free, [id])).rowCount, 0);
      });
    } finally {
      await other.end();
    }
  });

  it('that never came, of a number that nobody has, is called by its item and not by the number', async () => {
    await say(NOBODYS, unique('try-'), { amount: 18_000 });
    await correct(18_000);
    const [item] = await desk.sql`SELECT receipt FROM suspense_items WHERE amount = -1800000`;
    assert.match(item?.receipt ?? '', /^try-/);
  });
});

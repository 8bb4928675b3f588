// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { payPage } from '../../src/api/pay/page.ts';
import { saidDay } from '../../src/api/pay/said-time.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { findPage } from '../../src/transactions/rows/payable.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { by } from '../support/finance.ts';
import { refundRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { FAILED, openBillItems, VALUE } from './bill-items.ts';

describe('the money of a push of a page', () => {
  const { desk, worker, door, proposals, approve, take, ask, answer, itemOf, itemNamed, ...of } =
    openBillItems();
  const { paidLate, shown, bill } = of;

  describe('is, on the page of its push,', () => {
    const pageOf = async (push: string) => {
      const found = (await findPage(door(), [push])) ?? assert.fail('no page');
      const language = {
        language: 'en',
        path: '/pay/x',
        here: '/pay/y',
        code: 'data:,',
        by: { service: undefined, support: undefined },
        once: 'o',
      } as const;
      const page = payPage({ ...found, ...language, now: Date.now() });
      const said = /<div role="status"><p[^>]*>([^<]*)/.exec(page)?.[1] ?? '';
      return [said, page.includes('<form')];
    };
    const HELD = 'We have your 25,000 TZS, and one of our staff looks into it. Do not pay again.';
    const PAID = 'Paid: 25,000 TZS. Thank you.';
    const givenBackToday = () =>
      `Your 25,000 TZS was given back to you on ${saidDay(new Date().toISOString(), 'en')}.`;
    async function agree(action: string, id: string, also: object = {}) {
      const item = (await getSuspenseItem(desk.database, id)) ?? assert.fail(id);
      const { receipt, amount, currency } = item;
      const payload = { item: id, receipt, amount, currency, note: 'n', ...also };
      const { proposal } = await approve(
        await proposals().propose({ action, payload, reason: 'r' }, by('asha')),
      );
      assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    }

    it('on its way, failed, with us, and credited', async () => {
      const { id } = await bill();
      const push = await ask(id);
      assert.match(String((await pageOf(push))[0]), /^A payment request was sent/);
      await answer(push, FAILED);
      const [failed, asks] = await pageOf(push);
      assert.match(String(failed), /You can try again/);
      assert.equal(asks, true);
      await answer(push, succeeded(VALUE, randomUUID()));
      assert.deepEqual(await pageOf(push), [HELD, false]);
      await take((await itemOf(push)).id);
      assert.deepEqual(await pageOf(push), [PAID, false]);
      const { answer: refused } = await accept(
        desk.database,
        submissionFor(desk.merchant, refundRequest(push)),
      );
      assert.ok(refused.body.includes(`This push paid ${id}, which has its money: refund that one`));
    });

    it('with us where a statement alone shows it, while the prompt waits', async () => {
      const { id } = await bill();
      const push = await ask(id);
      const { reference } = (await getTransaction(desk.database, push)) ?? assert.fail('no push');
      await shown(randomUUID(), reference);
      assert.deepEqual(await pageOf(push), [HELD, false]);
    });

    it('given back, whoever gave it back, and never something to try again', async () => {
      const back = await paidLate((await bill()).id);
      await agree('suspense.given-back', back.item.id, { return_receipt: randomUUID() });
      assert.equal((await pageOf(back.push))[0], givenBackToday());
      const merchants = await paidLate((await bill()).id);
      await agree('suspense.to-merchant', merchants.item.id, { account_id: desk.merchant.accountId });
      assert.equal((await pageOf(merchants.push))[0], PAID);
      const ours = await paidLate((await bill()).id);
      await agree('suspense.write-off', ours.item.id);
      assert.deepEqual(await pageOf(ours.push), [HELD, false]);
      const payback = await paidLate((await bill()).id);
      await agree('suspense.to-payer', payback.item.id);
      assert.equal((await pageOf(payback.push))[0], HELD);
      const [on] = (await itemOf(payback.push)).paybacks;
      await recordSend(worker(), { transactionId: on?.transactionId ?? '', number: 1 });
      await answer(on?.transactionId ?? '', succeeded(VALUE, randomUUID()));
      assert.equal((await pageOf(payback.push))[0], givenBackToday());
    });

    it('with us where the bill was paid meanwhile, and given back after that', async () => {
      const { id, number } = await bill();
      const push = await ask(id);
      await desk.endClaims();
      await receiveBillPayment(door(), paymentOf(number, VALUE));
      const receipt = randomUUID();
      await answer(push, succeeded(VALUE, receipt));
      assert.deepEqual(await pageOf(push), [HELD, false]);
      await agree('suspense.given-back', await itemNamed(receipt), { return_receipt: randomUUID() });
      assert.equal((await pageOf(push))[0], givenBackToday());
    });
  });
});

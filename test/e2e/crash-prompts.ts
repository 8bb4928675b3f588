import assert from 'node:assert/strict';
import { keyOf } from '../../src/api/pay/ask-prompt.ts';
import { minor, toUnits } from '../../src/domain/money.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { findPage } from '../../src/transactions/rows/payable.ts';
import { newKey } from '../support/gateway.ts';
import { endingAt, unsent } from './crash-transactions.ts';
import type { Flow } from './crashes.ts';
import { askOnPage, assertPaidOnce, readPage } from './payer.ts';
import { steps } from './stop-at.ts';

const AMOUNT = minor(2_500_000);
let phones = 99;

/** A question to a phone that is asked on a page. */
export const prompts = (what: 'bill' | 'number'): Flow => ({
  what: `question to a phone about a ${what}`,
  // The callback is the bill's, whose id is known before it is paid; the payment of a number has its id from its receipt.
  steps: steps.filter((step) => what === 'bill' || !step.includes('callback')),
  fact: () => 'counts its money once, and its page says what happened',
  isMadeByWorker: true,
  async make(parts, { step }) {
    const body =
      what === 'bill'
        ? { amount: toUnits(AMOUNT), payment_number: newKey(), description: 'Ada' }
        : { customer_reference: newKey() };
    const made = await parts.request('POST', what === 'bill' ? 'payments/billpay' : 'payments/numbers', {
      body,
    });
    assert.equal(made.status, 200, made.text);
    const id = what === 'bill' ? made.json.transaction_id : made.json.number.id;
    let url = what === 'bill' ? made.json.pay_url : made.json.number.pay_url;
    phones += 1;
    const form = {
      once: newKey(),
      phone: `0754${phones}${endingAt(step)}`,
      network: '',
      amount: what === 'bill' ? '' : String(toUnits(AMOUNT)),
    };
    const page = await findPage(parts.database, [id]);
    assert.ok(page);
    // The question that its form will ask.
    const promptId = transactionIdOf(parts.accountId, keyOf({ payable: page.payable, typed: form }));
    return {
      at: { [step.includes('callback') ? id : promptId]: step },
      async ask() {
        url = await askOnPage(url, form);
      },
      async assertRight() {
        const said = await readPage(url);
        if (said.outcome === 'failed') assert.ok(unsent.includes(step), 'it had reached the phone');
        await assertPaidOnce(parts, { id, url, promptId }, said);
      },
    };
  },
});

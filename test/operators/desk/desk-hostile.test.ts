import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { pages } from '../../../src/operators/desk/pages.ts';
import { keepAnswer } from '../../../src/transactions/channel/enquiries.ts';
import { receiveBillPayment } from '../../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { accept } from '../../support/accept.ts';
import { controlNumberOf, payBill, paymentOf } from '../../support/bill-customer.ts';
import { moneyInSuspense } from '../../support/desk-money.ts';
import { handedOver } from '../../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../../support/merchant.ts';
import { succeeded } from '../../support/scripted-channel.ts';
import { useSignedIn } from '../api/signed-in.ts';

const planted: string[] = [];
/** What strangers write where they can: a formula, markup, marks that turn text around, and a word without an end. */
function hostile(field: string, length = 4_096): string {
  const mark = `mark-${field}-`;
  planted.push(mark);
  const text = `=1+1"'><script>alert(1)</script><img src=x onerror=alert(1)>\u202Egnp\u2066${mark}`;
  return text.padEnd(length, 'x').slice(0, Math.max(length, text.length));
}

/** No page has these yet: the first that does takes its field out of here. */
const notShown = ['description', 'payer-of-nobody', 'payment-number', 'reason-of-refund'].map(
  (field) => `mark-${field}-`,
);

describe('the desk, where others have written', () => {
  const { test, asha, addressOf, proposeTopUp } = useSignedIn({
    receipt: hostile('receipt-of-line', 0),
    reference: hostile('reference-of-line'),
  });
  const ids: Record<string, string>[] = [];

  before(async () => {
    const { database } = test;
    const late = await moneyInSuspense(database, {
      name: hostile('merchant'),
      receipt: hostile('receipt', 0),
      detail: hostile('note-of-suspense'),
    });
    await database.query('UPDATE api_keys SET label = $2, callback_url = $3 WHERE id = $1', [
      late.apiKeyId,
      hostile('label-of-key'),
      hostile('callback-address'),
    ]);
    await database.query("UPDATE operators SET email = $1 WHERE name = 'only-viewer'", [hostile('e-mail')]);
    await database.query(
      "INSERT INTO attention (subject, reason, detail) VALUES ($1, 'unexpected_payment', $2)",
      [hostile('subject', 0), hostile('attention')],
    );
    const merchant = await createMerchant(database, { balance: 5_000_000 });
    const begin = async (request: Parameters<typeof submissionFor>[1], metadata = '{}') => {
      const submission = submissionFor(merchant, request, { metadata });
      const { answer } = await accept(database, submission);
      assert.equal(answer.refused, null, answer.body);
      return submission.transactionId;
    };
    const order = {
      [hostile('metadata-name', 0)]: hostile('metadata'),
      more: { [hostile('metadata-deep')]: 1 },
    };
    const push = await begin(pushRequest(5_000, '255754000777'), JSON.stringify(order));
    const paid = { ...succeeded(5_000, hostile('reference-of-network', 0)), fullName: hostile('payer') };
    await tryToEnd(database, push, { kind: 'answer', result: paid });
    const refund = await begin(refundRequest(push, { amount: 1_000, reason: hostile('reason-of-refund') }));
    await keepAnswer(database, refund, { kind: 'unknown', detail: hostile('words-of-network') });
    const bank = await begin({ ...bankPayoutRequest(), fullName: hostile('beneficiary') });
    const bill = await begin({
      ...billRequest(9_000, { paymentNumber: hostile('payment-number', 0), mode: 'flexible' }),
      description: hostile('description'),
    });
    const control = await controlNumberOf(database, bill);
    const customer = { receipt: hostile('receipt-of-bill', 0), fullName: hostile('customer') };
    await payBill(database, paymentOf(control, 1_000, customer));
    await receiveBillPayment(
      database,
      paymentOf('770000000009', 700, {
        receipt: hostile('receipt-of-nobody', 0),
        fullName: hostile('payer-of-nobody'),
        refusalReturnsMoney: false,
      }),
    );
    const waiting = await handedOver(database, pushRequest());
    const proposal = await proposeTopUp(
      'juma',
      hostile('reference-of-bank', 0)
        .replace(/[\u202E\u2066]/g, '')
        .slice(0, 100),
    );
    const one = { merchants: late.accountId, suspense: late.item, proposals: proposal };
    for (const transactions of [late.transactionId, push, refund, bank, bill, waiting.id])
      ids.push({ ...one, transactions });
    ids.push({ ...one, transactions: push, merchants: merchant.accountId });
  });

  it('is text on every page and in every file, and every field that pages have is somewhere', async () => {
    let all = '';
    const seen = new Set<string>();
    const addresses = ids.flatMap((known) =>
      pages.flatMap(({ path, list }) => {
        const at = addressOf(path, known);
        return list ? [at, `${at}?format=csv`] : [at];
      }),
    );
    for (const address of [...addresses, '/desk?q=0754000777', '/desk?q=770000000009']) {
      if (seen.has(address)) continue;
      seen.add(address);
      const { status, text } = await asha.get(address);
      assert.equal(status, 200, `${address}: ${text.slice(0, 400)}`);
      all += text;
      if (address.endsWith('format=csv')) {
        for (const cell of (parse(text) as string[][]).flat())
          assert.match(cell, /^(?![=+\-@\t\r＝＋－＠])|^-?\d+(\.\d+)?$/, `${address}: ${cell.slice(0, 80)}`);
        continue;
      }
      assert.doesNotMatch(text, /<script|<img/i, address);
      assert.doesNotMatch(text, /[\u202e\u2066]/, address);
    }
    const unseen = planted.filter((mark) => !all.includes(mark)).sort();
    assert.deepEqual(unseen, notShown);
  });
});

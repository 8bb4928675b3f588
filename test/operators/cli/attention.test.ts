import assert from 'node:assert/strict';
import { balanceOf } from '../../../src/ledger/accounts.ts';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { recordSendOutcome } from '../../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { getTransaction } from '../../../src/transactions/rows/store.ts';
import { handedOver, type Started } from '../../support/handed-over.ts';
import { mobilePayoutRequest } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import type { Database } from '../../support/queryable.ts';

describe('a decision on the command line', () => {
  let database: Database;
  // As its flow does once it is told: it looks at what two operators decided.
  const { test, desk } = useOperatorDesk({
    wake: async (id) => void (await tryToEnd(database, id, { kind: 'notifications' })),
  });
  before(() => {
    ({ database } = test);
  });

  const run = (...args: string[]) => desk.cli('asha', 'attention', ...args);
  /** Two people decide; what the transaction is then. */
  async function decide(id: string, outcome: string, note: string) {
    await desk.approve('juma', await run('decide', id, outcome, '--note', note));
    return (await getTransaction(test.database, id))?.status;
  }

  /** A payout that was handed over and whose channel does not answer. */
  async function unknownPayout(): Promise<Started> {
    const payout = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    const { id } = payout;
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'unknown' });
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: 'a day' });
    return payout;
  }

  it('takes the hold when the person says paid, and takes the payout off the list', async () => {
    const { id, merchant } = await unknownPayout();
    assert.ok((await run('list')).some((line) => line.startsWith(id) && line.includes('unknown_outcome')));
    assert.equal(await decide(id, 'paid', 'statement line 12'), 'paid');
    const balance = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual(balance, { current: 4_900_000, reserved: 0 });
    assert.ok(!(await run('list')).some((line) => line.startsWith(id)));
    const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'attention.decide'
      AND subject = ${id}`;
    assert.equal(rows.length, 1);
    assert.equal(rows[0].actor, 'operator:juma');
    assert.equal(rows[0].detail.note, 'statement line 12');
  });

  it('lists a line each, all or those of a reason, and tells the story of one', async () => {
    const { id } = await unknownPayout();
    const proposed = await run('decide', id, 'paid', '--note', 'ticket 7');
    const [head, ...lines] = await run('list');
    assert.match(head ?? '', /^Id +Reason +Amount +Merchant +Party +Since +Age +Detail/);
    const line = lines.find((one) => one.startsWith(id)) ?? '';
    assert.match(
      line,
      /^\S+ +unknown_outcome +50,000\.00 TZS +Test shop +0754123456 +20\S+[+]03:00 +0 days +a day /,
    );
    assert.deepEqual(await run('list', '--reason', 'late_success'), [
      'The list is empty: no person is needed.',
    ]);
    const answered = (await run('list', '--json')).map((page) => JSON.parse(page));
    assert.ok(answered[0].data.some(({ subject }: { subject: string }) => subject === id));
    const story = (await run('show', id)).join('\n');
    for (const part of [
      '(docs/operations/unknown-outcome.md)',
      'Held: 51,000.00 TZS',
      '0754123456, 50,000.00 TZS, fee 1,000.00',
      'm-pesa as PO',
      'sent (1): unknown',
      'attention.decide',
      'by asha: ticket 7',
    ])
      assert.ok(story.includes(part), `${part} in\n${story}`);
    await desk.approve('juma', proposed);
    const shown = (await run('show', id)).join('\n');
    assert.match(shown, /decided {3}paid by asha and juma at \S+: ticket 7/);
  });

  it('shows the money of a payout, and closes an entry only when its state is final', async () => {
    const { id } = await unknownPayout();
    const shown = await run('show', id);
    assert.match(shown[0] ?? '', /payout \(mobile\) {2}pending/);
    assert.ok(shown.some((line) => /hold {2}held {2}51,000\.00/.test(line)));
    await assert.rejects(run('close', id, '--note', 'looked at it'), /The transaction is pending/);
    await decide(id, 'paid', 'statement');
    await raiseAttention(test.database, { transactionId: id, reason: 'late_success', detail: 'twice' });
    assert.deepEqual(await run('close', id, '--note', 'returned by hand'), ['closed entries: 1']);
    assert.deepEqual(await run('close', id, '--note', 'again'), ['there is no attention entry about it']);
  });
});

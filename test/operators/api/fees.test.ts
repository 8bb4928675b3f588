import assert from 'node:assert/strict';
import { getTransaction } from '../../../src/transactions/rows/store.ts';
import { accept } from '../../support/accept.ts';
import { createMerchant, pushRequest, submissionFor } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { flat } from '../../support/own-fees.ts';

describe('fees of one merchant', () => {
  const { test, desk } = useOperatorDesk({ each: true });
  const open = () => createMerchant(test.database, { balance: 10_000 });
  const propose = (as: string, payload: object) => desk.propose(as, 'fees.set', payload);
  const feesOf = async (id: string) => (await desk.call('only-admin', 'GET', `accounts/${id}/fees`)).body;

  it('are proposed by finance and hold once another operator approved them, for what is accepted then', async () => {
    const merchant = await open();
    const account_id = merchant.accountId;
    const fee = async () => {
      const submission = submissionFor(merchant, pushRequest(5_000));
      await accept(test.database, submission);
      return (await getTransaction(test.database, submission.transactionId))?.fee;
    };
    assert.equal((await propose('only-admin', { account_id, fees: {} })).status, 403);
    const { proposal } = (await propose('only-finance', { account_id, fees: { ussd: flat(7) } })).body;
    assert.deepEqual(proposal.facts, [{ name: 'USSD pushes', before: '0-: 2 % min 10', after: '0-: 7' }]);
    assert.equal(await fee(), 10_000);
    assert.equal((await desk.consent('only-finance', proposal)).status, 403);
    assert.equal((await desk.consent('asha', proposal)).body.proposal.state, 'executed');
    const shown = await feesOf(account_id);
    assert.deepEqual([shown.own, shown.fees.ussd, shown.next], [['ussd'], flat(7), null]);
    assert.equal(shown.version, `2025-01+${proposal.id}`);
    assert.equal(await fee(), 700);
    const rows = await test.sql`SELECT actor, detail FROM audit_log WHERE action = 'fees.set'
      AND subject = ${account_id}`;
    assert.equal(rows.length, 1);
    assert.equal(rows[0].actor, 'operator:asha');
    assert.deepEqual([rows[0].detail.proposal, rows[0].detail.rows], [proposal.id, { ussd: flat(7) }]);
  });

  it('that were proposed before others were set are refused, also where both are approved at once', async () => {
    const { accountId: account_id } = await open();
    const both = [];
    for (const fixed of [1, 2])
      both.push((await propose('asha', { account_id, fees: { ussd: flat(fixed) } })).body.proposal);
    const answers = await Promise.all(both.map((one) => desk.consent('juma', one)));
    const states = answers.map(({ body }) => body.proposal?.state ?? body.code);
    assert.equal(states.filter((state) => state === 'executed').length, 1, states.join());
    const { rows } = await test.database.query('SELECT version FROM account_fees');
    assert.equal(rows.length, 1);
  });

  it('are refused where they leave an amount without a tier, name no service, or are of nobody', async () => {
    const { accountId: account_id } = await open();
    const tier = flat(7).tiers[0];
    for (const fees of [
      undefined,
      { statement: flat(1) },
      { ussd: { tiers: [] } },
      { ussd: { tiers: [{ ...tier, from: 1 }] } },
      { ussd: { tiers: [{ ...tier, to: 100 }] } },
      { ussd: { tiers: [{ ...tier, fixed: -1 }] } },
      { ussd: { tiers: [{ ...tier, fixed: 1.5 }] } },
      { ussd: { tiers: [{ ...tier, fixed: 1e15 }] } },
    ])
      assert.equal((await propose('asha', { account_id, fees })).status, 422, JSON.stringify(fees));
    const nobody = '00000000-0000-4000-8000-000000000000';
    assert.equal((await propose('asha', { account_id: nobody, fees: {} })).status, 404);
    assert.equal((await desk.call('asha', 'GET', `accounts/${nobody}/fees`)).status, 404);
    const unseen = { account_id, fees: {}, replaces: 'pr_other' };
    assert.equal((await propose('asha', unseen)).status, 409);
  });

  it('are shown and proposed by the command line: what is not named stays', async () => {
    const { accountId } = await open();
    const agree = async (...words: string[]) =>
      desk.agree('fees', 'propose', accountId, ...words, '--reason', 'r');
    await agree('--ussd', '1.5% min 10 max 5,000', '--bank', '0-4999: 300; 5000-: 400 + 0.25 %');
    await agree('--mobile', '250');
    const show = async () => (await desk.cli('asha', 'fees', 'show', accountId)).join('\n');
    assert.match(await show(), /^ussd +0-: 1\.5 % min 10 max 5,000 \(its own\)$/m);
    assert.match(await show(), /^bank +0-4,999: 300; 5,000-: 400 \+ 0\.25 % \(its own\)$/m);
    assert.match(await show(), /^mobile +0-: 250 \(its own\)$/m);
    assert.match(await show(), /^qr +0-: 1 % min 10$/m);
    await agree('--ussd', 'none', '--effective-from', '2099-01-01');
    assert.match(await show(), /from 2099-01-01T00:00:00\+03:00 on\nussd +0-: 2 % min 10$/m);
    await agree('--number', '50');
    const announced = await show();
    assert.match(announced, /^number +0-: 50$/m, 'what is set while others are announced replaces these');
    assert.match(announced, /from 2099-01-01T00:00:00\+03:00 on$(\n.*)*\nmobile +0-: 250$/m);
    await assert.rejects(
      agree('--number', '60', '--effective-from', '2099-02-01'),
      /begin on 2098-12-31T21:00:00/,
    );
    await assert.rejects(
      agree('--number', '60', '--effective-from', '2026-01-01'),
      /begin on 2098-12-31T21:00:00/,
    );
    for (const wrong of ['much', '0-10', '1.234%', '300; ', '-5'])
      await assert.rejects(
        desk.cli('asha', 'fees', 'propose', accountId, `--qr=${wrong}`, '--reason', 'r'),
        /must be a fee/,
        wrong,
      );
    await assert.rejects(desk.cli('asha', 'fees', 'propose', accountId, '--reason', 'r'), /Name a fee/);
  });
});

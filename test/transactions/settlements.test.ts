// tests: one connection
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { freeze } from '../../src/accounts/freeze.ts';
import { statusOf } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { accountsToSettle, settlementRuleOf } from '../../src/settlements/settlement-rules.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { atOnce, times } from '../support/at-once.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { limitTo } from '../support/limits.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { bankAccount, forgeRule, setRule, settlementFor } from '../support/settlement.ts';

const FEE = 2_360_00;
const DAY = '2026-11-27';

/** A merchant has 500,000; every test leaves books that add up: the desk checks them. */
describe('settlements', () => {
  const desk = openBillDesk();
  /** Another Postgres, which has the merchant and none of this. */
  const copy = useTestDatabase();
  const worker = () => asRole(desk.database, 'worker');
  const balance = () => balanceOf(desk.database, desk.merchant.accountId, 'TZS');
  const planned = (asked: Parameters<typeof settlementFor>[2] = {}) =>
    settlementFor(desk.database, desk.merchant, asked);

  type Planned = Awaited<ReturnType<typeof planned>>;
  async function accepted(submission: Planned, database = worker()) {
    const { answer, mine } = await accept(database, submission);
    return { ...JSON.parse(answer.body), status: statusOf(answer), mine };
  }
  const rule = (changes: Parameters<typeof setRule>[2] = {}) =>
    setRule(desk.database, desk.merchant, changes);
  const subject = () => `settlement of ${desk.merchant.accountId}`;
  const settled = async (asked: Parameters<typeof settlementFor>[2] = {}) => accepted(await planned(asked));
  const refusalOf = async (submission: Planned) => {
    const { code, message, status, mine } = await accepted(submission);
    assert.deepEqual([status, mine], [409, false]);
    assert.equal(await getTransaction(desk.database, submission.transactionId), null);
    return `${code}: ${message}`;
  };

  it('send all that the rule does not keep, less the fee, and hold it', async () => {
    await rule();
    const { settlement, balance: shown, mine } = await settled();
    assert.deepEqual([settlement.amount, settlement.payouts, mine], [397_640, [settlement.id], true]);
    assert.deepEqual(shown, { current: 100_000, reserved: 400_000 });
    const stored = await getTransaction(desk.database, settlement.id);
    assert.ok(stored?.mode === 'settlement' && 'bic' in stored);
    assert.deepEqual(
      [stored.bic, stored.accountNumber, stored.fullName, stored.channel, stored.amount, stored.fee],
      ['CORUTZTZ', '0150123456789', 'Duka la Mama Asha', 'bank', 397_640_00, FEE],
    );
  });

  it('go in parts of what the connection carries at once, all accepted together, each with its fee', async () => {
    await rule({ to: { channel: 'm-pesa', msisdn: '255754123456' } });
    const { settlement } = await settled({ partMax: 150_000 });
    const parts = await Promise.all(
      settlement.payouts.map((id: string) => getTransaction(desk.database, id)),
    );
    assert.deepEqual(
      parts.map((part) => [part.amount / 100, part.fee, part.status, part.msisdn]),
      [150_000, 150_000, 92_920].map((amount) => [amount, FEE, 'pending', '255754123456']),
    );
    assert.equal(new Set(parts.map((part) => part.reference)).size, 3);
    assert.deepEqual(await balance(), { current: 100_000_00, reserved: 400_000_00 });
  });

  it('pay the account’s own fee, and are bound by the rule, not by the limits of payouts', async () => {
    await rule();
    await setOwnFees(desk.database, desk.merchant.accountId, { rows: { settlement: flat(500) } });
    await limitTo(desk.database, desk.merchant, { payout_max: 100, payout_daily_max: 100 });
    assert.equal((await settled({ amount: 50_000 })).settlement.amount, 50_000);
    assert.deepEqual(await balance(), { current: 449_500_00, reserved: 50_500_00 });
  });

  it('are refused without a rule, while its account waits, and by another rule than they were asked under', async () => {
    await rule();
    const before = await planned();
    const daily = await planned({ day: DAY });
    // Changed between the request and its acceptance.
    await rule({ keep: 0 });
    assert.match(await refusalOf(before), /^not_settleable: The settlement rule was changed/);
    assert.match(await refusalOf(daily), /^not_settleable: The settlement rule was changed/);
    await rule({ to: { ...bankAccount, accountNumber: '999888777' }, waits: true });
    assert.match(await refusalOf(await planned()), /^not_settleable: Your settlement account was changed/);
    const { accountId } = desk.merchant;
    assert.ok(!(await accountsToSettle(desk.database, 1)).includes(accountId));
    assert.deepEqual(await balance(), { current: 500_000_00, reserved: 0 });
  });

  it('that do not fit the rule leave the key free; what the balance does not cover is kept under it', async () => {
    await rule({ smallest: 50_000, cap: 450_000 });
    const key = randomUUID();
    for (const amount of [49_999, 450_001])
      assert.match(
        await refusalOf(await planned({ amount, key })),
        /at least 50,000.00 and at most 450,000.00/,
      );
    const tooMuch = await planned({ amount: 397_641, key });
    assert.match(
      await refusalOf(tooMuch),
      /^insufficient_balance: The balance is 500,000.00 and 100,000.00 of it/,
    );
    assert.match(await refusalOf(tooMuch), /^insufficient_balance/);
    await settled({ amount: 397_640 });
    assert.match(await refusalOf(await planned()), /less than 50,000.00 is left/);
  });

  desk.itRaced(
    2,
    'are one for one key, asked for twice at once, and run again by their own flow',
    async () => {
      await rule();
      const key = randomUUID();
      const [one, other] = [await planned({ key }), await planned({ key })];
      const both = await atOnce(2, desk.database, [() => accepted(one), () => accepted(other)]);
      assert.deepEqual(both.map(({ mine }) => mine).sort(), [false, true]);
      assert.deepEqual(both[0].settlement, both[1].settlement);
      const first = both[0].mine ? one : other;
      assert.equal((await accepted(first)).mine, true, 'its own flow goes on');
      assert.deepEqual(await balance(), { current: 100_000_00, reserved: 400_000_00 });
    },
  );

  it('of a day are one, whatever came in since', async () => {
    await rule({ keep: 0, cap: 100_000 });
    const first = await settled({ day: DAY });
    const again = await settled({ day: DAY });
    assert.deepEqual([first.mine, again.mine], [true, false]);
    assert.deepEqual(again.settlement, first.settlement);
    const next = await settled({ day: '2026-11-28' });
    assert.notEqual(next.settlement.id, first.settlement.id);
    assert.deepEqual(await balance(), { current: 295_280_00, reserved: 204_720_00 });
  });

  desk
    .itRaced(6, 'leave what the rule keeps, whatever is paid out at the same moment', async () => {
      await rule();
      for (let round = 0; round < 6; round += 1) {
        const payOut = () => accept(worker(), submissionFor(desk.merchant, mobilePayoutRequest(20_000)));
        const settle = () => settled({ partMax: 60_000, amount: 90_000 });
        await atOnce<unknown>(6, desk.database, [...times(4, payOut), ...times(2, settle)]);
      }
      const rows =
        await desk.sql`SELECT min(e.balance) AS least, count(*)::int AS lines FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN transactions x ON x.id = t.transaction_id WHERE x.mode = 'settlement' AND e.line IS NOT NULL AND x.account_id = ${desk.merchant.accountId}
         AND e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE account_id = ${desk.merchant.accountId} AND kind = 'available')`;
      assert.ok(rows[0].lines > 0 && rows[0].least >= 100_000_00, JSON.stringify(rows[0]));
    })
    .timeout(30_000);

  it('that fail are in the balance again, and a person is told', async () => {
    await rule();
    const { settlement } = await settled({ partMax: 300_000 });
    const [first, second] = settlement.payouts;
    const failed = failure('invalid_account');
    for (let twice = 0; twice < 2; twice += 1) {
      await answered(worker(), first, failed);
      await answered(worker(), second, succeeded(95_280, 'FT1'));
    }
    assert.deepEqual(await balance(), { current: 402_360_00, reserved: 0 });
    assert.deepEqual(
      [await desk.reasonsOf(first), await desk.reasonsOf(second)],
      [['settlement_failed'], []],
    );
    const [event] = await desk.eventsOf(first);
    assert.deepEqual([event.event, event.transaction_mode], ['payout.failed', 'settlement']);
  });

  it('of a day that wait too long are not made any more, and a person is told', async () => {
    await rule();
    const submission = { ...(await planned({ day: DAY })), receivedAt: '2026-01-01T00:00:00.000Z' };
    assert.match(await refusalOf(submission), /^submission_expired/);
    assert.deepEqual(await desk.reasonsOf(subject()), ['settlement_failed']);
  });

  const spoiled: [string, (submission: Planned) => Promise<Planned>, () => Promise<unknown>][] = [
    ['whose rule changed', (one) => rule({ keep: 1 }).then(() => one), async () => {}],
    ['whose account is frozen', (one) => freezing('INSERT').then(() => one), async () => freezing('DELETE')],
    [
      'for which there is not enough',
      (one) => rule({ keep: 500_000 }).then(() => planned({ day: one.request.day })),
      async () => rule({ keep: 0 }),
    ],
    [
      'that waited too long',
      async (one) => ({ ...one, receivedAt: '2026-01-01T00:00:00.000Z' }),
      async () => {},
    ],
  ];
  const freezing = (how: 'INSERT' | 'DELETE') =>
    desk.database.query(
      how === 'INSERT'
        ? "INSERT INTO freezes (account_id, frozen_by, reason) VALUES ($1, 'a', 'b')"
        : 'DELETE FROM freezes WHERE account_id = $1',
      [desk.merchant.accountId],
    );
  for (const [what, spoil, mend] of spoiled)
    it(`of a day ${what} are refused, told to a person, and made under the same id once they can be`, async () => {
      await rule();
      const submission = await spoil(await planned({ day: DAY }));
      for (const _ of ['once', 'run twice']) assert.equal((await accepted(submission)).mine, false);
      assert.deepEqual(await desk.reasonsOf(subject()), ['settlement_failed']);
      assert.deepEqual(await balance(), { current: 500_000_00, reserved: 0 });
      await mend();
      const again = await accepted(await planned({ day: DAY }));
      assert.deepEqual([again.mine, again.settlement.id], [true, submission.transactionId]);
      assert.deepEqual(await desk.reasonsOf(subject()), [], 'nobody has to look any more');
      assert.equal((await accepted(await planned({ day: DAY }))).mine, false, 'a day is settled once');
    });

  it('of a day are made although their key is revoked or frozen, which it never asked; of a frozen account none is', async () => {
    await rule({ keep: 0, cap: 1_000 });
    const { accountId, apiKeyId } = desk.merchant;
    await freeze(desk.database, { accountId, apiKeyId, actor: 'asha', reason: 'theft' });
    await desk.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${apiKeyId}`;
    await assert.rejects(settled(), /may not do this any more/);
    assert.equal((await settled({ day: DAY })).mine, true);
    await desk.sql`INSERT INTO freezes (account_id, frozen_by, reason) VALUES (${accountId}, 'a', 'b')`;
    const { status, mine } = await settled({ day: '2026-11-28' });
    assert.deepEqual([status, mine], [403, false]);
    assert.ok(
      (await accountsToSettle(desk.database, 1)).includes(accountId),
      'it is tried, so that it is said',
    );
  });

  it('go nowhere by a rule that no process of ours wrote', async () => {
    await rule();
    const submission = await planned();
    await forgeRule(desk.database, desk.merchant);
    assert.equal(await settlementRuleOf(desk.database, desk.merchant.accountId), null);
    assert.match(await refusalOf(submission), /^not_settleable: There is no settlement rule/);
    assert.deepEqual(await desk.reasonsOf(subject()), []);
    assert.match(
      await refusalOf({ ...submission, request: { ...submission.request, day: DAY } }),
      /^not_settl/,
    );
    assert.deepEqual(await desk.reasonsOf(subject()), ['settlement_failed']);
  });

  it('come back whole after a restore, with their holds and their answer, once', async () => {
    const version = await rule();
    const submission = await planned({ partMax: 150_000 });
    const before = await accept(worker(), submission);
    assert.equal(JSON.parse(before.answer.body).settlement.payouts.length, 3);
    await createMerchant(copy.database, { balance: 500_000, as: desk.merchant });
    const restore = { submission, accepted: before, isDry: false };
    assert.equal(await restoreAccepted(copy.database, { ...restore, isDry: true }), 'restored');
    assert.equal(await restoreAccepted(copy.database, restore), 'restored');
    assert.equal(await restoreAccepted(copy.database, restore), 'there');
    const { accountId } = desk.merchant;
    assert.deepEqual(await balanceOf(copy.database, accountId, 'TZS'), {
      current: 100_000_00,
      reserved: 400_000_00,
    });
    const rows =
      await copy.sql`SELECT mode, status, account_number, amount, fee, created_at <= now() AND created_at = min(created_at) OVER () AS old
       FROM transactions WHERE account_id = ${accountId} ORDER BY amount DESC`;
    const part = {
      mode: 'settlement',
      status: 'pending',
      account_number: '0150123456789',
      fee: FEE,
      old: true,
    };
    assert.deepEqual(
      rows,
      [150_000_00, 150_000_00, 92_920_00].map((amount) => ({ ...part, amount })),
    );
    const again = await accept(copy.database, submission);
    assert.equal(again.answer.body, before.answer.body, 'its key has the very bytes');
    // Behind the fence nothing is settled, whatever the copy knows.
    await closeFence(copy.database, 'a test');
    const late = submissionFor(desk.merchant, { ...submission.request, rule: version });
    await assert.rejects(accept(copy.database, late), /fence|restored/i);
  });
});

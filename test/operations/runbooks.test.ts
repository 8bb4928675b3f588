// tests: slow
import assert from 'node:assert/strict';
import type { Command } from 'commander';
import { createProgram } from '../../src/app/cli/program.ts';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { accepted, answered, handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest, billRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { type OperatorDesk, openOperatorDesk } from '../support/operator-desk.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { blocksOf, fill, pages } from './runbook.ts';

const BALANCE = 1_000_000;

const program = await createProgram({ asOperator: async () => {}, onStores: async () => {} });

describe('the commands of the pages for operators', () => {
  for (const page of pages)
    it(`${page} names commands that there are, with what they take`, () => {
      for (const words of blocksOf(page).flat()) takes(program, words);
    });

  /** Throws where a command, an option or the number of its arguments is not what the program has. */
  function takes(command: Command, words: readonly string[]): void {
    const shown = words.join(' ');
    const rest = [...words];
    if (rest[0] === '--operator') rest.splice(0, 2);
    let found = command;
    for (;;) {
      const next = found.commands.find((one) => one.name() === rest[0]);
      if (!next) break;
      found = next;
      rest.shift();
    }
    // `lines` lists, and `lines propose` proposes: a command may have others below it.
    const runs = found.commands.length === 0 || Reflect.get(found, '_actionHandler') !== null;
    assert.ok(runs, `${shown}: no such command`);
    const given: string[] = [];
    while (rest.length > 0) {
      const word = rest.shift() ?? '';
      if (!word.startsWith('--')) given.push(word);
      else {
        const option = found.options.find(({ long }) => long === word);
        assert.ok(option, `${shown}: no option ${word}`);
        if (!option.isBoolean()) assert.ok(rest.shift(), `${shown}: ${word} needs a value`);
      }
    }
    const { registeredArguments: all } = found;
    const needed = all.filter(({ required }) => required).length;
    const most = all.at(-1)?.variadic ? Number.POSITIVE_INFINITY : all.length;
    assert.ok(given.length >= needed && given.length <= most, `${shown}: its arguments`);
    for (const option of found.options.filter(({ mandatory }) => mandatory))
      assert.ok(words.includes(option.long ?? ''), `${shown}: ${option.long} is needed`);
  }
});

describe('from the alarm to an empty list, by the commands of its page alone', () => {
  const test = useTestDatabase({ each: true });
  let desk: OperatorDesk;
  beforeEach(async () => {
    // As a worker does once it is told: it looks at what two operators decided.
    const wake = async (id: string) => {
      await tryToEnd(test.database, id, { kind: 'notifications' });
    };
    // As the payer's network does: it pays at once.
    const begin = async (id: string) => {
      await answered(test.database, id, { ...succeeded(5_000, id) });
    };
    desk = await openOperatorDesk(test.database, { wake, begin });
  });
  afterEach(() => desk.stop());

  /** Runs a block of a page as asha; what another operator types says so. */
  async function follow(page: string, number: number, known: Record<string, string>): Promise<void> {
    const seen = { ...known };
    for (const words of blocksOf(page)[number] ?? assert.fail(`${page} has no block ${number}`)) {
      const lines = await desk.cli('asha', ...fill(words, seen));
      if (words.join(' ') === 'suspense list') seen.item = lines[1]?.split(' ')[0] ?? '';
      const [, proposal, hash] = /proposals approve (\S+) --hash (\S+)$/.exec(lines.join('\n').trim()) ?? [];
      if (proposal && hash) Object.assign(seen, { proposal, hash });
    }
  }
  const itemOf = async () => (await desk.rows('asha', 'suspense', 'list'))[0]?.split(' ')[0] ?? '';

  /** Nothing is left to do, the books are right, and what moved has two names. */
  async function allIsWell(releases: number): Promise<void> {
    assert.deepEqual(await desk.rows('asha', 'suspense', 'list'), []);
    assert.deepEqual(await desk.rows('asha', 'attention', 'list'), []);
    const balances = await desk.cli('asha', 'ledger', 'balances');
    assert.match(balances.find((line) => line.startsWith('suspense')) ?? '', / 0\.00 TZS /);
    assert.deepEqual(await checkInvariants(test.database), []);
    const rows =
      await test.sql`SELECT a.actor, p.proposed_by, p.decided_by FROM audit_log a JOIN proposals p ON p.id = a.detail->>'proposal'
       WHERE a.action LIKE 'suspense.%' AND p.state = 'executed'`;
    assert.equal(rows.length, releases);
    for (const row of rows)
      assert.deepEqual([row.actor, row.proposed_by, row.decided_by], ['operator:juma', 'asha', 'juma']);
    assert.match((await desk.cli('asha', 'audit', 'verify')).join('\n'), /lines are unchanged/);
  }

  const failed = failure('network_error');
  const success = (shillings: number) => ({ ...succeeded(shillings, `R${shillings}`) });
  async function start(request: MoneyRequest) {
    const { id, merchant } = await handedOver(test.database, request, { balance: BALANCE });
    const change = async () => {
      const { current, reserved } = await balanceOf(test.database, merchant.accountId, 'TZS');
      assert.equal(reserved, 0);
      return current / 100 - BALANCE;
    };
    return { id, change };
  }
  const statusOf = async (id: string) => (await getTransaction(test.database, id))?.status;
  const asks = { push: () => pushRequest(5_000), payout: () => mobilePayoutRequest(50_000) };
  const SHILLINGS = { push: 5_000, payout: 50_000 };

  for (const kind of ['push', 'payout'] as const) {
    const sign = kind === 'push' ? 1 : -1;
    for (const [what, block, borne] of [
      ['the merchant takes it', 1, true],
      ['its channel gives it back', 2, false],
      ...(kind === 'push' ? [['its payer gets it back', 3, false] as const] : []),
      ['it is written off', 4, false],
    ] as const)
      it(`199, 229: a ${kind} succeeds late, and ${what}`, async () => {
        const { id, change } = await start(asks[kind]());
        await answered(test.database, id, failed);
        await notify(test.database, id, success(SHILLINGS[kind]));
        assert.match((await desk.cli('asha', 'attention', 'list')).join('\n'), /late_success/);
        await follow('suspense.md', block, { transaction: id, item: await itemOf() });
        assert.equal(await change(), borne ? sign * SHILLINGS[kind] : 0);
        assert.equal(await statusOf(id), 'failed');
        await allIsWell(1);
      });

    it(`209: a ${kind} moves another amount`, async () => {
      const { id, change } = await start(asks[kind]());
      await notify(test.database, id, success(SHILLINGS[kind] - 1));
      // A day later its channel has still said nothing of the amount that was ordered.
      const entry = { transactionId: id, reason: 'unknown_outcome' as const, detail: 'for a day' };
      await raiseAttention(test.database, entry);
      await follow('suspense.md', 5, { transaction: id, item: await itemOf() });
      assert.equal(await change(), sign * (SHILLINGS[kind] - 1));
      assert.equal(await statusOf(id), 'failed');
      await allIsWell(1);
    });
  }

  const returned = {
    kind: 'returned',
    amount: minor(400_000_00),
    currency: 'TZS',
    reason: 'AC04',
    channelReference: 'RT1',
  } as const;
  it('239: a bank sends a payout back', async () => {
    const { id, change } = await start(bankPayoutRequest(400_000));
    await answered(test.database, id, success(400_000));
    const fee = -(await change()) - 400_000;
    await notify(test.database, id, returned);
    await follow('returned.md', 0, { transaction: id });
    assert.equal(await change(), -fee);
    await allIsWell(0);
  });

  it('a bank sends back what was never paid', async () => {
    const { id, change } = await start(bankPayoutRequest(400_000));
    await answered(test.database, id, failed);
    await notify(test.database, id, returned);
    await follow('returned.md', 1, { transaction: id });
    assert.equal(await change(), 400_000);
    await allIsWell(1);
  });

  it('a customer pays a bill twice, or none of ours', async () => {
    const { id, merchant } = await accepted(test.database, billRequest(5_000), { balance: BALANCE });
    const number = await controlNumberOf(test.database, id);
    const keeps = { refusalReturnsMoney: false };
    await receiveBillPayment(test.database, paymentOf(number, 5_000, keeps));
    const { current } = await balanceOf(test.database, merchant.accountId, 'TZS');
    await receiveBillPayment(test.database, paymentOf(number, 5_000, keeps));
    await follow('unexpected-payment.md', 0, {});
    await receiveBillPayment(test.database, { ...paymentOf(number, 7_000, keeps), controlNumber: null });
    await follow('unexpected-payment.md', 1, { item: await itemOf(), account: merchant.accountId });
    const after = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.equal(after.current, current + 12_000_00);
    await allIsWell(2);
  });

  it('a customer pays a bill that is none, and gets the money back', async () => {
    const payment = paymentOf('770000000', 5_000, { refusalReturnsMoney: false });
    await receiveBillPayment(test.database, { ...payment, controlNumber: null });
    await follow('unexpected-payment.md', 2, { item: await itemOf() });
    await allIsWell(1);
  });

  it('an amount that nobody can read is named, and then goes back', async () => {
    const payment = paymentOf('770000000', 5_000, { refusalReturnsMoney: false });
    const unreadable = { controlNumber: null, amount: null, amountAsSent: '1e5' };
    await receiveBillPayment(test.database, { ...payment, ...unreadable });
    const item = await itemOf();
    await follow('suspense.md', 0, { item });
    await follow('suspense.md', 2, { item });
    await allIsWell(2);
  });

  it('a receipt that lies in suspense pays no bill, but its item does', async () => {
    const { id: push } = await start(asks.push());
    await answered(test.database, push, failed);
    await notify(test.database, push, success(5_000));
    const { id, merchant } = await accepted(test.database, billRequest(5_000), { balance: BALANCE });
    const number = await controlNumberOf(test.database, id);
    const payment = paymentOf(number, 5_000, { receipt: 'R5000', refusalReturnsMoney: false });
    assert.equal((await receiveBillPayment(test.database, payment)).outcome, 'suspended');
    assert.equal((await receiveBillPayment(test.database, payment)).outcome, 'suspended');
    assert.equal((await desk.rows('asha', 'suspense', 'list')).length, 1, 'counted once');
    await follow('unexpected-payment.md', 1, { item: await itemOf(), account: merchant.accountId });
    const { current } = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.equal(current, (BALANCE + 5_000) * 100);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  /** A payout that two operators said was paid, and its channel that it failed. */
  async function contradicted() {
    const { id, change } = await start(asks.payout());
    await plantDecision(test.database, id, 'paid');
    await tryToEnd(test.database, id, { kind: 'notifications' });
    await notify(test.database, id, failed);
    const paid = await change();
    return { id, change, paid };
  }
  it('the channel contradicts what two operators had decided', async () => {
    const { id, change, paid } = await contradicted();
    await follow('conflicting-failure.md', 2, { transaction: id });
    assert.equal(await change(), paid + 50_000);
    await allIsWell(1);
  });

  it('the channel contradicts what two operators had decided, and then itself', async () => {
    const { id, change, paid } = await contradicted();
    await notify(test.database, id, success(50_000));
    assert.equal((await desk.rows('asha', 'suspense', 'list')).length, 2);
    // The page's receipt is that of the success: both leave at once.
    await follow('conflicting-failure.md', 3, { transaction: id });
    assert.equal(await change(), paid);
    await desk.cli('asha', 'attention', 'close', id, '--note', 'the channel did pay');
    await allIsWell(1);
  });

  it('the channel took back a payment after its success: the line is corrected', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: BALANCE });
    await answered(test.database, id, success(5_000));
    await notify(test.database, id, failed);
    const known = { transaction: id, account: merchant.accountId, line: '2' };
    await follow('conflicting-failure.md', 1, known);
    await allIsWell(0);
  });
});

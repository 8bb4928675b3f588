// tests: slow
import assert from 'node:assert/strict';
import type { z } from 'zod';
import { statementAnswer } from '../../src/contract/statement-schemas.ts';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { happenedAt, wholeStatement } from '../ledger/statement-support.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { withdraw } from '../support/withdraw.ts';
import { useTestApi } from './support/use-api.ts';

const { test, api } = useTestApi({ balance: 3_000_000 });
const DAYS = 30;
/** Long ago, so that it is over whatever the clock says. */
const MONTH = 'from=2005-11-01&to=2005-12-01';

type Lines = z.infer<typeof statementAnswer>['data'];
/** What a merchant's program makes of an amount: integers, so that nothing is rounded. */
const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

describe('a month of a merchant, with nothing but what the API says', () => {
  let funded = 0;
  let withdrawn = 0;

  before(async function () {
    this.timeout(120_000);
    const moments = ['2005-10-31T20:59:59.999999Z'];
    for (let day = 0; day < DAYS; day += 1) {
      await live(day);
      const { lastLine } = await wholeStatement(test.database, api.accountId);
      moments.push(...momentsOf(day, lastLine - moments.length));
    }
    await happenedAt(test.database, api.accountId, moments);
  });

  /** A day of trade: all that moves a balance, and some that does not. */
  async function live(day: number): Promise<void> {
    const money = (amount: number) => ({
      accountId: api.accountId,
      amount: minor(amount),
      actor: 'test',
      dedupeKey: `FT-${day}`,
    });
    if (day % 7 === 0) await topUp(test.database, money(123_456_00 + day));
    if (day % 7 === 0) funded += 123_456_00 + day;
    await push(5_000 + day);
    await fail(await accepted(pushRequest(2_000)));
    await payBill(12_345.67 + day);
    await settleAs(await accepted(mobilePayoutRequest(10_000 + day)), 10_000 + day);
    await fail(await accepted(mobilePayoutRequest(50_000)));
    if (day % 5 === 0) await returned(100_000 + day);
    if (day === DAYS - 1) await accepted(mobilePayoutRequest(777));
    if (day % 10 === 9) await withdraw(test.database, money(1_000_50));
    if (day % 10 === 9) withdrawn += 1_000_50;
  }

  async function accepted(request: MoneyRequest): Promise<string> {
    const submission = submissionFor(api, request);
    await accept(test.database, submission);
    return submission.transactionId;
  }
  const settleAs = (id: string, amount: number) =>
    tryToEnd(test.database, id, { kind: 'answer', result: succeeded(amount, id) });
  const fail = (id: string) =>
    tryToEnd(test.database, id, {
      kind: 'answer',
      result: { kind: 'failed', code: 'network_error', channelReference: null },
    });
  const push = async (amount: number) => settleAs(await accepted(pushRequest(amount)), amount);
  async function payBill(amount: number): Promise<void> {
    const id = await accepted(billRequest(amount));
    const number = await controlNumberOf(test.database, id);
    await receiveBillPayment(test.database, paymentOf(number, amount));
  }
  async function returned(amount: number): Promise<void> {
    const id = await accepted(bankPayoutRequest(amount));
    await settleAs(id, amount);
    const money = { amount: minor(amount * 100), currency: 'TZS', channelReference: null };
    await notify(test.database, id, { kind: 'returned', reason: 'AC04', ...money });
  }

  /** From the first moment of the day in Dar es Salaam to its last. */
  function momentsOf(day: number, count: number): string[] {
    const midnight = Date.parse('2005-10-31T21:00:00Z') + day * 86_400_000;
    return Array.from({ length: count }, (_, index) => {
      if (index === count - 1) return new Date(midnight + 86_399_999).toISOString().replace('Z', '999Z');
      return new Date(midnight + index * 60_000).toISOString();
    });
  }

  async function read(query: string) {
    const answer = await api.call('GET', `statements?${query}&per_page=100`);
    assert.equal(answer.status, 200, answer.text);
    return statementAnswer.parse(answer.body);
  }

  /** As a spreadsheet reads it: no cell of this month is quoted. */
  async function readCsv(): Promise<Lines> {
    const { text } = await api.call('GET', `statements?${MONTH}&format=csv`);
    const [header = '', ...rows] = text.trimEnd().split('\r\n');
    const names = header.split(',');
    return rows.map((row) => {
      const cells = row.split(',');
      const named = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
      return { ...named, line: Number(named.line) } as Lines[number];
    });
  }

  async function transactions() {
    const items = [];
    for (let page = 1, last = 1; page <= last; page += 1) {
      const { body } = await api.call('GET', `transactions?page=${page}&per_page=100`);
      last = body.pagination.last_page;
      items.push(...body.data);
    }
    return items;
  }

  it('adds up: opening and the lines of the CSV are closing, which is the balance', async () => {
    const month = await read(MONTH);
    const lines = await readCsv();
    assert.equal(lines.length, month.pagination.total_items);
    assert.equal(month.opening_balance, '3,000,000.00');
    let balance = cents(month.opening_balance);
    for (const [index, { line, amount, balance: after }] of lines.entries()) {
      balance += cents(amount);
      assert.deepEqual([line, cents(after)], [index + 2, balance]);
    }
    assert.equal(balance, cents(month.closing_balance));
    const { body } = await api.call('GET', 'balance');
    assert.equal(Math.round(body.balance.current * 100), balance);
    assert.equal(month.final, true);
  });

  it('is its days: each closes with what the next one opens with, and has what happened on it', async () => {
    const lines = await readCsv();
    let { opening_balance: balance } = await read(MONTH);
    const numbers: number[] = [];
    for (let day = 1; day <= DAYS; day += 1) {
      const date = (number: number) => new Date(Date.UTC(2005, 10, number)).toISOString().slice(0, 10);
      const one = await read(`from=${date(day)}&to=${date(day + 1)}`);
      assert.equal(one.opening_balance, balance, date(day));
      const sum = sumOf(one.data.map(({ amount }) => cents(amount)));
      assert.equal(cents(balance) + sum, cents(one.closing_balance), date(day));
      assert.ok(one.data.length >= 10, `${one.data.length} lines on ${date(day)}`);
      balance = one.closing_balance;
      numbers.push(...one.data.map(({ line }) => line));
    }
    assert.deepEqual(
      numbers,
      lines.map(({ line }) => line),
    );
  });

  it('has every transaction of the list with its amounts, and nothing else but money that came or left', async () => {
    const lines = await readCsv();
    const linesOf = new Map<string, [string, number][]>();
    for (const { transaction_id = '', type, amount } of lines)
      linesOf.set(transaction_id, [...(linesOf.get(transaction_id) ?? []), [type, cents(amount)]]);
    const items = await transactions();
    assert.ok(items.length > 150, `${items.length} transactions`);
    for (const item of items) {
      const said = linesOf.get(item.transaction_id) ?? [];
      linesOf.delete(item.transaction_id);
      assert.deepEqual(said, expectedOf(item), JSON.stringify(item));
    }
    const rest = [...linesOf.values()].flat();
    const withoutTransaction = (type: string) =>
      sumOf(rest.filter(([of]) => of === type).map(([, amount]) => amount));
    assert.deepEqual([...linesOf.keys()], [''], 'every other line is a top-up or a withdrawal');
    assert.equal(withoutTransaction('top_up'), funded);
    assert.equal(withoutTransaction('withdrawal'), -withdrawn);
    assert.equal(sumOf(rest.map(([, amount]) => amount)), funded - withdrawn);
  });

  // biome-ignore lint/suspicious/noExplicitAny: an item of the list as a merchant's program reads it
  function expectedOf(item: any): [string, number][] {
    const value = cents(item.amount.value);
    if (item.status === 'failed' && item.type !== 'payout') return [];
    if (item.status === 'failed') {
      const fee = 1_000_00;
      return [
        ['payout', -value],
        ['fee', -fee],
        ['payout_reversal', value],
        ['fee', fee],
      ];
    }
    const fee = cents(item.amount.fee);
    if (item.type !== 'payout') {
      assert.equal(value - fee, cents(item.amount.settled));
      return [
        ['payment', value],
        ['fee', -fee],
      ];
    }
    return [
      ['payout', -value],
      ['fee', -fee],
      ...(item.returned_at ? [['return', value] as [string, number]] : []),
    ];
  }

  it('says what the service cost: its fees are those of the list', async () => {
    const fees = (await readCsv()).filter(({ type }) => type === 'fee').map(({ amount }) => cents(amount));
    const charged = (await transactions())
      .filter(({ status }) => status !== 'failed')
      .map(({ amount }) => cents(amount.fee));
    assert.equal(-sumOf(fees), sumOf(charged));
  });
});

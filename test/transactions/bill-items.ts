import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { getSuspenseItem, suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { accept } from '../support/accept.ts';
import { actions } from '../support/actions.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { by, hire } from '../support/finance.ts';
import { answered } from '../support/handed-over.ts';
import { billRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

export const FAILED = failure('network_error');
/** In shillings. */
export const VALUE = 25_000;

/** Bills and pushes of their pages, money of theirs in suspense, and two people who take it out. */
export function openBillItems() {
  const desk = openBillDesk();
  const worker = () => asRole(desk.database, 'worker');
  const door = () => asRole(desk.database, 'api');
  before(() => hire(desk.database));

  const proposals = (database: Database = door()) => createProposals({ database, actions, fourEyes: true });
  async function propose(id: string, also: object = {}) {
    const item = (await getSuspenseItem(desk.database, id)) ?? assert.fail(id);
    const { receipt, amount, currency } = item;
    const payload = { item: id, receipt, amount, currency, note: 'ticket 812', ...also };
    return proposals().propose({ action: 'suspense.to-bill', payload, reason: 'r' }, by('asha'));
  }
  const approve = ({ id, payloadHash }: { id: string; payloadHash: string }, database?: Database) =>
    proposals(database).approve({ id, payloadHash }, by('juma'));
  /** Both people; what came of it. */
  async function take(id: string) {
    const { proposal, paid } = await approve(await propose(id));
    assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    return paid ?? assert.fail('no flow is told of it');
  }

  let phones = 30_000;
  /** A push that was asked for on the page of what it pays. */
  async function ask(pays: string, amount = VALUE) {
    phones += 1;
    const submission = submissionFor(desk.merchant, { ...pushRequest(amount, `2557541${phones}`), pays });
    assert.equal((await accept(worker(), submission)).mine, true);
    return submission.transactionId;
  }
  const answer = (id: string, result: typeof FAILED | ReturnType<typeof succeeded>) =>
    answered(worker(), id, result);
  const itemOf = async (id: string) => {
    const [item, ...more] = await suspenseItemsOf(desk.database, { transactionIds: [id] });
    assert.equal(more.length, 0);
    return item ?? assert.fail(`no item of ${id}`);
  };
  const itemNamed = async (receipt: string) => {
    const rows = await desk.sql`SELECT id FROM suspense_items WHERE receipt = ${receipt}`;
    return String(rows[0]?.id);
  };
  /** The push fails, and its money comes after all. */
  async function paidLate(pays: string, receipt: string = randomUUID(), amount = VALUE) {
    const push = await ask(pays, amount);
    await answer(push, FAILED);
    await answer(push, succeeded(amount, receipt));
    return { push, item: await itemOf(push), receipt };
  }
  let lines = 0;
  /** A line of a statement whose grace is over. */
  async function shown(receipt: string, reference: string | null, amount = VALUE) {
    const move = { receipt, amount, reference, minutes: (30 - lines) * 24 * 60 };
    await importMoves(door(), walletAccount(), [move], lines * VALUE);
    lines += 1;
    return itemNamed(receipt);
  }
  const bill = (amount = VALUE, mode: 'exact' | 'flexible' = 'exact') =>
    desk.bill(billRequest(amount, { mode }));
  const refund = async (id: string) =>
    (await accept(worker(), submissionFor(desk.merchant, refundRequest(id)))).answer.body;

  const members = { worker, door, proposals, propose, approve, take, ask, answer, itemOf, itemNamed };
  return { desk, ...members, paidLate, shown, bill, refund };
}

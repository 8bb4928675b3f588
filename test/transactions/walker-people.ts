import assert from 'node:assert/strict';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { actionsWith } from '../support/actions.ts';
import { ringOf } from '../support/key-rings.ts';
import { agree } from './agree.ts';
import { accountOf, type Where } from './network.ts';
import type { Truth, Walk } from './walker.ts';

type Item = { id: string; receipt: string; amount: number; channel: Where; transaction_id: string | null };

/** Nothing of ours that no statement shows is too young to be corrected. */
const accounts = new Map((['m-pesa', 'bank'] as const).map((where) => [where, accountOf(where, 1)]));
const graceless = actionsWith(ringOf(), 'test', accounts);

/** What two people do with one merchant's money that is in suspense, or booked and wrong. */
export function peopleStep(walk: Walk): () => Promise<unknown> {
  const chance = walk.next();
  if (chance < 0.6) return leaveSuspense(walk);
  return chance < 0.9 ? correctOurs(walk) : correctLine(walk);
}

/** Items go to the merchant, to us, back by the channel itself, or back by a payout of ours: one, or some together. */
function leaveSuspense(walk: Walk): () => Promise<unknown> {
  const [chance, receipt, count] = [walk.next(), walk.newReceipt(), walk.one([1, 1, 2, 3])];
  const way = walk.one(['to-merchant', 'write-off', 'given-back', 'to-payer', 'to-bill']);
  const isTogether = count > 1 && way !== 'given-back' && way !== 'to-bill';
  return async () => {
    const isAble = (one: Item) => !isTogether || way === 'write-off' || one.transaction_id !== null;
    const all = (await itemsFrom(walk, chance)).filter(isAble);
    const items = all.slice(0, isTogether ? count : 1).sort((a, b) => (a.id < b.id ? -1 : 1));
    const truths = items.map((one) => truthOf(walk, one));
    for (const its of truths) if (its) its.isReleased = true;
    const [item] = items;
    if (!item) return;
    const { id, receipt: told, amount } = item;
    const back = truths[0]?.movements.find((one) => [one.receipt, one.shownAs].includes(told))?.back;
    const single = {
      item: id,
      receipt: told,
      amount,
      currency: 'TZS',
      note: 'a walk',
      ...(way === 'to-merchant' && { account_id: walk.merchant.accountId }),
      ...(way === 'given-back' && { return_receipt: back ?? receipt }),
    };
    const together = { way, items: items.map((one) => one.id), note: 'a walk' };
    const done = await (isTogether
      ? walk.agree('suspense.together', together)
      : walk.agree(`suspense.${way}`, single));
    if (!done) return;
    const stayed = (await itemsFrom(walk, 0)).filter((one) => together.items.includes(one.id));
    assert.deepEqual(stayed, [], way);
    if (way === 'given-back' && !back) {
      const kind = amount > 0 ? 'reversal' : 'return';
      const shown = { amount: -amount, receipt, reference: null, kind } as const;
      walk.network.move(item.channel === 'bank' ? 'bank' : 'm-pesa', { ...shown, names: [told] });
    }
    const each = done.also ?? [done];
    for (const [at, one] of items.entries()) {
      walk.bills.release(one.amount);
      if (way === 'to-merchant') walk.given += one.amount;
      const begun = each[at]?.begin;
      if (!begun) continue;
      await recordSend(walk.worker, { transactionId: begun, number: 1 });
      const reference = (await getTransaction(walk.database, begun))?.reference ?? '';
      walk.know(begun, { channel: one.channel, sign: -1, reference, isSimple: false });
    }
  };
}

/** What this merchant has in suspense, in a ring that begins by chance. */
async function itemsFrom(walk: Walk, chance: number): Promise<Item[]> {
  const { rows } = await walk.database.query(
    `SELECT id, receipt, amount, channel, transaction_id FROM suspense_items
     WHERE (receipt LIKE $1 OR transaction_id = ANY($2)) AND transfer_id IS NOT NULL AND left_by IS NULL ORDER BY receipt`,
    [`${walk.prefix}%`, [...walk.truths.keys()]],
  );
  const able = rows.filter((item: Item) => !truthOf(walk, item)?.isDecided);
  const first = Math.floor(chance * able.length);
  return [...able.slice(first), ...able.slice(0, first)];
}
function truthOf(walk: Walk, of: Pick<Item, 'transaction_id' | 'receipt'>): Truth | undefined {
  const isIts = ({ movements }: Truth) =>
    movements.some(({ receipt, shownAs, back }) => [receipt, shownAs, back].includes(of.receipt));
  return walk.truths.get(of.transaction_id ?? '') ?? [...walk.truths.values()].find(isIts);
}

/**
 * No statement shows what we booked, and its network has nothing of it: it may move later all the same. That its network
 * took something back is corrected only where it had moved, because then it stands again.
 */
function correctOurs(walk: Walk): () => Promise<unknown> {
  const [where, chance] = [walk.one(['m-pesa', 'm-pesa', 'bank'] as const), walk.next()];
  return async () => {
    const asked = { states: ['open'], class: 'ours_only', limit: 1_000 } as const;
    const unseen = () => itemsOf(walk.database, [accountOf(where, 1)], asked);
    await walk.showOf(where, { overlap: 0, graceMs: 1 });
    const able = (await unseen()).flatMap(({ id: line, amount, receipt: told, reference: ours }) => {
      const receipt = told ?? '';
      const named = [...walk.truths.values()].find(({ reference }) => reference === ours);
      const its = named ?? truthOf(walk, { transaction_id: null, receipt });
      const isBack = its !== undefined && Math.sign(amount) !== its.sign;
      const hasMoved = its?.movements.some((moved) => moved.amount === Math.abs(amount));
      const isMine = its !== undefined || receipt.startsWith(walk.merchant.accountId.slice(0, 8));
      return isMine && (!isBack || hasMoved) ? [{ line, its, isBack }] : [];
    });
    const chosen = able[Math.floor(chance * able.length)];
    // Then two people believe of one that moved nothing that it was paid.
    const silent = [...walk.truths].filter(([, { movements }]) => movements.length === 0);
    if (!chosen) return silent.length > 0 && walk.decide(...walk.one(silent), 'paid');
    const { line, its, isBack } = chosen;
    if (its) its.isReleased = true;
    const done = await agree(walk.database, 'lines.ours', { line, note: 'a walk' }, graceless);
    if (!done) return;
    assert.ok(!(await unseen()).some(({ id }) => id === line), `${line} is corrected, and still open`);
    if (its && !isBack) its.isDecided = false;
  };
}

/** A line of the merchant's statement was wrong. Of a top-up or withdrawal our bank moves the rest. */
function correctLine(walk: Walk): () => Promise<unknown> {
  const [chance, reference, amount] = [walk.next(), walk.newReceipt(), walk.one([100_000, -100_000])];
  return async () => {
    const { rows } = await walk.database.query(
      `SELECT e.line::int, t.kind IN ('top_up', 'withdrawal') AND NOT e.is_fee AS is_banks FROM entries e
       JOIN ledger_accounts a ON a.id = e.ledger_account_id JOIN transfers t ON t.id = e.transfer_id
       WHERE a.account_id = $1 AND a.kind = 'available' ORDER BY e.line`,
      [walk.merchant.accountId],
    );
    const { line, is_banks } = rows[Math.floor(chance * rows.length)];
    const asked = { account_id: walk.merchant.accountId, line, amount, currency: 'TZS', reference };
    if (!(await walk.agree('statements.correct', { ...asked, note: 'a walk' }))) return;
    walk.given += amount;
    const shown = { receipt: reference, reference: null, kind: 'unknown' } as const;
    if (is_banks) walk.network.move('bank', { amount, ...shown });
  };
}

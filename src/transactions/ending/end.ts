import { describeError } from '../../base/redact.ts';
import type { AttentionReason } from '../../domain/attention.ts';
import type { Failed, Succeeded } from '../../domain/channel.ts';
import type { Cause, Ended } from '../../domain/ending.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { isBilled, isFinal, kindOf, type Transaction } from '../../domain/transaction.ts';
import { codeOf } from '../../ledger/accounts.ts';
import { addNames, CALLED, lockAgainstTyping, toldNames, UNNAMED } from '../../ledger/booked.ts';
import { isPermanent, isSchemaBehind } from '../../platform/db/errors.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { proves } from '../../platform/db/proofs.ts';
import { only } from '../../platform/db/rows.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { raiseAttention, raiseSchemaBehind } from '../care/attention.ts';
import { isUnconfirmed, noteAnswer } from '../care/decisions.ts';
import { requireOpenFence, TransactionMissing } from '../care/fence.ts';
import { hasArrived } from '../channel/enquiries.ts';
import { isOurs, takeLateFailure, takeLateSuccess } from '../odd-money/suspense.ts';
import { lockTransaction } from '../rows/store.ts';
import type { Ending } from './ending.ts';
import { end } from './prompt-payments.ts';
import type { ReturnContent, WaitingReturn } from './returns.ts';
import { endingOfCause, endingOfDecision } from './wanted.ts';

/** Ends a pending transaction with all its writes (`last` too), or none. A repeat returns the first end. */
export function tryToEnd(
  database: Database,
  transactionId: string,
  cause: Cause,
  last: (db: Queryable, ended: Ended<AttentionReason>) => Promise<void> = async () => {},
): Promise<Ended<AttentionReason>> {
  return inTransaction(database, async (db) => {
    let transaction = await lockTransaction(db, transactionId);
    if (!transaction) throw new TransactionMissing(transactionId);
    await lockAgainstTyping(db, transaction);
    const answer = cause.kind === 'answer' ? cause.result : null;
    const reports = answer ? [answer] : [];
    const late: Succeeded[] = [];
    let won: Succeeded | null = null;
    if (isFinal(transaction.status)) await confirmDecision(db, transaction, cause);
    else {
      const notified = await takeNotifications(db, transaction, answer);
      reports.unshift(...notified.reports);
      won = successAmong(transaction, reports, notified.moved);
      const ending =
        endingOfReports(won, reports) ??
        (await endingOfCause(db, transaction, cause)) ??
        (await endingOfDecision(db, transaction));
      if (ending) {
        transaction = await endWith(db, transaction, ending, notified);
        late.push(...notified.unconfirmed);
      }
    }
    // One success ends a transaction. The others are late or other movements; none is dropped.
    for (const report of reports) if (report.kind === 'succeeded' && report !== won) late.push(report);
    for (const success of late) await takeLateSuccess(db, transaction, success);
    const ended = await stateOf(db, transactionId);
    await last(db, ended);
    return ended;
  });
}

/**
 * Ends a transaction as soon as an explicit answer arrives: the workflow may no longer wait, and Postgres
 * does not trust Temporal. After a permanent error a person is notified and the workflow enquires.
 */
export async function endReported(
  database: Database,
  transactionId: string,
  result: Succeeded | Failed,
): Promise<void> {
  await tryToEnd(database, transactionId, { kind: 'answer', result }).catch(async (error) => {
    if (isSchemaBehind(error)) await raiseSchemaBehind(database, error).catch(() => {});
    if (!isPermanent(error)) throw error;
    const detail =
      `A ${result.kind === 'failed' ? 'failure' : 'success'} could not be ended: ` +
      `${describeError(error).message}`;
    await raiseAttention(database, { transactionId, reason: 'broken', detail });
  });
}

type Notified = {
  reports: (Succeeded | Failed)[];
  /** proven successes above `confirmAbove`: only an enquiry may end the transaction with them */
  unconfirmed: Succeeded[];
  /** returns by the channel, unread until the transaction has ended */
  returns: WaitingReturn[];
  /** earlier reports of its money, from statements or other sources */
  moved: Moved[];
};

/** `told`: the report's name for the movement; null: found by this transaction. `item`: in suspense. */
type Moved = {
  id: string;
  told: string | null;
  /** true unless the number is a receipt both in the report and in the movement */
  isPointed: boolean;
  transactionId: string | null;
  /** minor units, negative if it left */
  amount: number;
  currency: string;
  hasReceipt: boolean;
  /** true if it is a payment of the bill or number that this push pays */
  isOfPaid: boolean;
  isRepeat: boolean;
  /** true at this transaction's network or bank; several may share a number space */
  isHere: boolean;
  item: string | null;
  isOpen: boolean;
};

/** Marks the stored notifications as read, and returns their reports in order of arrival. */
async function takeNotifications(
  db: Queryable,
  transaction: Transaction,
  answer: Succeeded | Failed | null,
): Promise<Notified> {
  // A bill's payments arrive as bill notifications only, even if they are announced elsewhere too.
  if (isBilled(transaction)) return { reports: [], unconfirmed: [], returns: [], moved: [] };
  // Pass one value: for an array Postgres expects ten rows, and plans the statement anew each time.
  const { rows } = await db.query(
    prepared(`WITH taken AS (
       UPDATE notifications SET state = 'applied'
       WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' IN ('succeeded', 'failed')
       RETURNING id, content, channel, event_key, mac),
       told AS (SELECT content FROM taken UNION ALL SELECT $3::jsonb WHERE $3 IS NOT NULL)
     SELECT id, content, channel, event_key, mac, 'report' AS part FROM taken
     UNION ALL
     SELECT id, content, channel, event_key, mac, 'unconfirmed' FROM notifications
     WHERE transaction_id = $1 AND state = 'ignored' AND content->>'kind' = 'succeeded'
     UNION ALL
     SELECT id, content, channel, event_key, mac, 'return' FROM notifications
     WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' = 'returned'
     UNION ALL
     SELECT NULL,
     jsonb_build_object('id', m.id, 'told', its.told, 'isPointed', its.is_pointed, 'transactionId',
       m.transaction_id, 'amount', m.amount, 'currency', m.currency,
       'hasReceipt', EXISTS (SELECT FROM movement_names n
         WHERE n.movement_id = m.id AND n.is_receipt AND n.freed_at IS NULL),
       'isOfPaid', paid.of IS NOT NULL, 'isRepeat', paid.of IS NOT NULL
       AND EXISTS (SELECT FROM bill_receipts b
         WHERE b.space = receipt_space($2) AND plain_name(b.receipt) = plain_name(its.told))
         OR EXISTS (SELECT FROM bill_receipts b JOIN transactions p ON p.id = b.transaction_id
           WHERE b.space = receipt_space($2)
           AND plain_name(b.receipt) = plain_name(its.told) AND b.outcome = 'accepted'
           AND coalesce(p.number_id, p.id) = (SELECT x.pays FROM transactions x WHERE x.id = $1)),
       'isHere', a.code = $5, 'item', i.id, 'isOpen', stands.sum = 1 AND coalesce(i.is_open, false)), NULL,
       NULL, NULL, 'moved'
     FROM (
       SELECT c.movement_id, one.told, NOT (c.is_receipt AND one.is_receipt) AS is_pointed FROM (
         SELECT content->>'channelReference' AS told, true AS is_receipt FROM told
         UNION SELECT jsonb_array_elements_text(content->'alsoKnownAs'), false FROM told) one
       JOIN LATERAL ${CALLED} c ON one.is_receipt OR c.is_receipt OR ${UNNAMED}
       UNION SELECT n.movement_id, one.told, false
       FROM (SELECT content->>'channelReference' AS told FROM told) one JOIN movement_names n
         ON n.space = $6 AND n.direction = $4 AND n.plain = plain_name(one.told) AND n.is_receipt
           AND n.freed_at IS NULL
       UNION SELECT id, NULL, false FROM movements
       WHERE transaction_id = $1 AND direction = $4 AND kind = 'itself') its
     JOIN movements m ON m.id = its.movement_id JOIN ledger_accounts a ON a.id = m.ledger_account_id
     CROSS JOIN LATERAL (SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e
       WHERE e.movement_id = m.id) stands (sum)
     LEFT JOIN LATERAL (SELECT x.pays AS of
       FROM transactions x JOIN transactions p ON coalesce(p.number_id, p.id) = x.pays
       WHERE x.id = $1 AND p.id = m.transaction_id) paid ON true
     LEFT JOIN LATERAL (SELECT s.* FROM entries e JOIN suspense_items s ON s.transfer_id = e.transfer_id
       WHERE e.movement_id = m.id AND NOT e.takes_back ORDER BY e.id LIMIT 1) i ON true
     WHERE its.told IS NOT NULL OR stands.sum = 1
     ORDER BY id`),
    [
      transaction.id,
      transaction.connection,
      answer && JSON.stringify(answer),
      kindOf(transaction).direction === 'collection' ? 'in' : 'out',
      codeOf({ kind: 'clearing', channel: transaction.channel }, transaction.currency),
      // Operators may have entered the bank's number for a top-up or withdrawal.
      transaction.channel === 'bank' ? codeOf({ kind: 'settlement' }, transaction.currency) : null,
    ],
  );
  const proven = await Promise.all(
    rows.map(
      (row) =>
        row.part === 'moved' || proves(db, 'notifications', { ...row, transaction_id: transaction.id }),
    ),
  );
  const those = (part: string) => rows.filter((row, index) => row.part === part && proven[index]);
  const contents = (part: string) => those(part).map((row) => row.content);
  const returns = those('return') as WaitingReturn[];
  const reports = contents('report') as (Succeeded | Failed)[];
  return {
    reports: [...reports, ...returns.flatMap(({ content }) => failureIn(content))],
    unconfirmed: contents('unconfirmed') as Succeeded[],
    returns,
    moved: contents('moved') as unknown as Moved[],
  };
}

/** A return may count as a failure if no report says that the transaction succeeded. */
function failureIn({ orFailed, channelReference }: ReturnContent): Failed[] {
  return orFailed === undefined ? [] : [{ kind: 'failed', code: orFailed, channelReference }];
}

/**
 * Finds the success that ends the transaction, whoever reported it. Money that belongs to another
 * transaction, was given away, or was reported with another amount could count twice, so operators decide.
 */
function successAmong(
  transaction: Transaction,
  reports: (Succeeded | Failed)[],
  moved: readonly Moved[],
): Succeeded | null {
  for (const report of reports) {
    if (report.kind !== 'succeeded' || !isOurs(transaction, report)) continue;
    const told = toldOf(transaction, report, moved);
    if (told.length === 0 || told.some((one) => one.isRepeat || isItsItem(transaction, one))) return report;
  }
  return null;
}

/**
 * Finds earlier reports of this money by receipt. If there are none, a report of the same amount matches if
 * it or the earlier one has no receipt, or if it is a bank payout: banks renumber these in statements.
 */
function toldOf(
  transaction: Transaction,
  { channelReference: receipt, alsoKnownAs = [] }: Pick<Succeeded, 'channelReference' | 'alsoKnownAs'>,
  moved: readonly Moved[],
): Moved[] {
  const named = moved.filter(({ told, isPointed }) => told !== null && told === receipt && !isPointed);
  if (named.length > 0) return named;
  // A line may carry another number of the bank. It counts if one movement alone matches and has this money.
  const isTold = ({ told }: Moved) => told !== null && (told === receipt || alsoKnownAs.includes(told));
  const pointed = moved.filter((one) => one.isPointed && isTold(one) && isItsMoney(transaction, one));
  if (new Set(pointed.map(({ id }) => id)).size === 1) return pointed;
  const { amount, currency } = transaction;
  const isNumberedAnew = transaction.channel === 'bank' && kindOf(transaction).direction === 'payout';
  return moved.filter(
    (one) =>
      one.told === null &&
      Math.abs(one.amount) === amount &&
      one.currency === currency &&
      (receipt === null || isNumberedAnew || !one.hasReceipt),
  );
}

const isItsItem = (transaction: Transaction, one: Moved): boolean =>
  one.isOpen && isItsMoney(transaction, one);

function isItsMoney({ id, amount, currency }: Transaction, one: Moved): boolean {
  const isFree = one.isHere && (one.transactionId === null || one.transactionId === id || one.isOfPaid);
  return one.item !== null && isFree && Math.abs(one.amount) === amount && one.currency === currency;
}

/** Ends the transaction. Takes an item that has its money, and adds the receipt to the item's movement. */
async function endWith(
  db: Queryable,
  before: Transaction,
  ending: Ending,
  { moved, returns }: Notified,
): Promise<Transaction> {
  if (ending.kind !== 'succeeded') return end(db, before, ending, returns);
  const its = toldOf(before, ending, moved).find((one) => isItsItem(before, one));
  const after = await end(db, before, { ...ending, item: its?.item ?? null }, returns);
  if (its) await addNames(db, toldNames(its.id, ending));
  return after;
}

/** A success with our amount outranks every failure. */
function endingOfReports(won: Succeeded | null, reports: (Succeeded | Failed)[]): Ending | null {
  return won ?? reports.find((report) => report.kind === 'failed') ?? null;
}

/** Records the channel's answer on a decided transaction. Late successes are handled as usual. */
async function confirmDecision(db: Queryable, transaction: Transaction, cause: Cause): Promise<void> {
  if (!(await isUnconfirmed(db, transaction.id))) return;
  if (cause.kind === 'unanswered') return noteAnswer(db, transaction.id, 'none');
  if (cause.kind === 'answer' && cause.result.kind === 'failed')
    await takeLateFailure(db, transaction, cause.result.code);
  // A repeated "not found" from before the decision says nothing about it.
  if (cause.kind === 'never_arrived' && cause.afterDecision) {
    await requireOpenFence(db);
    if (!(await hasArrived(db, transaction.id)))
      await takeLateFailure(db, transaction, 'network_unavailable');
  }
}

async function stateOf(db: Queryable, transactionId: string): Promise<Ended<AttentionReason>> {
  const { rows } = await db.query(
    prepared(`SELECT t.status, t.failure_code, t.amount, t.currency, t.pays, b.paid,
       (SELECT coalesce(array_agg(a.reason ORDER BY a.id), '{}') FROM attention a
        WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS reasons,
       EXISTS (SELECT 1 FROM decisions d
               WHERE d.transaction_id = t.id AND d.applied_at IS NOT NULL
                 AND d.answer IS NULL) AS unconfirmed,
       (SELECT coalesce(array_agg(e.id ORDER BY e.sequence), '{}') FROM callback_events e
        WHERE e.transaction_id = t.id AND e.state = 'pending') AS events
     FROM transactions t LEFT JOIN bills b ON b.transaction_id = t.id
     WHERE t.id = $1 /* never null: reasons, events */`),
    [transactionId],
  );
  const { events, unconfirmed, amount, paid, pays, currency, ...row } = only(rows);
  const status = row.status as Ended<AttentionReason>['status'];
  const reasons = row.reasons as AttentionReason[];
  const failureCode = row.failure_code as FailureCode | null;
  const money = (value: number) => `${formatMoney(minor(value))} ${currency}`;
  return {
    status,
    events,
    unconfirmed,
    // Absent members take no room in a workflow's history.
    ...(pays === null ? {} : { pays }),
    ...(failureCode === null ? {} : { failureCode }),
    ...(reasons.length === 0 ? {} : { needs: reasons }),
    ...(paid !== null && paid > 0 && paid < amount
      ? { paidInPart: { paid: money(paid), missing: money(amount - paid) } }
      : {}),
  };
}

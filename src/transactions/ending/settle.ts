import { describeError } from '../../base/redact.ts';
import type { AttentionReason } from '../../domain/attention.ts';
import type { Failed, Succeeded } from '../../domain/channel.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import type { Cause, Settled } from '../../domain/settlement.ts';
import {
  type BilledTransaction,
  isBilled,
  isFinal,
  isMerchants,
  kindOf,
  type Transaction,
} from '../../domain/transaction.ts';
import { isPermanent, isSchemaBehind } from '../../platform/db/errors.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { raiseAttention, raiseSchemaBehind } from '../care/attention.ts';
import { isDecided, isUnconfirmed, noteAnswer, takeDecision } from '../care/decisions.ts';
import { fenceOf, requireOpenFence, TransactionMissing } from '../care/fence.ts';
import { hasArrived } from '../channel/enquiries.ts';
import { sendHistory } from '../channel/sends.ts';
import { isOurs, takeLateFailure, takeLateSuccess } from '../odd-money/suspense.ts';
import { expiryOf, isUntouched, keepWaiting } from '../rows/bill-store.ts';
import { isLine, shownBy } from '../rows/moved.ts';
import { lockTransaction } from '../rows/store.ts';
import type { Ending } from './ending.ts';
import { end } from './prompt-payments.ts';
import type { ReturnContent, WaitingReturn } from './returns.ts';

/**
 * pending → final, in one Postgres transaction under the transaction's row lock: state, ledger and the bytes of the
 * callback together or not at all, and with them what `last` writes. Run twice it returns what the first run decided.
 */
export function settle(
  database: Database,
  transactionId: string,
  cause: Cause,
  last: (db: Queryable, settled: Settled<AttentionReason>) => Promise<void> = async () => {},
): Promise<Settled<AttentionReason>> {
  return inTransaction(database, async (db) => {
    let transaction = await lockTransaction(db, transactionId);
    if (!transaction) throw new TransactionMissing(transactionId);
    const reports = cause.kind === 'answer' ? [cause.result] : [];
    const late: Succeeded[] = [];
    let won: Succeeded | null = null;
    if (isFinal(transaction.status)) await confirmDecision(db, transaction, cause);
    else {
      const notified = await takeNotifications(db, transaction, receiptsOf(reports));
      reports.unshift(...notified.reports);
      won = successAmong(transaction, reports, notified.items);
      const ending =
        endingOfReports(won, reports) ??
        (await endingOfCause(db, transaction, cause)) ??
        (await endingOfDecision(db, transaction));
      if (ending?.outcome === 'succeeded')
        ending.item = itemOf(transaction, ending, notified.items)?.id ?? null;
      if (ending) {
        transaction = await end(db, transaction, ending, notified.returns);
        late.push(...notified.unconfirmed);
      }
    }
    // One success ends a transaction. Any other is another movement, or came after the end: never dropped.
    for (const report of reports) if (report.kind === 'succeeded' && report !== won) late.push(report);
    for (const success of late) await takeLateSuccess(db, transaction, success);
    const settled = await stateOf(db, transactionId);
    await last(db, settled);
    return settled;
  });
}

/**
 * Settles an explicit answer where it is reported: the workflow may not wait for it any more, and Postgres does not take
 * Temporal's word for it. What no retry can mend calls a person and is left to the workflow, which enquires; thrown here,
 * it would only be reported again.
 */
export async function settleReported(
  database: Database,
  transactionId: string,
  result: Succeeded | Failed,
): Promise<void> {
  await settle(database, transactionId, { kind: 'answer', result }).catch(async (error) => {
    if (isSchemaBehind(error)) await raiseSchemaBehind(database, error).catch(() => {});
    if (!isPermanent(error)) throw error;
    const detail = `A ${result.kind === 'failed' ? 'failure' : 'success'} could not be settled: ${describeError(error).message}`;
    await raiseAttention(database, { transactionId, reason: 'broken', detail });
  });
}

type Notified = {
  reports: (Succeeded | Failed)[];
  /** of more than a proof alone may move: its channel was asked, and its answer comes first */
  unconfirmed: Succeeded[];
  /** what the channel gave back; it stays unread until the transaction has ended */
  returns: WaitingReturn[];
  /** what statements showed of it first */
  items: ItemOfLine[];
};

/** Money of a statement's line in suspense, by its receipt, or as this transaction's. `amount`: below zero where it left. */
type ItemOfLine = {
  id: string;
  names: (string | null)[];
  transactionId: string | null;
  amount: number;
  currency: string;
  isOpen: boolean;
};

const receiptsOf = (reports: readonly (Succeeded | Failed)[]) =>
  reports.flatMap(({ channelReference }) => channelReference ?? []);

/** The reports of stored notifications, in the order in which they came; from now on they are read. */
async function takeNotifications(
  db: Queryable,
  transaction: Transaction,
  receipts: readonly string[],
): Promise<Notified> {
  // A bill is paid through its own door, however its payment is announced elsewhere.
  if (isBilled(transaction)) return { reports: [], unconfirmed: [], returns: [], items: [] };
  const { rows } = await db.query(
    prepared(`WITH taken AS (
       UPDATE notifications SET state = 'applied' WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' IN ('succeeded', 'failed')
       RETURNING id, content)
     SELECT id, content, 'report' AS part FROM taken
     UNION ALL
     SELECT id, content, 'unconfirmed' FROM notifications WHERE transaction_id = $1 AND state = 'ignored' AND content->>'kind' = 'succeeded'
     UNION ALL
     SELECT id, content, 'return' FROM notifications WHERE transaction_id = $1 AND state = 'unapplied' AND content->>'kind' = 'returned'
     UNION ALL
     SELECT NULL, jsonb_build_object('id', i.id, 'names', ARRAY[i.receipt, i.known_as], 'transactionId', i.transaction_id, 'amount', i.amount,
       'currency', i.currency, 'isOpen', i.is_open), 'item'
     FROM (SELECT receipt_space($2) AS space, $3::text[] || ARRAY(SELECT content->>'channelReference' FROM taken) AS receipts) its
     JOIN suspense_items i ON i.receipt = ANY(its.receipts) AND i.space = its.space OR i.known_as = ANY(its.receipts) AND i.space = its.space OR i.transaction_id = $1
     WHERE EXISTS (SELECT FROM entries e JOIN movements m ON m.id = e.movement_id
       WHERE e.transfer_id = i.transfer_id AND (m.account IS NOT NULL OR e.takes_back))
     ORDER BY id`),
    [transaction.id, transaction.connection, receipts],
  );
  const those = (part: string) => rows.filter((row) => row.part === part);
  const contents = (part: string) => those(part).map((row) => row.content);
  const returns = those('return') as WaitingReturn[];
  const reports = contents('report') as (Succeeded | Failed)[];
  return {
    reports: [...reports, ...returns.flatMap(({ content }) => failureIn(content))],
    unconfirmed: contents('unconfirmed') as Succeeded[],
    returns,
    items: contents('item') as unknown as ItemOfLine[],
  };
}

/** What a return says of a transaction that nothing else calls a success. */
function failureIn({ orFailed, channelReference }: ReturnContent): Failed[] {
  return orFailed === undefined ? [] : [{ kind: 'failed', code: orFailed, channelReference }];
}

/**
 * The success that ends a pending transaction, whichever way it was reported. None whose money a statement showed first and
 * people have given away since, or that it showed as another amount: it would count twice, so they decide.
 */
function successAmong(
  transaction: Transaction,
  reports: (Succeeded | Failed)[],
  items: readonly ItemOfLine[],
): Succeeded | null {
  for (const report of reports) {
    if (report.kind !== 'succeeded' || !isOurs(transaction, report)) continue;
    const { channelReference: receipt } = report;
    const isCounted = receipt !== null && items.some(({ names }) => names.includes(receipt));
    if (!isCounted || itemOf(transaction, report, items) !== undefined) return report;
  }
  return null;
}

/** The open item that is the money of this success: under its receipt, or as this transaction's where none was named. */
function itemOf(
  transaction: Transaction,
  { channelReference: receipt }: Pick<Succeeded, 'channelReference'>,
  items: readonly ItemOfLine[],
): ItemOfLine | undefined {
  const { amount, currency, id } = transaction;
  const { direction } = kindOf(transaction);
  const signed = direction === 'collection' ? amount : -amount;
  return items.find(
    (item) =>
      item.isOpen &&
      isMerchants(transaction) &&
      item.amount === signed &&
      item.currency === currency &&
      (receipt === null ? item.transactionId === id : item.names.includes(receipt)) &&
      (item.transactionId === null || item.transactionId === id),
  );
}

/** A success that is ours beats every failure. */
function endingOfReports(won: Succeeded | null, reports: (Succeeded | Failed)[]): Ending | null {
  if (won) return { ...won, outcome: 'succeeded' };
  const failure = reports.find((report) => report.kind === 'failed');
  return failure ? { ...failure, outcome: 'failed' } : null;
}

async function endingOfCause(db: Queryable, transaction: Transaction, cause: Cause): Promise<Ending | null> {
  switch (cause.kind) {
    case 'notifications':
    case 'answer':
    case 'unanswered':
      return null;
    case 'cancel':
      // A row that is missing may be lost: while the fence is closed nothing is cancelled.
      if ((await fenceOf(db)) !== null) return null;
      return (await mayCancel(db, transaction)) ? { outcome: 'cancelled' } : null;
    case 'cancelled_before':
      // A primary that is lost may have cancelled what this one knows to have left: its own rows count.
      return (await mayCancel(db, transaction)) ? { outcome: 'cancelled' } : null;
    case 'expired':
      await requireOpenFence(db);
      return isBilled(transaction) ? endingOfExpiry(db, transaction) : null;
    case 'unsent':
      await requireOpenFence(db);
      return (await neverSent(db, transaction)) ? failUnlessShown(db, transaction, false) : null;
    case 'never_arrived':
      await requireOpenFence(db);
      // A decision of two people outranks an absence.
      if (await isDecided(db, transaction.id)) return null;
      // Asked again under the lock: a word of the channel may have come in since its last "not found".
      return failUnlessShown(db, transaction, await hasArrived(db, transaction.id));
  }
}

/** Its time is over. What a statement shows of it waits for its notification, and then for the people who decide about its item. */
async function endingOfExpiry(db: Queryable, { id, bill }: BilledTransaction): Promise<Ending | null> {
  const { isOver, shown } = await expiryOf(db, id);
  if (!isOver) return null;
  if (shown === null) return failedOf(bill.payments > 0 ? 'expired_partially_paid' : 'expired');
  await keepWaiting(db, id);
  if (isLine(shown)) return null;
  const detail = `Its time is over, and the statement shows a payment of it (${shown}): it stays open until that item has left suspense`;
  await raiseAttention(db, { transactionId: id, reason: 'unexpected_payment', detail, thing: shown });
  return null;
}

/** Nothing left us, or nothing was found. A statement that shows its money says more: then people decide. */
async function failUnlessShown(
  db: Queryable,
  { id: transactionId }: Transaction,
  hasArrived: boolean,
): Promise<Ending | null> {
  const shown = await shownBy(db, transactionId);
  if (shown === null) return hasArrived ? null : failedOf('network_unavailable');
  const detail = `Its channel does not know it, and the statement shows that it moved (${shown})`;
  await raiseAttention(db, { transactionId, reason: 'unknown_outcome', detail });
  return null;
}

/** What operators decided, where neither the channel nor anything else ends it. Postgres says so, not the caller. */
async function endingOfDecision(db: Queryable, transaction: Transaction): Promise<Ending | null> {
  // Our own rows say what customers paid on a bill, so operators cannot decide it.
  if (isBilled(transaction)) return null;
  const decided = await takeDecision(db, transaction.id);
  if (decided === null) return null;
  // A restore may have lost a notification that outweighs the decision.
  await requireOpenFence(db);
  return decided === 'failed'
    ? failedOf('network_error')
    : { outcome: 'succeeded', fullName: null, channelReference: null, isDecided: true };
}

/**
 * What the channel says, in the end, about a transaction that people decided without it. (A success is looked at with
 * every other late one.)
 */
async function confirmDecision(db: Queryable, transaction: Transaction, cause: Cause): Promise<void> {
  if (!(await isUnconfirmed(db, transaction.id))) return;
  if (cause.kind === 'unanswered') return noteAnswer(db, transaction.id, 'none');
  if (cause.kind === 'answer' && cause.result.kind === 'failed')
    await takeLateFailure(db, transaction, cause.result.code);
  if (cause.kind === 'never_arrived') {
    await requireOpenFence(db);
    if (!(await hasArrived(db, transaction.id)))
      await takeLateFailure(db, transaction, 'network_unavailable');
  }
}

function failedOf(code: FailureCode): Ending {
  return { outcome: 'failed', code, channelReference: null };
}

function mayCancel(db: Queryable, transaction: Transaction): Promise<boolean> {
  return isBilled(transaction) ? isUntouched(db, transaction.id) : neverSent(db, transaction);
}

/**
 * No send is recorded, or nothing of any left us. "Not found" does not prove that. Decided under the row lock that
 * `recordSend` takes too.
 */
async function neverSent(db: Queryable, transaction: Transaction): Promise<boolean> {
  const { left, restored } = await sendHistory(db, transaction.id);
  return left === 0 && !restored;
}

async function stateOf(db: Queryable, transactionId: string): Promise<Settled<AttentionReason>> {
  const { rows } = await db.query(
    prepared(`SELECT t.status, t.failure_code, t.amount, t.currency, t.pays, b.paid,
       (SELECT coalesce(array_agg(a.reason ORDER BY a.id), '{}') FROM attention a
        WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS reasons,
       EXISTS (SELECT 1 FROM decisions d
               WHERE d.transaction_id = t.id AND d.applied_at IS NOT NULL AND d.answer IS NULL) AS unconfirmed,
       (SELECT coalesce(array_agg(e.id ORDER BY e.sequence), '{}') FROM callback_events e
        WHERE e.transaction_id = t.id AND e.state = 'pending') AS events
     FROM transactions t LEFT JOIN bills b ON b.transaction_id = t.id WHERE t.id = $1 /* never null: reasons, events */`),
    [transactionId],
  );
  const { events, unconfirmed, amount, paid, pays, currency, ...row } = only(rows);
  const status = row.status as Settled<AttentionReason>['status'];
  const reasons = row.reasons as AttentionReason[];
  const failureCode = row.failure_code as FailureCode | null;
  const money = (value: number) => `${formatMoney(minor(value))} ${currency}`;
  return {
    status,
    events,
    unconfirmed,
    // Absent members take no room in a history.
    ...(pays === null ? {} : { pays }),
    ...(failureCode === null ? {} : { failureCode }),
    ...(reasons.length === 0 ? {} : { needs: reasons }),
    ...(paid !== null && paid > 0 && paid < amount
      ? { paidInPart: { paid: money(paid), missing: money(amount - paid) } }
      : {}),
  };
}

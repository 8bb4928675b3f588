import { BrokenInvariant, InsufficientFunds } from '../domain/errors.ts';
import { type FeeSchedule, feeFor } from '../domain/fees.ts';
import { channelReferenceOf } from '../domain/ids.ts';
import { type Message, say } from '../domain/messages.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import type { Limits } from '../domain/network.ts';
import type { Accepted, SettlementRequest, Submission } from '../domain/operation.ts';
import { feesOfParts, mostWithin, PARTS_MAX, partsOf } from '../domain/settle-parts.ts';
import { type ChannelTiming, type FlowTiming, flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { balanceOf } from '../ledger/accounts.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { isDaily } from '../transactions/acceptance/accept-guard.ts';
import { holdOf, setSavepoint } from '../transactions/acceptance/accept-held.ts';
import {
  notSettleableAnswer,
  settlementAnswer,
  settlementBalanceAnswer,
} from '../transactions/acceptance/answers.ts';
import { settlementPartIdOf } from '../transactions/acceptance/idempotency.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import {
  answerOfWinner,
  columnsOfParty,
  insertTransaction,
  type Moment,
  notStored,
  type PendingRow,
  pendingRowOf,
  refuse,
  storeAccepted,
  storedFor,
} from '../transactions/acceptance/submissions.ts';
import { raiseAttention, resolveThing } from '../transactions/care/attention.ts';
import { type SettlementRule, settlementRuleOf } from './settlement-rules.ts';

/** Another payout may take from the balance while this one looks at it. */
const ATTEMPTS_MAX = 5;

type OwnSubmission = Submission<SettlementRequest>;
/** What carries payouts to the account of a rule. */
export type SettlementRoute = ChannelTiming & { connection: string; limits: Limits };

/** What is asked for by a rule, over what carries payouts to its account. */
export function plannedSettlement(
  rule: SettlementRule,
  asked: { route: SettlementRoute; amount: Minor | null; day: string | null; speed: GatewayTiming },
): { request: SettlementRequest; timing: FlowTiming } {
  const { route, amount, day, speed } = asked;
  const { version, currency, to } = rule;
  const { connection, limits } = route;
  return {
    request: {
      ...{ mode: 'settlement', currency, amount, day, connection, rule: version, ...to },
      ...{ partMin: limits.minimum, partMax: limits.maximum },
    } as SettlementRequest,
    timing: flowTiming('settlement', route, speed),
  };
}

/** Why the rule settles nothing now; null where it does. */
export function waitsOf(rule: SettlementRule | null): Message | null {
  if (!rule) return say('settlement_no_rule');
  return rule.waits ? say('settlement_waits', { time: rule.paysFrom }) : null;
}

/**
 * All parts of a settlement with their holds, or none: a crash leaves no half of it, and what its rule keeps in the balance
 * stays there whatever is paid out meanwhile. The first part is the transaction of the submission; those of the others begin
 * after the commit, and the sweep begins what has not.
 */
async function acceptSettlement(
  db: Queryable,
  submission: OwnSubmission,
  { fees }: Moment,
): Promise<Accepted> {
  const { request, accountId } = submission;
  const rule = await settlementRuleOf(db, accountId);
  const waits = waitsOf(rule);
  if (!rule || waits) return notSettled(submission, waits ?? say('settlement_no_rule'));
  if (rule.version !== request.rule) return notSettled(submission, say('settlement_rule_changed'));
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    await setSavepoint(db);
    const { current } = await balanceOf(db, accountId, request.currency);
    const amount = amountOf(request, { rule, current, fees });
    // Nothing may be left because the same submission, at the same moment, has settled it.
    if (typeof amount !== 'number')
      return (await storedFor(db, submission)) ?? notSettled(submission, amount);
    const parts = partsOf(amount, request);
    const fee = feesOfParts(parts, fees);
    if (amount + fee > current - rule.keep)
      return refuse(
        db,
        submission,
        settlementBalanceAnswer(submission, { available: current, rule, amount, fee }),
      );
    const rows = rowsOf(submission, parts, fees);
    const [first] = rows;
    if (!first || !(await insertTransaction(db, first))) return answerOfWinner(db, submission);
    if (await holdAll(db, rows, rule.keep)) {
      const balance = await balanceOf(db, accountId, request.currency);
      return storeAccepted(
        db,
        first,
        settlementAnswer(submission, { amount, payouts: idsOf(rows), ...balance }),
      );
    }
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
  }
  throw new Error('the balance changes faster than it can be settled');
}

export const UNPROVEN = 'no process of ours wrote its rule, or the key is gone: set it again';

/** A person is told that the settlement of a day was refused, and why; and no more of it once it is made. */
async function noteDay(db: Queryable, submission: Submission, { answer, mine }: Accepted): Promise<void> {
  const { request, accountId, submissionId } = submission;
  if (!isDaily(request)) return;
  const { day } = request;
  if (mine) await resolveThing(db, { ...dayOfAccount({ accountId, day }), reason: 'settlement_failed' });
  else if (answer.submissionId === submissionId)
    await raiseUnsettled(db, { accountId, day, why: JSON.parse(answer.body).message });
}

const dayOfAccount = ({ accountId, day }: { accountId: string; day: string }) => ({
  subject: subjectOfSettlement(accountId),
  thing: day,
});

/** The subject of the entries about the days of an account. */
export const subjectOfSettlement = (accountId: string) => `settlement of ${accountId}`;

export function raiseUnsettled(
  db: Queryable,
  { accountId, day, why }: { accountId: string; day: string; why: string },
): Promise<void> {
  const detail = `the settlement of ${day} was not made: ${why}. It is tried again each hour of that day`;
  return raiseAttention(db, { ...dayOfAccount({ accountId, day }), reason: 'settlement_failed', detail });
}

/** In minor units; or why there is nothing to settle. */
export function amountOf(
  { amount, partMin, partMax }: SettlementRequest,
  { rule, current, fees }: { rule: SettlementRule; current: Minor; fees: FeeSchedule },
): Minor | Message {
  const { keep } = rule;
  const smallest = minor(Math.max(rule.smallest, partMin));
  const cap = minor(Math.min(rule.cap, partMax * PARTS_MAX));
  const bounds = { smallest: formatMoney(smallest), cap: formatMoney(cap) };
  if (amount !== null) {
    const isCarried = partsOf(amount, { partMin, partMax }).every((part) => part >= partMin);
    return isCarried && amount >= smallest && amount <= cap ? amount : say('settlement_bounds', bounds);
  }
  const most = mostWithin({ spare: current - keep, cap, partMin, partMax }, fees);
  if (most >= smallest) return most;
  const [available, kept] = [formatMoney(current), formatMoney(keep)];
  return say('settlement_too_small', { available, keep: kept, smallest: bounds.smallest });
}

/** The ids of its payouts but the first, as its answer says. */
export function partsAfterFirst({ answer }: Pick<Accepted, 'answer'>): string[] {
  return JSON.parse(answer.body).settlement.payouts.slice(1);
}

/** The rows of all parts, the first under the id of the submission. */
function rowsOf(submission: OwnSubmission, parts: readonly Minor[], fees: FeeSchedule): PendingRow[] {
  const { request } = submission;
  return parts.map((amount, index) => {
    const transactionId = settlementPartIdOf(submission.transactionId, index);
    const reference = channelReferenceOf('payout', transactionId);
    const party = columnsOfParty(request, null);
    const fee = feeFor('settlement', amount, fees);
    return pendingRowOf({ ...submission, transactionId }, { amount, reference, ...party, ...fee });
  });
}

export const idsOf = (rows: readonly PendingRow[]) => rows.map(({ submission }) => submission.transactionId);

/** The first row is there. False where the balance moved meanwhile: less than `keep` would stay. */
async function holdAll(db: Queryable, rows: readonly PendingRow[], keep: Minor): Promise<boolean> {
  for (const row of rows.slice(1))
    if (!(await insertTransaction(db, row)))
      throw new BrokenInvariant(
        `the part ${row.submission.transactionId} of a settlement is there before it`,
      );
  try {
    for (const row of rows) await holdOf(db, row);
  } catch (error) {
    if (error instanceof InsufficientFunds) return false;
    throw error;
  }
  const [first] = rows as [PendingRow];
  const { accountId, request } = first.submission;
  // Our holds lock the balance: what is read now stays.
  return (await balanceOf(db, accountId, request.currency)).current >= keep;
}

function notSettled(submission: OwnSubmission, why: Message): Accepted {
  return notStored(submission, notSettleableAnswer(submission, why));
}

/** All its parts, which were accepted with it. */
const restoreSettlement: Origins['settlement']['restore'] = async (db, submission, { parts, fees }) => {
  for (const row of rowsOf(submission, parts, fees)) {
    if (!(await insertTransaction(db, row))) return false;
    await holdOf(db, row);
  }
  return true;
};

export const settlementOrigin: Origins['settlement'] = {
  accept: acceptSettlement,
  restore: restoreSettlement,
  note: noteDay,
};

import type { FeeSchedule } from '../domain/fees.ts';
import { inEnglish, type Message, say } from '../domain/messages.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import type { Limits } from '../domain/network.ts';
import type { SettlementRequest, Submission } from '../domain/operation.ts';
import { feesOfParts, mostWithin, PARTS_MAX, partsOf } from '../domain/settle-parts.ts';
import { type ChannelTiming, type FlowTiming, flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { balanceOf } from '../ledger/accounts.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { isDaily } from '../transactions/acceptance/accept-guard.ts';
import { settlementAnswer } from '../transactions/acceptance/answers.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import { notSettleable, settlementLeavesTooLittle } from '../transactions/acceptance/refusals.ts';
import { type Moment, rowsOfSettlement } from '../transactions/acceptance/submissions.ts';
import type { Refused, Verdict } from '../transactions/acceptance/verdict.ts';
import { raiseAttention, resolveThing } from '../transactions/care/attention.ts';
import { type SettlementRule, settlementRuleOf } from './settlement-rules.ts';

type OwnSubmission = Submission<SettlementRequest>;
export type SettlementRoute = ChannelTiming & { connection: string; limits: Limits };

/** Makes the request of a rule, over the route to its account. Amounts are minor units. */
export function plannedSettlement(
  rule: SettlementRule,
  asked: { route: SettlementRoute; amount: Minor | null; day: string | null; speed: GatewayTiming },
): { request: SettlementRequest; timing: FlowTiming } {
  const { route, amount, day, speed } = asked;
  const { version, currency, to } = rule;
  const { connection, limits } = route;
  return {
    request: {
      mode: 'settlement',
      currency,
      amount,
      day,
      connection,
      rule: version,
      ...to,
      partMin: limits.minimum,
      partMax: limits.maximum,
    } as SettlementRequest,
    timing: flowTiming('settlement', route, speed),
  };
}

/** Returns why the rule settles nothing now, or null. */
export function waitsOf(rule: SettlementRule | null): Message | null {
  if (!rule) return say('settlement_no_rule');
  return rule.waits ? say('settlement_waits', { time: rule.paysFrom }) : null;
}

/**
 * Accepts all parts of a settlement with their holds, or none. What the rule keeps stays in the balance, even
 * if other payouts are accepted meanwhile. The first part is the submission's transaction; the others begin
 * after the commit, or by the sweep.
 */
async function acceptSettlement(
  db: Queryable,
  submission: OwnSubmission,
  { fees }: Moment,
): Promise<Verdict> {
  const { request, accountId } = submission;
  const rule = await settlementRuleOf(db, accountId);
  const waits = waitsOf(rule);
  if (!rule || waits) return notSettleable(waits ?? say('settlement_no_rule'));
  if (rule.version !== request.rule) return notSettleable(say('settlement_rule_changed'));
  const { keep } = rule;
  const { current: available } = await balanceOf(db, accountId, request.currency);
  const amount = amountOf(request, { rule, current: available, fees });
  if (typeof amount !== 'number') return notSettleable(amount);
  const parts = partsOf(amount, request);
  const fee = feesOfParts(parts, fees);
  if (amount + fee > available - keep) return settlementLeavesTooLittle({ available, keep, amount, fee });
  const rows = rowsOfSettlement(submission, parts, fees);
  const payouts = rows.map((row) => row.submission.transactionId);
  return {
    rows,
    keep,
    answer: async (after) => settlementAnswer(submission, { amount, payouts, ...(await after()) }),
  };
}

export const UNPROVEN = 'no process of ours wrote its rule, or the key is gone: set it again';

/** Notifies a person that a day's settlement was refused, and why; closes the entry once one is made. */
async function noteDay(db: Queryable, submission: Submission, refused: Refused | null): Promise<void> {
  const { request, accountId } = submission;
  if (!isDaily(request)) return;
  const { day } = request;
  if (refused) await raiseUnsettled(db, { accountId, day, why: inEnglish(refused.say) });
  else await resolveThing(db, { ...dayOfAccount({ accountId, day }), reason: 'settlement_failed' });
}

const dayOfAccount = ({ accountId, day }: { accountId: string; day: string }) => ({
  subject: subjectOfSettlement(accountId),
  thing: day,
});

export const subjectOfSettlement = (accountId: string) => `settlement of ${accountId}`;

export function raiseUnsettled(
  db: Queryable,
  { accountId, day, why }: { accountId: string; day: string; why: string },
): Promise<void> {
  const detail = `the settlement of ${day} was not made: ${why}. It is tried again each hour of that day`;
  return raiseAttention(db, { ...dayOfAccount({ accountId, day }), reason: 'settlement_failed', detail });
}

/** Returns minor units, or why there is nothing to settle. */
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

export const settlementOrigin: Origins['settlement'] = { accept: acceptSettlement, note: noteDay };

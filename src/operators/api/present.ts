import type { KeySummary } from '../../accounts/keys.ts';
import type { Account } from '../../accounts/store.ts';
import { jsonText } from '../../base/json-text.ts';
import type { LoggedCallback } from '../../callbacks/list.ts';
import type { Closure } from '../../channels/traffic/closures.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import type { ChannelState, Service } from '../../domain/channel-health.ts';
import { forEachLimit, type Limits } from '../../domain/limits.ts';
import { CURRENCY, formatMoney } from '../../domain/money.ts';
import type { StatementBounds, StatementLine } from '../../domain/statement.ts';
import type { Balance } from '../../ledger/accounts.ts';
import { meanings, type ServiceBalance } from '../../ledger/balances.ts';
import type { SuspenseItem } from '../../ledger/suspense.ts';
import type { Listed, Page } from '../../platform/db/listing.ts';
import type { Head, SettlementRule } from '../../settlements/settlement-rules.ts';
import type { Proposal } from '../actions/proposals.ts';
import { accountNamed, dayNamesOf } from '../actions/settlement-action.ts';
import type { ListedLine } from '../people/audit-list.ts';
import type { OperatorSummary } from '../people/operators.ts';
import { presented } from './presented.ts';
import * as schemas from './schemas.ts';

/** Rows reach the operator API's JSON only through these presenters. */
export function presentPage<Item, Shown>(
  { items, total }: Listed<Item>,
  { page, perPage }: Page,
  present: (item: Item) => Shown,
) {
  return {
    data: items.map(present),
    pagination: {
      current_page: page,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      per_page: perPage,
      total_items: total,
    },
  };
}

export const presentAccount = (account: Account) => presented(schemas.account, account);

export function presentAccountAnswer(
  account: Account,
  { balance, needsAnother, head, showsPeople }: AboutAccount,
): JsonOf<typeof schemas.accountAnswer> {
  const { current, reserved } = balance;
  return {
    account: presentAccount(account),
    balance: { currency: CURRENCY, available: formatMoney(current), held: formatMoney(reserved) },
    batches_need_another: needsAnother,
    settlement: head && presentSettlement(head, showsPeople),
  };
}

type AboutAccount = { balance: Balance; needsAnother: boolean; head: Head | null; showsPeople: boolean };

function presentSettlement({ version, rule: found }: Head, showsPeople: boolean) {
  const rule = found && presentRule(found, showsPeople);
  return { set_by: version, rule, says: settlementSentence(rule, version) };
}

function settlementSentence(rule: JsonOf<typeof schemas.settlementRule> | null, setBy: string): string {
  if (rule === null) return `The rule of ${setBy} is not proven, so it pays nothing: propose it again`;
  const { own_account, days, keep, smallest, cap, pays_from, waits } = rule;
  const when = days.length === 0 ? 'when the merchant asks' : `on ${days.join(', ')}`;
  const since = waits ? `, from ${pays_from} on` : '';
  return (
    `To ${own_account} ${when}${since}: ` +
    `keeps ${keep}, pays ${smallest} to ${cap} ${CURRENCY} each time (${setBy})`
  );
}

function presentRule({ to, days, keep, smallest, cap, ...rule }: SettlementRule, showsPeople: boolean) {
  return presented(schemas.settlementRule, {
    ...rule,
    ownAccount: accountNamed(to, { showsPeople }),
    days: dayNamesOf(days),
    keep: formatMoney(keep),
    smallest: formatMoney(smallest),
    cap: formatMoney(cap),
  });
}

export function presentKey(key: KeySummary) {
  const held = key.frozenAt === null ? 'in_use' : 'frozen';
  return presented(schemas.key, { ...key, state: key.revokedAt === null ? held : 'revoked' });
}

export function presentAuditLine(line: ListedLine): JsonOf<typeof schemas.auditLine> {
  const { id, at, actor, address, request_id, action, subject, detail } = line;
  return { id, at, actor, address, request_id, action, subject, detail: jsonText(JSON.stringify(detail)) };
}

export function presentLimits(limits: Limits): JsonOf<typeof schemas.limitsAnswer> {
  return { currency: CURRENCY, limits: forEachLimit((name) => limits[name]) };
}

export function presentChannel({
  channel,
  service,
  state,
  closure,
}: {
  channel: string;
  service: Service;
  state: ChannelState;
  closure: Closure | undefined;
}): JsonOf<typeof schemas.channel> {
  const closed = closure
    ? {
        by: closure.closedBy,
        reason: closure.reason,
        at: closure.closedAt,
        everywhere: closure.channel === null,
      }
    : null;
  // The state may be two seconds old, so a closure wins.
  return { channel, service, state: closed ? 'down' : state, closed };
}

export function presentOperator({ tokens, sessions, ...operator }: OperatorSummary) {
  return presented(schemas.operator, {
    ...operator,
    tokens: tokens.map((token) => presented(schemas.token, token)),
    sessions: sessions.map((session) => presented(schemas.session, session)),
  });
}

export const presentProposal = (proposal: Proposal) =>
  presented(schemas.proposal, { ...proposal, payload: jsonText(proposal.payload) });

export function presentSuspenseItem({ amount, release, paybacks, ...item }: SuspenseItem) {
  return presented(schemas.suspenseItem, {
    ...item,
    amount: formatMoney(amount),
    amountMinor: amount,
    release: release && presented(schemas.release, release),
    paybacks: paybacks.map((payback) => presented(schemas.payback, payback)),
  });
}

export const presentServiceBalance = (balance: ServiceBalance) =>
  presented(schemas.serviceBalance, {
    ...balance,
    amount: formatMoney(balance.amount),
    meaning: meanings[balance.kind],
  });

export function presentLoggedCallback({ attempts, ...callback }: LoggedCallback) {
  const last = attempts.at(-1);
  return presented(schemas.loggedCallback, {
    ...callback,
    attempts: last?.number ?? 0,
    lastAt: last?.sentAt ?? null,
    lastAnswer: last ? answerOf(last) : null,
  });
}

export function answerOf({ httpStatus, error }: { httpStatus: number | null; error: string | null }): string {
  return httpStatus === null ? (error ?? 'no answer yet') : `HTTP ${httpStatus}`;
}

export function presentStatement(
  statement: StatementBounds & { lines: readonly StatementLine[] },
  { from, to, ...page }: Page & { from: string; to: string },
): JsonOf<typeof schemas.statementAnswer> {
  const { lines: items, lastLine, lineBefore } = statement;
  return {
    currency: CURRENCY,
    from,
    to,
    opening_balance: formatMoney(statement.opening),
    closing_balance: formatMoney(statement.closing),
    final: statement.final,
    ...presentPage(
      { items: [...items], total: lastLine - lineBefore, totalIsMinimum: false },
      page,
      presentLine,
    ),
  };
}

const presentLine = ({ amount, balance, ...line }: StatementLine) =>
  presented(schemas.statementLine, {
    ...line,
    amount: formatMoney(amount),
    balance: formatMoney(balance),
  });

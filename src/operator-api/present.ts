import type { KeySummary } from '../accounts/keys.ts';
import type { Account } from '../accounts/store.ts';
import { jsonText } from '../base/json-text.ts';
import type { LoggedCallback } from '../callbacks/list.ts';
import type { JsonOf } from '../contract/json-of.ts';
import type { Listed, Page } from '../db/listing.ts';
import type { ChannelState, Service } from '../domain/channel-health.ts';
import { forEachLimit, type Limits } from '../domain/limits.ts';
import { CURRENCY, formatMoney } from '../domain/money.ts';
import type { StatementBounds, StatementLine } from '../domain/statement.ts';
import type { Balance } from '../ledger/accounts.ts';
import { meanings, type ServiceBalance } from '../ledger/balances.ts';
import type { SuspenseItem } from '../ledger/suspense.ts';
import type { ListedLine } from '../operators/people/audit-list.ts';
import type { OperatorSummary } from '../operators/people/operators.ts';
import type { Proposal } from '../operators/proposals/proposals.ts';
import { accountNamed, dayNamesOf } from '../operators/proposals/settlement-action.ts';
import type { Closure } from '../traffic/closures.ts';
import type { Head, SettlementRule } from '../transactions/rows/settlement-rules.ts';
import type * as schemas from './schemas.ts';

/** The one presenter of the operator API: no row of the database reaches JSON in any other way. */
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

export function presentAccount({ id, name, createdAt, frozenAt }: Account): JsonOf<typeof schemas.account> {
  return { id, name, created_at: createdAt, frozen_at: frozenAt };
}

export function presentAccountAnswer(
  account: Account,
  { balance, needsAnother, head, showsPeople }: AboutAccount,
): JsonOf<typeof schemas.accountAnswer> {
  const { current, reserved } = balance;
  return {
    account: presentAccount(account),
    balance: { currency: CURRENCY, available: formatMoney(current), held: formatMoney(reserved) },
    batches_need_another: needsAnother,
    settlement: head && { set_by: head.version, rule: head.rule && presentRule(head.rule, showsPeople) },
  };
}

type AboutAccount = { balance: Balance; needsAnother: boolean; head: Head | null; showsPeople: boolean };

function presentRule(
  { to, days, keep, smallest, cap, paysFrom, waits }: SettlementRule,
  showsPeople: boolean,
) {
  return {
    own_account: accountNamed(to, { showsPeople }),
    days: dayNamesOf(days),
    keep: formatMoney(keep),
    smallest: formatMoney(smallest),
    cap: formatMoney(cap),
    pays_from: paysFrom,
    waits,
  };
}

export function presentKey(key: KeySummary): JsonOf<typeof schemas.key> {
  return {
    id: key.id,
    account_id: key.accountId,
    label: key.label,
    holder: key.holder,
    scopes: key.scopes,
    allowed_ips: key.allowedIps,
    live_secrets: key.liveSecrets,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    frozen_at: key.frozenAt,
    last_used_at: key.lastUsedAt,
    callback_url: key.callbackUrl,
    callback_disabled_reason: key.callbackDisabledReason,
  };
}

export function presentAuditLine(line: ListedLine): JsonOf<typeof schemas.auditLine> {
  const { id, at, actor, address, request_id, action, subject, detail } = line;
  return { id, at, actor, address, request_id, action, subject, detail: jsonText(JSON.stringify(detail)) };
}

export function presentLimits(limits: Limits): JsonOf<typeof schemas.limitsAnswer> {
  return { limits: forEachLimit((name) => limits[name]) };
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
  // Closed a moment ago: what the gate remembers of it may be two seconds old.
  return { channel, service, state: closed ? 'down' : state, closed };
}

export function presentOperator(operator: OperatorSummary): JsonOf<typeof schemas.operator> {
  return {
    name: operator.name,
    email: operator.email,
    roles: operator.roles,
    created_at: operator.createdAt,
    disabled_at: operator.disabledAt,
    tokens: operator.tokens.map((token) => ({
      id: token.id,
      issued_by: token.issuedBy,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
    })),
    sessions: operator.sessions.map((session) => ({
      id: session.id,
      token_id: session.tokenId,
      address: session.address,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
    })),
  };
}

export function presentProposal(proposal: Proposal): JsonOf<typeof schemas.proposal> {
  return {
    id: proposal.id,
    action: proposal.action,
    summary: proposal.summary,
    facts: proposal.facts,
    payload: jsonText(proposal.payload),
    payload_hash: proposal.payloadHash,
    reason: proposal.reason,
    state: proposal.state,
    proposed_by: proposal.proposedBy,
    proposed_at: proposal.proposedAt,
    expires_at: proposal.expiresAt,
    decided_by: proposal.decidedBy,
    decided_at: proposal.decidedAt,
    outcome: proposal.outcome,
  };
}

export function presentSuspenseItem(item: SuspenseItem): JsonOf<typeof schemas.suspenseItem> {
  const { release } = item;
  return {
    id: item.id,
    channel: item.channel,
    receipt: item.receipt,
    known_as: item.knownAs,
    transaction_id: item.transactionId,
    account_id: item.accountId,
    amount: formatMoney(item.amount),
    amount_minor: item.amount,
    currency: item.currency,
    detail: item.detail,
    created_at: item.createdAt,
    age_days: item.ageDays,
    release: release && {
      kind: release.kind,
      at: release.at,
      proposal_id: release.proposalId,
      proposed_by: release.proposedBy,
      approved_by: release.approvedBy,
      note: release.note,
    },
    paybacks: item.paybacks.map(({ transactionId, status, failureCode, at }) => ({
      transaction_id: transactionId,
      status,
      failure_code: failureCode,
      at,
    })),
  };
}

export function presentServiceBalance(balance: ServiceBalance): JsonOf<typeof schemas.serviceBalance> {
  const { kind, channel, currency, amount } = balance;
  return { kind, channel, currency, amount: formatMoney(amount), meaning: meanings[kind] };
}

export function presentLoggedCallback(callback: LoggedCallback): JsonOf<typeof schemas.loggedCallback> {
  const last = callback.attempts.at(-1);
  return {
    event_id: callback.eventId,
    event: callback.event,
    transaction_id: callback.transactionId,
    state: callback.state,
    created_at: callback.createdAt,
    next_attempt_at: callback.nextAttemptAt,
    attempts: last?.number ?? 0,
    last_at: last?.sentAt ?? null,
    last_answer: last ? answerOf(last) : null,
  };
}

/** The receiver's answer to an attempt, or why there was none. */
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

function presentLine(line: StatementLine): JsonOf<typeof schemas.statementLine> {
  return {
    line: line.line,
    at: line.at,
    type: line.type,
    transaction_id: line.transactionId,
    reference: line.reference,
    description: line.description,
    amount: formatMoney(line.amount),
    balance: formatMoney(line.balance),
  };
}

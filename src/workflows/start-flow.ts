import { TypedSearchAttributes } from '@temporalio/common';
import { maskNumber } from '../base/redact.ts';
import { workflowIdOf } from '../domain/ids.ts';
import { kinds } from '../domain/kinds.ts';
import { formatMoney, toUnits } from '../domain/money.ts';
import { networkById } from '../domain/network.ts';
import type { FlowInput, MoneyRequest, Signed, SignedSubmission } from '../domain/operation.ts';
import { isBilled, kindOf, type Transaction } from '../domain/transaction.ts';
import type * as workflows from './index.ts';
import { channelResult, searchAttributes, taskQueues } from './messages.ts';

/** The flow first accepts its transaction. The activity that accepts checks the submission's MAC. */
export function startOfSubmission({ transactionId, timing, ...submission }: SignedSubmission) {
  const { request, accountId } = submission;
  const input: FlowInput = {
    transactionId,
    channel: request.channel,
    timing,
    expiresAt: 'expiresAt' in request ? request.expiresAt : null,
    submission,
  };
  return startOf(input, { accountId, status: 'pending', about: request });
}

/** Postgres has the transaction: the flow continues it and accepts nothing. */
export function startOfResumed(transaction: Transaction) {
  const { id, channel, timing, accountId, status } = transaction;
  const expiresAt = isBilled(transaction) ? transaction.bill.expiresAt : null;
  const input: FlowInput = { transactionId: id, channel, timing, expiresAt, submission: null };
  return startOf(input, { accountId, status, about: transaction });
}

/** Starts a payback's first flow: two operators agreed on it, and nothing was sent. */
export function startOfFirst(transaction: Transaction) {
  const { args, ...start } = startOfResumed(transaction);
  return { ...start, args: [{ ...args[0], isFirst: true }] as [FlowInput] };
}

/** Signals a payment to the flow, or starts one. If Postgres loses it, `recover` finds the signal. */
export function startOfPayment(transaction: Transaction, payment: Signed<object>) {
  return {
    ...startOfResumed(transaction),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: channelResult,
    signalArgs: ['stored', payment] as ['stored', Signed<object>],
  } as const;
}

type Workflows = typeof workflows;
type About = MoneyRequest | Transaction;

/** Shared by both starts, so operators find all flows alike. */
function startOf(
  input: FlowInput,
  { accountId, status, about }: { accountId: string | null; status: string; about: About },
) {
  return {
    workflowType: kinds[about.mode].flow satisfies keyof Workflows,
    workflowId: workflowIdOf(input.transactionId),
    taskQueue: taskQueues.money,
    workflowTaskTimeout: '5s',
    // The activities inherit this: pushes go before payouts, and accounts take turns in a backlog.
    priority: {
      priorityKey: kinds[about.mode].urgency,
      ...(accountId === null ? {} : { fairnessKey: accountId }),
    },
    staticSummary: summaryOf(about),
    typedSearchAttributes: new TypedSearchAttributes([
      ...(accountId === null ? [] : [{ key: searchAttributes.accountId, value: accountId }]),
      { key: searchAttributes.status, value: status },
      { key: searchAttributes.channel, value: input.channel },
      ...(about.amount === null ? [] : [{ key: searchAttributes.amount, value: toUnits(about.amount) }]),
    ]),
    args: [{ about: aboutOf(about), ...input }] as [FlowInput],
  } as const;
}

function aboutOf(about: About): NonNullable<FlowInput['about']> {
  return { money: moneyOf(about), party: maskedPartyOf(about) };
}

function moneyOf({ amount, currency }: About): string {
  return amount === null ? 'all that is left' : `${formatMoney(amount)} ${currency}`;
}

/** The mask 0754***149 is enough to recognize a caller, and reveals no number. */
function maskedPartyOf(about: About): string {
  const { masked } = kindOf(about);
  if (masked !== null) return masked;
  if ('accountNumber' in about) return maskNumber(about.accountNumber);
  return 'msisdn' in about && about.msisdn !== null ? maskNumber(about.msisdn) : '';
}

/** A sentence for the Temporal UI, without names or numbers. */
export function summaryOf(about: About): string {
  const facts: Record<string, string> = {
    money: moneyOf(about),
    network: networkById(about.channel)?.name ?? about.channel,
    bic: 'bic' in about ? about.bic : '',
  };
  return kindOf(about).summary.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? '');
}

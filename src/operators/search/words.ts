import type { AttentionReason } from '../../domain/attention.ts';
import { bankByBic } from '../../domain/bank.ts';
import { outstandingOf } from '../../domain/bill.ts';
import { failureReasonOf } from '../../domain/failure.ts';
import { inEnglish } from '../../domain/messages.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { networkNameOf } from '../../domain/network.ts';
import { partyOf } from '../../domain/party.ts';
import { isBilled, type Transaction } from '../../domain/transaction.ts';
import type { OddMoney } from './odd-money.ts';

export type Facts = {
  transaction: Transaction;
  now: Date;
  /** on the attention list now */
  reasons: readonly AttentionReason[];
  /** two operators decided; it may not be applied yet */
  decision: {
    outcome: 'paid' | 'failed';
    proposedBy: string;
    approvedBy: string;
    appliedAt: string | null;
    answer: 'confirmed' | 'contradicted' | 'none' | null;
  } | null;
  /** its suspense items, open or not */
  odd: readonly OddMoney[];
};

export type FactsInWords = ReturnType<typeof wordsOf>;
export type Story = Record<'state' | 'money' | 'next', (words: FactsInWords) => string>;

export function wordsOf({ transaction: t, now, decision, odd }: Facts) {
  const money = (amount: number) => `${formatMoney(minor(amount))} ${t.currency}`;
  const bill = isBilled(t) ? t.bill : null;
  const channel = channelWords(t);
  return {
    channel,
    party: partyWords(t),
    amount: money(t.amount),
    fee: money(t.fee),
    total: money(t.amount + t.fee),
    settled: money(t.settled ?? 0),
    uncredited:
      'Nothing was credited to the merchant' +
      `${odd.some(isMerchants) ? ' except what two operators released' : ''}`,
    refunded:
      'refunded' in t && t.refunded
        ? `; ${money(t.refunded)} of it went back to the payer, or is on its way`
        : '',
    cameBack: odd.some(isBack),
    receipt: t.channelReference === null ? '' : ` (receipt ${t.channelReference})`,
    promptEnd: toSeconds(t.promptExpiresAt),
    waitEnd: toSeconds(t.waitsUntil),
    nextEnquiry: nextEnquiryOf(t, channel, now),
    ended: t.failureCode === null ? t.status : `${t.status} (${t.failureCode})`,
    failure:
      t.failureCode === null ? t.status : `${t.failureCode}, ${inEnglish(failureReasonOf(t.failureCode))}`,
    returned: `it was sent back at ${toSeconds(t.returnedAt)}: ${t.returnReason ?? 'it gave no reason'}`,
    decided:
      decision === null
        ? ''
        : `${decision.proposedBy} and ${decision.approvedBy} decided that it is ${decision.outcome}`,
    answer: decision?.answer ?? null,
    answered: decision?.answer ? answers[decision.answer](channel) : '',
    bill: bill === null ? '' : `control number ${bill.controlNumber}`,
    billEnd: toSeconds(bill?.expiresAt ?? null),
    paid: money(bill?.paid ?? 0),
    outstanding: money(bill === null ? 0 : outstandingOf(bill, t.amount)),
  };
}

const isBack = ({ amount, release }: OddMoney) => amount > 0 && release?.kind !== 'void';
const isMerchants = ({ amount, release }: OddMoney) => amount > 0 && release?.kind === 'suspense_release';

const answers = {
  confirmed: (channel: string) => `, and ${channel} confirmed it`,
  contradicted: (channel: string) => `, and ${channel} contradicted them`,
  none: (channel: string) => `, and ${channel} never answered`,
} as const;

function channelWords(transaction: Transaction): string {
  const party = partyOf(transaction);
  if (party.kind === 'bank') return bankByBic(party.bic)?.name ?? party.bic;
  if (isBilled(transaction) && transaction.bill.payments === 0) return 'The network';
  return networkNameOf(transaction.channel);
}

/** Returns personal data: only for readers who may see it. */
export function partyWords(transaction: Transaction): string {
  const { fullName } = transaction;
  const name = fullName === null ? '' : ` (${fullName})`;
  const party = partyOf(transaction);
  if (party.kind === 'bank') return `account ${party.accountNumber}${name}`;
  return party.msisdn === null ? `the customer${name}` : `${showMsisdn(party.msisdn)}${name}`;
}

/** If `nextEnquiryAt` has passed, the enquiry is running. */
function nextEnquiryOf({ nextEnquiryAt }: Transaction, channel: string, now: Date): string {
  if (nextEnquiryAt === null) return `${channel} is asked if it does not report`;
  if (Date.parse(nextEnquiryAt) <= now.getTime()) return `${channel} is being asked now`;
  return `${channel} is asked again at ${toSeconds(nextEnquiryAt)}`;
}

function toSeconds(timestamp: string | null): string {
  return timestamp === null ? '' : `${timestamp.slice(0, 19)}Z`;
}

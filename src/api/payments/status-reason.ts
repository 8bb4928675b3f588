import type { BilledMode } from '../../domain/kinds.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { railOf } from '../../domain/show.ts';
import { type Situation, type Situations, situationOf } from '../../domain/situation.ts';
import {
  type BilledTransaction,
  type CollectionTransaction,
  isBilled,
  kindOf,
  type MerchantTransaction,
  type PayoutTransaction,
} from '../../domain/transaction.ts';

/** Says why a transaction is pending, or cancelled and what came back; undefined for other states. */
export function statusReasonOf(transaction: MerchantTransaction, now: Date): Message | undefined {
  // A bill stays payable while operators handle its odd money.
  if (transaction.status === 'pending' && transaction.attention && !isBilled(transaction))
    return say('looked_into');
  const { money } = kindOf(transaction);
  // Each table takes the transactions of its kind.
  const told = sentences[money as keyof typeof sentences] as Table<Situation, MerchantTransaction>;
  return told[situationOf({ transaction, now })]?.(transaction, now);
}

type Table<Of extends Situation, T> = { [S in Of]?: (transaction: T, now: Date) => Message };

const credit: Table<Situations['credit'], CollectionTransaction> = {
  not_sent: () => say('push_being_sent'),
  prompted: ({ promptExpiresAt }) => say('waiting_for_pin', { time: toSeconds(promptExpiresAt) }),
  sent: notConfirmed,
  asking: (transaction, now) => (transaction.isUnclear ? unclearPush : notConfirmed)(transaction, now),
  cancelled: () => say('payment_cancelled'),
};

const hold: Table<Situations['hold'], PayoutTransaction> = {
  not_sent: (transaction) => say('waiting_for_hand_over', { channel: say(railOf(transaction)) }),
  waiting: (transaction) =>
    say('waiting_for_channel', {
      channel: say(railOf(transaction)),
      time: toSeconds(transaction.waitsUntil),
    }),
  sent: (transaction) => say('handed_over', { channel: say(railOf(transaction)) }),
  // An unclear send may not have reached the network, so it is not called handed over.
  asking: notConfirmed,
  cancelled: ({ amount, fee }) => say('payout_cancelled', { amount: formatMoney(minor(amount + fee)) }),
};

const waitingFor = ({ controlNumber: number }: BilledTransaction['bill']) =>
  say('waiting_for_bill', { number });
const unpaid: Record<BilledMode, (bill: BilledTransaction['bill']) => Message> = {
  qr: () => say('waiting_for_scan'),
  billpay: waitingFor,
  number: waitingFor,
};

const bills: Table<Situations['credit_each_payment'], BilledTransaction> = {
  unpaid: ({ mode, bill }) => unpaid[mode](bill),
  part_paid: paidInPart,
  closing: (one) => (one.bill.payments > 0 ? paidInPart(one) : say('bill_being_closed')),
  cancelled: () => say('payment_cancelled'),
};

const sentences = { credit, hold, credit_each_payment: bills };

function paidInPart({ amount, bill }: BilledTransaction): Message {
  return say('paid_in_part', { paid: formatMoney(bill.paid), amount: formatMoney(amount) });
}

/** The customer may have the prompt, and may have answered it already. */
function unclearPush(transaction: MerchantTransaction, now: Date): Message {
  const time = nextEnquiryOf(transaction, now);
  return time === null ? say('push_unclear_asked_now') : say('push_unclear_asked_at', { time });
}

function notConfirmed(transaction: MerchantTransaction, now: Date): Message {
  const channel = say(railOf(transaction));
  const time = nextEnquiryOf(transaction, now);
  return time === null
    ? say('not_confirmed_asked_now', { channel })
    : say('not_confirmed_asked_at', { channel, time });
}

/** Null if the time has passed, because an enquiry is then under way. */
function nextEnquiryOf({ nextEnquiryAt: at }: MerchantTransaction, now: Date): string | null {
  return at === null || Date.parse(at) <= now.getTime() ? null : toSeconds(at);
}

function toSeconds(timestamp: string | null): string {
  return `${timestamp?.slice(0, 19)}Z`;
}

import { formatMoney, type Minor, minor } from '../../domain/money.ts';
import type { Release } from '../../ledger/suspense.ts';

export type OddMoney = {
  id: string;
  receipt: string;
  /** positive: we owe it; negative: it is missing; zero: unreadable */
  amount: Minor;
  currency: string;
  release: { kind: Release['kind']; at: string; proposedBy: string; approvedBy: string } | null;
};

type Way = NonNullable<OddMoney['release']>['kind'] | 'open' | 'unread';

const ways: Record<Way, { owed: string; missed: string }> = {
  open: { owed: 'waits in suspense for a decision', missed: 'is missing and waits for a decision' },
  unread: { owed: '', missed: 'waits until two operators set it' },
  nothing_came: { owed: '', missed: 'was an error: no money came' },
  suspense_release: { owed: 'was credited to a merchant', missed: 'was debited from a merchant' },
  suspense_return: {
    owed: 'went back to the payer over the channel',
    missed: 'came back to us over the channel',
  },
  payback: {
    owed: 'goes back to the payer as our payout',
    missed: 'goes back to the payer as our payout',
  },
  charge: { owed: 'was a charge that came back to us', missed: 'was a charge of the network or bank' },
  sweep: { owed: 'came from another of our accounts', missed: 'went to another of our accounts' },
  collection: { owed: 'is a payment that was credited', missed: '' },
  payout: { owed: '', missed: 'was the money of its payout' },
  payback_paid: { owed: '', missed: 'was the money of its payback' },
  reversal: { owed: 'was the money of a payout that was returned', missed: '' },
  own: { owed: "was the company's own money", missed: "was the company's own money, taken out" },
  void: { owed: 'came from a statement that is void now', missed: 'came from a statement that is void now' },
  write_off: { owed: 'was written off in our favour', missed: 'was written off at our cost' },
};

export function oddMoneySentence({ id, receipt, amount, currency, release }: OddMoney): string {
  const { owed, missed } = ways[release?.kind ?? (amount === 0 ? 'unread' : 'open')];
  const size = `${formatMoney(minor(Math.abs(amount)))} ${currency}`;
  const money = amount === 0 ? 'An unreadable amount' : size;
  const by =
    release === null || release.proposedBy === ''
      ? ''
      : ` at ${release.at.slice(0, 19)}Z, by ${release.proposedBy} and ${release.approvedBy}`;
  return `${money} (receipt ${receipt}, item ${id}) ${amount > 0 ? owed : missed}${by}`;
}

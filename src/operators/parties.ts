import { showMsisdn } from '../domain/msisdn.ts';
import { maskNumber } from '../domain/redact.ts';
import { partyWords } from '../domain/situation-words.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { View } from './facts.ts';

type Person = { msisdn: string; fullName: string | null };

/** Who pays or is paid, in full for those who may read it. */
export function partyFor(transaction: Transaction, view: Pick<View, 'showsPeople'>): string {
  if (view.showsPeople) return partyWords(transaction);
  if (transaction.mode === 'bank') return `account ${maskNumber(transaction.accountNumber)}`;
  return transaction.msisdn === null ? 'the customer' : maskNumber(transaction.msisdn);
}

export function payerWords({ msisdn, fullName }: Person, { showsPeople }: Pick<View, 'showsPeople'>): string {
  if (!showsPeople) return maskNumber(msisdn);
  return `${showMsisdn(msisdn)}${fullName === null ? '' : ` (${fullName})`}`;
}

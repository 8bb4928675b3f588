import { type LimitSubject, requireOwnKey } from '../../accounts/limits.ts';
import { requireAccount } from '../../accounts/store.ts';
import { maskNumber } from '../../base/redact.ts';
import { CURRENCY, formatMoney, minor } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { partyOf } from '../../domain/party.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { partyWords } from '../search/words.ts';

export type Fact = { name: string; before: string | null; after: string };

/** Describes a proposal in words for people, with ids beside the names. */
export type Described = {
  summary: string;
  facts?: Fact[];
  /** for the audit log: ids of the transactions or items whose customers it shows */
  people?: string[];
};

export type View = {
  db: Queryable;
  /** if false, customers' numbers are masked and their names left out */
  showsPeople: boolean;
  /** true while the proposal can be approved: it then shows current values */
  isOpen: boolean;
};

export const fact = (name: string, after: string, before: string | null = null): Fact => ({
  name,
  before,
  after,
});

/** Writes minor units as shillings, with a sign. */
export const shillings = (amount: number, currency: string = CURRENCY) =>
  `${formatMoney(minor(amount))} ${currency}`;

export async function balanceFacts({ db, isOpen }: View, accountId: string, change: number): Promise<Fact[]> {
  if (!isOpen) return [];
  const { current } = await balanceOf(db, accountId, CURRENCY);
  return [fact('available balance', shillings(current + change), shillings(current))];
}

export async function merchantNamed({ db }: View, accountId: string): Promise<string> {
  const { id, name } = await requireAccount(db, accountId);
  return `${name} (${id})`;
}

export type Subject = { account_id: string; key_id?: string | undefined };

/** Throws `not_found` if the account does not exist or has no such key. */
export async function requireSubject(db: Queryable, { account_id, key_id }: Subject): Promise<LimitSubject> {
  const { id: accountId } = await requireAccount(db, account_id);
  const subject = { accountId, apiKeyId: key_id ?? null };
  await requireOwnKey(db, subject);
  return subject;
}

export async function subjectNamed(view: View, { account_id, key_id }: Subject): Promise<string> {
  return key_id === undefined ? merchantNamed(view, account_id) : keyNamed(view, key_id);
}

export async function keyNamed({ db }: View, keyId: string): Promise<string> {
  const { rows } = await db.query(
    'SELECT k.label, a.name FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1',
    [keyId],
  );
  const [key] = rows;
  return key ? `key ${keyId} (${key.label || 'no label'}) of ${key.name}` : `key ${keyId}`;
}

type Person = { msisdn: string; fullName: string | null };

export function partyFor(transaction: Transaction, view: Pick<View, 'showsPeople'>): string {
  if (view.showsPeople) return partyWords(transaction);
  const party = partyOf(transaction);
  if (party.kind === 'bank') return `account ${maskNumber(party.accountNumber)}`;
  return party.msisdn === null ? 'the customer' : maskNumber(party.msisdn);
}

export function payerWords({ msisdn, fullName }: Person, { showsPeople }: Pick<View, 'showsPeople'>): string {
  if (!showsPeople) return maskNumber(msisdn);
  return `${showMsisdn(msisdn)}${fullName === null ? '' : ` (${fullName})`}`;
}

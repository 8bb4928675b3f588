import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { keysOf } from '../../platform/db/proofs.ts';
import { BILLED_MODES } from './columns.ts';
import { isProvenRow, isSignedRule, signRow, signRule } from './submission-mac.ts';

/**
 * Anyone with a process's Postgres password can write rows, but has no key. So each row that names a payee or
 * payer carries an HMAC, checked at each send and when a refund or payback looks up a payer. Amounts are
 * minor units.
 */
export type SignedParty = {
  /** for a receipt: its space and number */
  id: string;
  /** the account, or a receipt's transaction */
  of: string | null;
  connection: string | null;
  /** phone number or bank account */
  to: string | null;
  amount: number;
  currency: string;
};

export type StoredParty = SignedParty & { mac: unknown };

/** Throws if the process has no keys. */
export function macOfParty(db: Queryable, party: SignedParty): string {
  return signRow(keysOf(db), party);
}

/** True if one of our processes wrote this row and nothing changed it. */
export function isProven(db: Queryable, { mac, ...party }: StoredParty): boolean {
  return isProvenRow(keysOf(db), party, mac);
}

export function macOfRule(db: Queryable, rule: object): string {
  return signRule(keysOf(db), rule);
}

export function isProvenRule(db: Queryable, rule: object, mac: unknown): boolean {
  return isSignedRule(keysOf(db), rule, mac);
}

/** SQL: the signed facts of transaction `t`. A bill has no `to`: its receipts name its payers. */
export const PARTY_OF_TRANSACTION =
  `json_build_object('id', t.id, 'of', t.account_id, 'connection', t.connection,
  'to', CASE WHEN t.mode NOT IN (${BILLED_MODES})
    THEN coalesce(t.msisdn, t.bic || ':' || t.account_number) END,
  'amount', t.amount, 'currency', t.currency, 'mac', t.mac)` as const;

export const PARTY_OF_RECEIPT = `json_build_object('id', r.space || ':' || r.receipt, 'of', r.transaction_id,
  'connection', r.connection, 'to', r.msisdn, 'amount', r.amount, 'currency', r.currency, 'mac', r.mac)`;

const BATCH = 5_000;
const NAMED_MAX = 100;

/**
 * Returns a sentence per row without a valid MAC, except rows of erased people or retired keys. `pending`:
 * only rows that may still be sent.
 */
export async function unprovenRows(db: Queryable, which: 'pending' | 'all'): Promise<string[]> {
  const keys = keysOf(db).map(({ id }) => id);
  const found: string[] = [];
  for (let after = NOBODY; found.length < NAMED_MAX; ) {
    const { rows } = await db.query(
      `SELECT t.id, ${PARTY_OF_TRANSACTION} AS party FROM transactions t
       WHERE t.id > $1 AND (t.status = 'pending' OR $2) ORDER BY t.id LIMIT $3`,
      [after, which === 'all', BATCH],
    );
    for (const { id, party: stored } of rows) {
      const party = stored as StoredParty;
      const isOfOldKey = !keys.includes(String(party.mac).split(':')[0] ?? '') && party.mac !== null;
      if (isErased(party) || (isOfOldKey && which === 'all') || isProven(db, party)) continue;
      found.push(
        `transaction ${id}: whom it is with, or how much it is, is not what a process of ours wrote`,
      );
    }
    if (rows.length < BATCH) break;
    after = rows.at(-1)?.id ?? after;
  }
  return found;
}

/** `forget` writes these in place of a person's number or bank account. */
const isErased = ({ to }: SignedParty) => to === ERASED_MSISDN || Boolean(to?.endsWith(':ERASED'));

const NOBODY = '00000000-0000-0000-0000-000000000000';

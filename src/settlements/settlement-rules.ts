import { type Minor, minor } from '../domain/money.ts';
import type { OwnAccount } from '../domain/operation.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';
import { isProvenRule, macOfRule } from '../transactions/rows/row-mac.ts';

/** A new account may be a thief's: this gives the merchant time to object. */
export const CHANGED_ACCOUNT_WAITS_HOURS = 48;

/** Says how much of a merchant's balance goes to its own account, and when. Amounts are minor units. */
export type SettlementRule = {
  /** proposal that set it */
  version: string;
  accountId: string;
  /** key whose callbacks report daily settlements */
  apiKeyId: string;
  to: OwnAccount;
  /** days of daily settlements; 1 is Monday */
  days: number[];
  currency: string;
  /** stays in the balance */
  keep: Minor;
  /** smallest and largest sum of one transfer */
  smallest: Minor;
  cap: Minor;
  /** ISO 8601: first time at which the account may be paid */
  paysFrom: string;
  /** true until `paysFrom` */
  waits: boolean;
};

/** `rule`: null if the last rule has no valid MAC, or its key is gone; then it pays nothing. */
export type Head = { version: string; rule: SettlementRule | null };

/** Returns the account's last rule, set or ended; null if none was ever set. */
export async function headOf(db: Queryable, accountId: string): Promise<Head | null> {
  const { rows } = await db.query(
    `SELECT version FROM settlement_rules r WHERE account_id = $1
       AND NOT EXISTS (SELECT FROM settlement_rules n WHERE n.account_id = $1 AND n.replaces = r.version)
     ORDER BY set_at DESC LIMIT 1`,
    [accountId],
  );
  const [head] = rows;
  return head ? { version: head.version, rule: await provenRule(db, head.version) } : null;
}

export async function settlementRuleOf(db: Queryable, accountId: string): Promise<SettlementRule | null> {
  return (await headOf(db, accountId))?.rule ?? null;
}

/** SQL: reads the signed facts of a rule `r`. */
export const SIGNED_RULE =
  `r.version, r.account_id AS "accountId", r.api_key_id AS "apiKeyId", r.channel, r.msisdn, r.bic,
  r.account_number AS "accountNumber", r.full_name AS "fullName", r.days, r.currency, r.keep,
  r.smallest, r.cap, r.pays_from AS "paysFrom", r.replaces` as const;

async function provenRule(db: Queryable, version: string): Promise<SettlementRule | null> {
  const { rows } = await db
    .query(
      `SELECT ${SIGNED_RULE}, r.mac, r.pays_from > now() AS waits FROM settlement_rules r
       WHERE r.version = $1 /* never null: waits */`,
      [version],
    )
    .catch((error) => {
      // Our processes never write such a number or time.
      if (error instanceof RangeError) return { rows: [] };
      throw error;
    });
  const [row] = rows;
  if (!row) return null;
  const { mac, waits, ...signed } = row;
  if (!isProvenRule(db, signed, mac)) return null;
  const { channel, msisdn, bic, accountNumber, fullName, replaces: _, ...terms } = signed;
  return {
    ...terms,
    to: (msisdn === null ? { channel, bic, accountNumber, fullName } : { channel, msisdn }) as OwnAccount,
    keep: minor(terms.keep),
    smallest: minor(terms.smallest),
    cap: minor(terms.cap),
    waits,
  };
}

export type NewRule = Omit<SettlementRule, 'paysFrom' | 'waits'> & { replaces: string | null };

/**
 * Sets a rule and returns the time from which it pays: later for a new account (`waits`), and not before
 * `notBefore`. Null if another rule was set meanwhile. Call it inside the caller's transaction.
 */
export async function insertRule(
  db: Queryable,
  rule: NewRule,
  { waits, notBefore }: { waits: boolean; notBefore: string | null },
): Promise<{ paysFrom: string } | null> {
  // Read the time first, because the MAC covers the whole row.
  const moment = await db.query(
    `SELECT greatest(now() + $1 * interval '1 hour', $2::timestamptz) AS pays_from
     /* never null: pays_from */`,
    [waits ? CHANGED_ACCOUNT_WAITS_HOURS : 0, notBefore],
  );
  const { pays_from: paysFrom } = only(moment.rows);
  const { to, ...terms } = rule;
  const columns = { msisdn: null, bic: null, accountNumber: null, fullName: null, ...to };
  const { rowCount } = await insert(
    db,
    'settlement_rules',
    {
      version: rule.version,
      account_id: rule.accountId,
      api_key_id: rule.apiKeyId,
      channel: columns.channel,
      msisdn: columns.msisdn,
      bic: columns.bic,
      account_number: columns.accountNumber,
      full_name: columns.fullName,
      days: rule.days,
      currency: rule.currency,
      keep: rule.keep,
      smallest: rule.smallest,
      cap: rule.cap,
      pays_from: paysFrom,
      replaces: rule.replaces,
      set_at: DEFAULT,
      mac: macOfRule(db, { ...terms, ...columns, paysFrom }),
    },
    { onConflict: 'DO NOTHING' },
  );
  return rowCount === 1 ? { paysFrom } : null;
}

/** Returns accounts with a rule that pays on this day (1 is Monday), and with enough money. */
export async function accountsToSettle(db: Queryable, weekday: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT r.account_id FROM settlement_rules r
     JOIN ledger_accounts a ON a.account_id = r.account_id AND a.kind = 'available'
       AND a.currency = r.currency
     WHERE $1 = ANY(r.days) AND r.pays_from <= now() AND a.balance > r.keep
       AND NOT EXISTS (SELECT FROM settlement_rules n
         WHERE n.account_id = r.account_id AND n.replaces = r.version)
     ORDER BY r.account_id`,
    [weekday],
  );
  return rows.map((row) => row.account_id);
}

/** True for the same bank account or wallet, whatever the owner's name. */
export function isSameAccount(one: OwnAccount, other: OwnAccount): boolean {
  return one.channel === other.channel && nameOf(one) === nameOf(other);
}

const nameOf = (to: OwnAccount) => ('bic' in to ? `${to.bic}:${to.accountNumber}` : to.msisdn);

import type { Queryable } from '../../db/pool.ts';
import { naming } from '../../db/prepared.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type { OwnAccount } from '../../domain/operation.ts';
import { isProven, macOfParty } from './row-mac.ts';

/** A changed account may be a thief's: the merchant has this long to say so. */
export const CHANGED_ACCOUNT_WAITS_HOURS = 48;

/** What of a merchant's balance goes to his own account, and when. Amounts are minor units. */
export type SettlementRule = {
  /** the proposal that set it */
  version: string;
  accountId: string;
  /** whose callbacks tell of the daily ones */
  apiKeyId: string;
  to: OwnAccount;
  /** of the daily ones: 1 is Monday */
  days: number[];
  currency: string;
  /** what stays in the balance */
  keep: Minor;
  /** the least and the most that goes at once */
  smallest: Minor;
  cap: Minor;
  /** ISO 8601: from then on the account may be paid */
  paysFrom: string;
  /** that moment has not come */
  waits: boolean;
};

/** The rule that holds now; null where there is none. Throws BrokenInvariant where no process of ours wrote it. */
export async function settlementRuleOf(db: Queryable, accountId: string): Promise<SettlementRule | null> {
  const { rows } = await db.query(
    `SELECT r.*, pays_from > now() AS waits FROM settlement_rules r WHERE account_id = $1
       AND NOT EXISTS (SELECT FROM settlement_rules n WHERE n.account_id = $1 AND n.replaces = r.version) /* never null: waits */`,
    [accountId],
  );
  const [row] = rows;
  if (!row) return null;
  const { version, api_key_id: apiKeyId, currency, mac } = row;
  const to =
    row.msisdn === null
      ? bankOf(row.bic, row.account_number, row.full_name)
      : { channel: row.channel, msisdn: row.msisdn };
  const cap = minor(row.cap);
  if (!isProven(db, { ...signedOf({ version, accountId, to, cap, currency }), mac }))
    throw new BrokenInvariant(`the settlement rule ${version} is not what a process of ours wrote`);
  return {
    ...{ version, accountId, apiKeyId, to, currency, cap },
    days: row.days,
    keep: minor(row.keep),
    smallest: minor(row.smallest),
    paysFrom: row.pays_from,
    waits: row.waits,
  };
}

export type NewRule = Omit<SettlementRule, 'paysFrom' | 'waits'> & { replaces: string | null };

/**
 * Sets a rule in the caller's transaction and says from when it pays; `waits`: another account than the one before it had,
 * which it waits for. Null, and nothing is set, where another rule was set meanwhile.
 */
export async function insertRule(
  db: Queryable,
  rule: NewRule,
  { waits }: { waits: boolean },
): Promise<{ paysFrom: string } | null> {
  const { to } = rule;
  const bank = 'bic' in to ? to : null;
  const { rows } = await db.query(
    naming(
      `INSERT INTO settlement_rules (version, account_id, api_key_id, channel, msisdn, bic, account_number, full_name, days,
         currency, keep, smallest, cap, pays_from, replaces, mac)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
         greatest(now() + $14 * interval '1 hour', (SELECT pays_from FROM settlement_rules WHERE version = $15)), $15, $16)
       ON CONFLICT DO NOTHING RETURNING pays_from`,
      ['set_at'],
    ),
    [
      ...([rule.version, rule.accountId, rule.apiKeyId, to.channel] as const),
      'msisdn' in to ? to.msisdn : null,
      bank?.bic ?? null,
      bank?.accountNumber ?? null,
      bank?.fullName ?? null,
      ...([rule.days, rule.currency, rule.keep, rule.smallest, rule.cap] as const),
      waits ? CHANGED_ACCOUNT_WAITS_HOURS : 0,
      rule.replaces,
      macOfParty(db, signedOf(rule)),
    ],
  );
  return rows[0] ? { paysFrom: rows[0].pays_from } : null;
}

/** The accounts that may have something to settle on this day (1 is Monday): a rule for it that pays, and enough money. */
export async function accountsToSettle(db: Queryable, weekday: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT r.account_id FROM settlement_rules r
     JOIN ledger_accounts a ON a.account_id = r.account_id AND a.kind = 'available' AND a.currency = r.currency
     WHERE $1 = ANY(r.days) AND r.pays_from <= now() AND a.balance > r.keep
       AND NOT EXISTS (SELECT FROM settlement_rules n WHERE n.account_id = r.account_id AND n.replaces = r.version)
       AND NOT EXISTS (SELECT FROM frozen_accounts f WHERE f.account_id = r.account_id)
     ORDER BY r.account_id`,
    [weekday],
  );
  return rows.map((row) => row.account_id);
}

/** Whether both are the same bank account or wallet, whatever its owner is called. */
export function isSameAccount(one: OwnAccount, other: OwnAccount): boolean {
  return one.channel === other.channel && nameOf(one) === nameOf(other);
}

const nameOf = (to: OwnAccount) => ('bic' in to ? `${to.bic}:${to.accountNumber}` : to.msisdn);

function signedOf({
  version,
  accountId,
  to,
  cap,
  currency,
}: Pick<NewRule, 'version' | 'accountId' | 'to' | 'cap' | 'currency'>) {
  return { id: version, of: accountId, connection: null, to: nameOf(to), amount: cap, currency };
}

function bankOf(bic: string | null, accountNumber: string | null, fullName: string | null): OwnAccount {
  if (bic === null || accountNumber === null || fullName === null)
    throw new BrokenInvariant('a settlement rule names no account');
  return { channel: 'bank', bic, accountNumber, fullName };
}

import type { Queryable } from '../platform/db/pool.ts';
import { keysOf } from '../platform/db/proofs.ts';
import { agreedOn } from '../transactions/care/agreed.ts';

/** The actions by which two operators move money of a merchant, for each kind of transfer. */
const ACTIONS: Record<string, readonly string[]> = {
  top_up: ['accounts.top-up'],
  withdrawal: ['accounts.withdraw'],
  correction: ['statements.correct'],
  suspense_release: ['suspense.to-merchant', 'suspense.together'],
};

/**
 * Returns a sentence per transfer of a merchant's money on which no two operators agreed: the API's password
 * can write the rows of one, but not their proofs. `recent`: of the last month; `all` leaves out those whose
 * key is retired.
 */
export async function unagreedTransfers(db: Queryable, which: 'recent' | 'all'): Promise<string[]> {
  const keys = keysOf(db).map(({ id }) => id);
  const { rows } = await db.query(
    `SELECT t.kind, t.dedupe_key AS "dedupeKey", p.id, p.action, p.mac, a.account_id AS "accountId",
       sum(e.amount)::bigint AS amount
     FROM transfers t JOIN proposals p ON p.id = t.proposal_id JOIN entries e ON e.transfer_id = t.id
     JOIN ledger_accounts a ON a.id = e.ledger_account_id
     WHERE t.kind IN ('top_up', 'withdrawal', 'correction', 'suspense_release')
       AND t.proposal_id IS NOT NULL AND a.kind = 'available' AND ($1 OR e.at > now() - interval '31 days')
     GROUP BY t.id, p.id, a.account_id /* never null: accountId, amount */`,
    [which === 'all'],
  );
  const found: string[] = [];
  for (const { id, action, mac, ...moved } of rows) {
    const isOfOldKey = mac !== null && !keys.includes(mac.split(':')[0] ?? '');
    if (which === 'all' && isOfOldKey) continue;
    const isOfKind = ACTIONS[moved.kind]?.includes(action);
    const agreed = isOfKind ? await agreedOn(db, { id, action }) : null;
    if (agreed === null || !says(agreed.payload, moved))
      found.push(`${moved.dedupeKey} (${moved.kind}) moves money on which no two operators agreed (${id})`);
  }
  return found;
}

type Moved = { kind: string; dedupeKey: string; accountId: string; amount: number };
type Asked = { item?: string; account_id?: string; amount: number };

/** An item leaves suspense once, and whole; one proposal may name several. */
function says(payload: string, { kind, dedupeKey, accountId, amount }: Moved): boolean {
  const asked = JSON.parse(payload) as Asked & { items?: Asked[] };
  const item = kind === 'suspense_release' ? dedupeKey.slice('release:'.length) : undefined;
  return (asked.items ?? [asked]).some(
    (one) => one.item === item && one.account_id === accountId && Math.abs(one.amount) === Math.abs(amount),
  );
}

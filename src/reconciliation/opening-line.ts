import { createHash } from 'node:crypto';
import { dayOf } from '../domain/day.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Sides } from './passes.ts';
import type { NewLine, Period } from './stored-chain.ts';

/**
 * Makes one line for the difference between the first statement's opening balance and our books; operators
 * book it as own money or a charge. Earlier movements that a line shows do not count, because the opening
 * balance does not include them. If several accounts prove the same books, the first one takes their balance.
 */
export async function openingLine(
  db: Queryable,
  of: {
    sides: Sides;
    account: { id: string; group: string; currency: string };
    opening: Minor | null;
    period: Period;
  },
): Promise<NewLine | null> {
  const { sides, account, opening, period } = of;
  if (opening === null) return null;
  const { rows } = await db.query(
    `SELECT coalesce(sum(m.amount), 0)::bigint AS booked FROM movement_entries m
     WHERE m.book = ANY($2) AND m.at < $4
       AND (m.account = $1 OR m.account IS NULL
         AND (m.connection IS NULL OR $3::text[] IS NULL OR m.connection = ANY($3)))
       AND NOT EXISTS (SELECT FROM line_matches x JOIN statement_lines l ON l.id = x.line_id
         WHERE x.entry_id = m.entry_id AND NOT x.is_freed AND (l.account <> $1 OR NOT l.is_void))
     /* never null: booked */`,
    [sides.account, sides.books, sides.connections, period.from],
  );
  const amount = minor(opening - (rows[0]?.booked ?? 0));
  if (amount === 0) return null;
  return {
    no: 0,
    position: 0,
    key: createHash('sha256').update(`opening of ${account.id}`).digest(),
    receipt: null,
    kind: 'opening',
    status: 'done',
    amount,
    currency: account.currency,
    at: period.from,
    day: dayOf(period.from),
    lateFor: null,
    reference: null,
    names: [],
    sweepTo: null,
    balanceAfter: null,
    running: null,
    finding: null,
    personal: null,
  };
}

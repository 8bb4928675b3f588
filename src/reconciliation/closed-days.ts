import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { only } from '../platform/db/rows.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';
import { type DayFigures, macOfDay, togetherOf } from './fixed-day.ts';
import type { Proven } from './groups.ts';

/** Lets one transaction at a time add, match or close in an account. Call it before a merchant's row lock. */
export async function lockAccount(db: Queryable, account: string): Promise<void> {
  await db.query(prepared("SELECT pg_advisory_xact_lock(hashtext('statements of ' || $1))"), [account]);
}

/** Locks accounts in one order, so callers never deadlock. */
export async function lockAccounts(db: Queryable, accounts: Iterable<string>): Promise<void> {
  for (const account of [...accounts].sort()) await lockAccount(db, account);
}

export async function tryLockAccount(db: Queryable, account: string): Promise<boolean> {
  const { rows } = await db.query(
    "SELECT pg_try_advisory_xact_lock(hashtext('statements of ' || $1)) AS locked /* never null: locked */",
    [account],
  );
  return only(rows).locked;
}

/** If two accounts show halves of one sweep, this lock lets the first book it. Lock the account first. */
export async function lockSweeps(db: Queryable): Promise<void> {
  await db.query(prepared("SELECT pg_advisory_xact_lock(hashtext('halves of sweeps'))"));
}

/** `day` is YYYY-MM-DD in Dar es Salaam. */
export type AccountDay = { account: string; day: string };

/** True if the statement's proven balance counts this line. */
export async function movedBalance(db: Queryable, line: number): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM statement_lines WHERE id = $1 AND running IS NOT NULL', [
    line,
  ]);
  return rowCount === 1;
}

export async function dismiss(
  db: Queryable,
  { line, proposalId }: { line: number; proposalId: string },
): Promise<void> {
  await insert(db, 'line_dismissals', { line_id: line, proposal_id: proposalId });
}

export async function closedDays(db: Queryable): Promise<AccountDay[]> {
  const { rows } = await db.query(
    `SELECT account, day::text AS day FROM closed_days WHERE reopened_at IS NULL
     ORDER BY day, account /* never null: day */`,
  );
  return rows;
}

/**
 * Makes the database refuse lines and matches of this day. False if closed before. The caller holds the
 * group's locks and has checked that the day balances with these figures.
 */
export async function closeDay(
  db: Queryable,
  asked: AccountDay & { figures: DayFigures; group: Proven; proposalId: string },
): Promise<boolean> {
  const { account, day, figures, group, proposalId } = asked;
  const { lines, matched, booked, opening, closing, clearing, unbooked, unseen } = figures;
  const together = togetherOf(group);
  const money = { opening, closing, clearing, unbooked, unseen };
  const signed = { account, day, lines, matched, booked, ...money, together, closedBy: proposalId };
  const { rowCount } = await insert(
    db,
    'closed_days',
    {
      account,
      day,
      lines,
      matched,
      booked,
      opening,
      closing,
      clearing,
      unbooked,
      unseen,
      together,
      closed_by: proposalId,
      mac: macOfDay(db, signed),
      closed_at: DEFAULT,
      reopened_by: null,
      reopened_at: null,
    },
    { onConflict: '(account, day) WHERE reopened_at IS NULL DO NOTHING' },
  );
  return rowCount === 1;
}

export async function reopenDay(
  db: Queryable,
  { account, day, proposalId }: AccountDay & { proposalId: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE closed_days SET reopened_by = $3, reopened_at = clock_timestamp()
     WHERE account = $1 AND day = $2::text::date AND reopened_at IS NULL`,
    [account, day, proposalId],
  );
  return rowCount === 1;
}

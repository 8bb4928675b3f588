import { plainName } from '../domain/receipt.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { NewLine } from './stored-chain.ts';

/**
 * Sets `finding` and the day on which a line counts: the next open day if its own is closed. A line with a
 * known receipt of the same kind is `twice`, or `changed` if amount or status differs. The end of a pending
 * line is no change.
 */
export async function classify(
  db: Queryable,
  account: string,
  lines: readonly NewLine[],
): Promise<NewLine[]> {
  const receipts = [...new Set(lines.flatMap(({ receipt }) => receipt ?? []))];
  const { rows } = await db.query(
    `SELECT receipt, kind, status, amount FROM statement_lines
     WHERE account = $1 AND plain_name(receipt) = ANY(plain_names($2)) AND NOT is_void`,
    [account, receipts],
  );
  const stored = new Map<string, { status: string; amount: number }[]>();
  const nameOf = (line: { receipt: string | null; kind: string; amount: number }) =>
    `${line.kind} ${Math.sign(line.amount)} ${plainName(line.receipt ?? '')}`;
  const remember = (line: { receipt: string | null; kind: string; status: string; amount: number }) => {
    const name = nameOf(line);
    const same = stored.get(name);
    if (same) same.push(line);
    else stored.set(name, [line]);
  };
  for (const row of rows) remember(row);
  const closed = await closedDays(db, account);
  const classified: NewLine[] = [];
  const seen = new Set<string>();
  for (const line of lines) {
    const earlier =
      line.receipt === null
        ? []
        : (stored.get(nameOf(line)) ?? []).filter(({ status }) => status !== 'pending');
    const isChanged = earlier.some(({ status, amount }) => status !== line.status || amount !== line.amount);
    const isTwice =
      line.status === 'done' && (earlier.length > 0 || (line.receipt !== null && seen.has(nameOf(line))));
    const finding = line.status === 'pending' ? null : isChanged ? 'changed' : isTwice ? 'twice' : null;
    if (line.status === 'done') seen.add(nameOf(line));
    let day = line.day;
    while (closed.has(day)) day = next(day);
    classified.push({
      ...line,
      finding,
      day,
      lateFor: day === line.day ? line.lateFor : (line.lateFor ?? line.day),
    });
  }
  return classified;
}

async function closedDays(db: Queryable, account: string): Promise<Set<string>> {
  const { rows } = await db.query(
    `SELECT day::text AS day FROM closed_days
     WHERE account = $1 AND reopened_at IS NULL /* never null: day */`,
    [account],
  );
  return new Set(rows.map(({ day }) => day));
}

const next = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

import { countOf } from '../domain/count-of.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import {
  MAY_BE_SWAPPED,
  refuseFile,
  type Statement,
  type StatementLine,
  StatementRefused,
} from './statement.ts';

/** `running`: the balance after the line; null if the statement does not prove one. */
export type ProvenLine = { line: StatementLine; running: Minor | null };

export type ProvenStatement = {
  /** null without balances and totals */
  opening: Minor | null;
  closing: Minor | null;
  /** oldest first, in the order of their balances */
  lines: ProvenLine[];
};

/**
 * Checks that opening + done lines = closing, that running balances follow each other, and that control
 * totals agree. The newest line may come first or last; lines with the same time have any order. Throws
 * StatementRefused, with line and difference.
 */
export function prove(statement: Statement): ProvenStatement {
  const { lines, totals } = statement;
  const done = lines.filter(({ status }) => status === 'done');
  checkTotals(totals, lines, done);
  checkPeriod(statement);
  const ordered = inOrder(done, statement.opening);
  const [first] = ordered;
  const isChained = first !== undefined && first.balanceAfter !== null;
  const opening = statement.opening ?? (isChained ? before(first) : null);
  const sum = done.reduce((total, { amount }) => minor(total + amount), minor(0));
  if (isChained && before(first) !== opening) broken(first, 'before', [before(first), opening ?? minor(0)]);
  const last = ordered.at(-1);
  const closing =
    statement.closing ??
    (isChained ? (last?.balanceAfter ?? null) : opening === null ? null : minor(opening + sum));
  if (opening === null || closing === null) return { opening: null, closing: null, lines: unproven(lines) };
  if (opening + sum !== closing)
    refuseFile(
      `its opening ${formatMoney(opening)} and its lines ${formatMoney(sum)} are ` +
        `${formatMoney(minor(opening + sum))}, but its closing is ${formatMoney(closing)}: ` +
        `the difference is ${formatMoney(minor(closing - opening - sum))}`,
    );
  let running = opening;
  const chained = ordered.map((line) => {
    running = minor(running + line.amount);
    return { line, running };
  });
  const others = lines.filter((line) => line.status !== 'done');
  checkUnmoved(others, new Set([opening, ...ordered.map(({ balanceAfter }) => balanceAfter)]));
  return { opening, closing, lines: [...chained, ...unproven(others)] };
}

/** A line that moved nothing must show a balance that another line has. */
function checkUnmoved(lines: readonly StatementLine[], balances: ReadonlySet<number | null>): void {
  const moved = lines.find(
    ({ status, amount, balanceAfter }) =>
      status === 'failed' &&
      balanceAfter !== null &&
      !balances.has(balanceAfter) &&
      balances.has(balanceAfter - amount),
  );
  if (moved)
    refuseFile(
      `line ${moved.no}: it moved nothing by its status, ` +
        `but its balance moves by ${formatMoney(moved.amount)}`,
      'ask whoever made the file which is true',
    );
}

export const differentOpening = (opening: Minor, expected: Minor) =>
  `its opening is ${formatMoney(opening)}, but the statement before it leaves ${formatMoney(expected)}: ` +
  `the difference is ${formatMoney(minor(opening - expected))}`;

const unproven = (lines: readonly StatementLine[]): ProvenLine[] =>
  [...lines].sort((a, b) => a.at.getTime() - b.at.getTime()).map((line) => ({ line, running: null }));

const before = (line: StatementLine): Minor => minor((line.balanceAfter ?? 0) - line.amount);

function checkTotals(
  { lines: count, paidIn, paidOut }: Statement['totals'],
  lines: readonly StatementLine[],
  done: readonly StatementLine[],
): void {
  if (count !== null && count !== lines.length)
    refuseFile(`it says that it has ${countOf(count, 'line')}, but has ${lines.length}`);
  for (const [what, said, sign] of [
    ['paid in', paidIn, 1],
    ['paid out', paidOut, -1],
  ] as const) {
    if (said === null) continue;
    const sum = done.reduce((total, { amount }) => total + Math.max(0, amount * sign), 0);
    if (Math.abs(said) !== sum)
      refuseFile(
        `it says that ${formatMoney(minor(Math.abs(said)))} was ${what}, but its lines say ` +
          `${formatMoney(minor(sum))}: the difference is ${formatMoney(minor(Math.abs(said) - sum))}`,
      );
  }
}

function checkPeriod({ period, lines }: Statement): void {
  for (const line of lines)
    if (Number.isNaN(line.at.getTime())) refuseFile(`line ${line.no}: it has no time`);
  if (period === null) return;
  if (!(period.from < period.to)) refuseFile('its period ends before it begins', MAY_BE_SWAPPED);
  const { from, to } = period;
  const outside = lines.filter(({ at }) => at < from || at >= to);
  if (outside.length > 0)
    throw new StatementRefused(
      outside.map(
        ({ no, at }) =>
          `line ${no}: ${at.toISOString()} is not within its period, ` +
          `${from.toISOString()} to ${to.toISOString()}: ${MAY_BE_SWAPPED}`,
      ),
    );
}

/**
 * Returns done lines, oldest first. Throws if their balances fit no order. Lines whose balances form a circle
 * may start anywhere; the right order starts with the opening and goes forward in time.
 */
function inOrder(done: readonly StatementLine[], opening: Minor | null): StatementLine[] {
  const withBalance = done.filter(({ balanceAfter }) => balanceAfter !== null);
  const byTime = [...done].sort((a, b) => a.at.getTime() - b.at.getTime());
  if (withBalance.length === 0) return byTime;
  const without = done.find(({ balanceAfter }) => balanceAfter === null);
  if (without) refuseFile(`line ${without.no}: it has no balance, and other lines have one`);
  const reversed = [...done].reverse();
  const isNewestFirst = (done[0]?.at.getTime() ?? 0) > (done.at(-1)?.at.getTime() ?? 0);
  const [likely, other] = isNewestFirst ? [reversed, done] : [done, reversed];
  const orders = [likely, other, untangle(byTime, opening) ?? []].filter(
    (order) => order.length > 0 && breakIn(order) === null,
  );
  const [followed] = orders;
  if (followed) return [...(orders.find((order) => isTheirs(order, opening)) ?? followed)];
  const { line, expected } = breakIn(likely) as Break;
  return broken(line, 'after', [line.balanceAfter ?? minor(0), expected]);
}

function isTheirs(order: readonly StatementLine[], opening: Minor | null): boolean {
  const [first] = order;
  const isInTime = order.every((line, index) => line.at >= (order[index - 1]?.at ?? line.at));
  return isInTime && first !== undefined && (opening === null || before(first) === opening);
}

type Break = { line: StatementLine; expected: Minor };

function breakIn(order: readonly StatementLine[]): Break | null {
  for (const [index, line] of order.entries()) {
    const previous = order[index - 1];
    if (previous && before(line) !== previous.balanceAfter)
      return { line, expected: minor((previous.balanceAfter ?? 0) + line.amount) };
  }
  return null;
}

function broken({ no }: StatementLine, side: 'before' | 'after', [said, expected]: [Minor, Minor]): never {
  return refuseFile(
    `line ${no}: the balance ${side} it is ${formatMoney(said)}, but the line before it makes it ` +
      `${formatMoney(expected)}: the difference is ${formatMoney(minor(said - expected))}`,
  );
}

/**
 * Orders lines with the same time by balance, as a walk that takes each line once (Hierholzer); null: none.
 */
function untangle(byTime: readonly StatementLine[], opening: Minor | null): StatementLine[] | null {
  const moments: StatementLine[][] = [];
  for (let from = 0; from < byTime.length; ) {
    let to = from;
    while (byTime[to]?.at.getTime() === byTime[from]?.at.getTime()) to += 1;
    moments.push(byTime.slice(from, to));
    from = to;
  }
  const ordered: StatementLine[] = [];
  for (const moment of moments) {
    const walk = walkOf(moment, ordered.at(-1)?.balanceAfter ?? opening ?? startOf(moments));
    if (walk === null) return null;
    ordered.push(...walk);
  }
  return ordered;
}

/** The first moment that changes the balance gives the starting balance. */
function startOf(moments: readonly StatementLine[][]): Minor {
  for (const moment of moments) {
    const start = leftOf(moment);
    if (start !== null) return start;
  }
  return before(moments[0]?.[0] as StatementLine);
}

/** Returns the balance that more lines leave than reach; null if the walk ends where it began. */
function leftOf(moment: readonly StatementLine[]): Minor | null {
  const leaving = new Map<number, number>();
  for (const line of moment) {
    leaving.set(before(line), (leaving.get(before(line)) ?? 0) + 1);
    const after = line.balanceAfter ?? 0;
    leaving.set(after, (leaving.get(after) ?? 0) - 1);
  }
  const left = [...leaving].find(([, count]) => count > 0);
  return left ? minor(left[0]) : null;
}

function walkOf(moment: readonly StatementLine[], start: Minor): StatementLine[] | null {
  const from = new Map<number, StatementLine[]>();
  for (const line of [...moment].reverse()) {
    const lines = from.get(before(line));
    if (lines) lines.push(line);
    else from.set(before(line), [line]);
  }
  const walk: StatementLine[] = [];
  const stack: { at: number; by: StatementLine | null }[] = [{ at: start, by: null }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const next = from.get(top.at)?.pop();
    if (next) stack.push({ at: next.balanceAfter ?? 0, by: next });
    else {
      stack.pop();
      if (top.by) walk.push(top.by);
    }
  }
  return walk.length === moment.length ? walk.reverse() : null;
}

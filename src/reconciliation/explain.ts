import { randomUUID } from 'node:crypto';
import type { StatementAccount } from '../channels/kit/statement-accounts.ts';
import { conflict } from '../domain/errors.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { ensureServiceAccounts } from '../ledger/accounts.ts';
import { addNames } from '../ledger/booked.ts';
import {
  insertLineItems,
  type LineItem,
  type LinePosting,
  postLines,
  takeHalves,
} from '../ledger/line-postings.ts';
import { namesFrom } from '../ledger/transfer.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { DEFAULT, insertMany } from '../platform/db/write.ts';
import { hintAll } from '../transactions/channel/enquiries.ts';
import { endAlarmOf } from '../transactions/odd-money/suspense.ts';
import { lockAgainstPayments, lockNumbersOf } from '../transactions/rows/number-store.ts';
import { lockPending } from '../transactions/rows/store.ts';
import { lockSweeps } from './closed-days.ts';
import { chargedOn, noteWaiting, type OpenLine, openLinesOf } from './open-lines.ts';
import {
  type Difference,
  findDifferences,
  findFirstHalves,
  findParts,
  matchLines,
  type Part,
  type Sides,
  type Unexplained,
} from './passes.ts';

export type AccountInUse = StatementAccount & {
  /** connection whose number space has the receipts of its lines */
  connection: string;
  /** code of the ledger account on which each other account books its half of a sweep */
  others: ReadonlyMap<string, string>;
};

export function accountsInUse(channels: {
  statementAccounts: ReadonlyMap<string, StatementAccount>;
  connectionsOf(channelId: string): string[];
}): Map<string, AccountInUse> {
  const all = [...channels.statementAccounts.values()];
  return new Map(
    all.map((one) => {
      const others = all
        .filter(({ id }) => id !== one.id)
        .map((other) => [other.id, sweepBookOf(other)] as const);
      const [connection = one.id] = one.connections ?? channels.connectionsOf(channelOf(bookOf(one)));
      return [one.id, { ...one, connection, others: new Map(others) }];
    }),
  );
}

type Match = { entryId: number; lineId: number; pass: string };
/** `beside`: booked movements that the line also shows. */
type Booking = { line: OpenLine; posting: LinePosting; pass: string; beside?: Omit<Match, 'lineId'>[] };
type Common = Pick<LinePosting, 'transferId' | 'book' | 'currency' | 'moved' | 'amount'>;

const NONE: Unexplained = { ids: [], since: null };

export const sidesOf = (account: AccountInUse, lines = NONE): Sides => ({
  account: account.id,
  books: account.proves,
  connections: account.connections,
  graceMs: account.graceMs,
  lines,
});

export const bookOf = ({ proves }: Pick<StatementAccount, 'proves'>): string =>
  proves.find((code) => code.startsWith('clearing:')) ?? proves[0] ?? '';
/** A sweep's money is booked on our bank's account, if the statement proves it. */
const sweepBookOf = ({ proves }: Pick<StatementAccount, 'proves'>): string =>
  proves.find((code) => code.startsWith('settlement:')) ?? bookOf({ proves });

/**
 * Matches an account's lines with our movements, books charges and sweeps by rule, and posts the others to
 * suspense. During the grace period, a line about a pending transaction or a live bill waits. Idempotent. The
 * caller holds the account's lock. Returns the pending transactions to ask about. `lines`: from
 * `unexplained`.
 */
export async function explain(db: Queryable, account: AccountInUse, lines: Unexplained): Promise<string[]> {
  const sides = { ...sidesOf(account, lines), connection: account.connection };
  const named = await matchLines(db, sides);
  let open = await openLinesOf(db, sides);
  const unbooked = open.filter(({ waits }) => !waits);
  if (unbooked.length > 0) {
    // Lock: a transaction of these lines that ends now is booked first, or finds the item made here.
    if (unbooked.some(({ kind }) => kind === 'sweep')) await lockSweeps(db);
    // Lock order of a push that ends and pays a bill: its row, the receipt, the bill's row.
    await lockPending(db, {
      amounts: [...new Set(unbooked.map(({ amount }) => Math.abs(amount)))],
      ids: unbooked.flatMap(({ transactionId, isBill, parts }) =>
        transactionId === null || isBill ? parts : [transactionId, ...parts],
      ),
    });
    await lockPending(db, {
      amounts: [],
      ids: unbooked.flatMap(({ transactionId, isBill }) =>
        transactionId === null || !isBill ? [] : transactionId,
      ),
    });
  }
  await addNames(db, named);
  if (unbooked.length > 0) {
    await lockNumbersOf(db, lines.ids);
    await lockAgainstPayments(
      db,
      unbooked.flatMap(({ id, transactionId }) => (transactionId === null ? id : [])),
    );
  }
  // A receipt reported meanwhile may belong to a line, so look up all lines again.
  const taken = new Set<number>();
  for (let since = unbooked; since.length > 0; ) {
    for (const { id, isTaken } of open) if (isTaken) taken.add(id);
    await addNames(db, await matchLines(db, sides));
    open = await openLinesOf(db, sides);
    since = open.filter(({ id, isTaken }) => isTaken && !taken.has(id));
  }
  const differences = new Map((await findDifferences(db, sides)).map((one) => [one.lineId, one]));
  const parts = new Map<number, Part[]>();
  for (const part of await findParts(db, sides)) {
    const its = parts.get(part.lineId);
    if (its) its.push(part);
    else parts.set(part.lineId, [part]);
  }
  const hasHalves = open.some(({ kind }) => kind === 'sweep');
  const halves = hasHalves ? await findFirstHalves(db, sides) : new Map<number, string | null>();
  const charged = await chargedOn(db, account.id, [...new Set(open.map(({ day }) => day))]);
  const bookings: Booking[] = [];
  for (const line of open) {
    if (line.waits) continue;
    const its = parts.get(line.id);
    const difference = differences.get(line.id);
    if (its) bookings.push(...bookingsOfParts(account, line, its));
    else bookings.push(bookingOf(account, line, { difference, charged, half: halves.get(line.id) }));
  }
  await book(db, account, bookings);
  await noteWaiting(
    db,
    account.id,
    open.flatMap(({ id, waits }) => (waits ? [id] : [])),
  );
  return hintAll(db, open.flatMap(payoutsOf));
}

const payoutsOf = ({ pendingId, isBill, parts }: OpenLine): string[] =>
  pendingId === null || isBill ? parts : [pendingId, ...parts];

/** Explains the line for money from before an account's first statement. */
export async function explainOpening(db: Queryable, account: AccountInUse, statement: string): Promise<void> {
  const { rows } = await db.query(
    "SELECT id, at FROM statement_lines WHERE statement_id = $1 AND kind = 'opening'",
    [statement],
  );
  const sides = sidesOf(account, { ids: rows.map(({ id }) => id), since: rows[0]?.at ?? null });
  const lines = await openLinesOf(db, { ...sides, connection: account.connection });
  const none = { difference: undefined, charged: new Map() };
  await book(
    db,
    account,
    lines.map((line) => bookingOf(account, line, none)),
  );
}

type Beside = {
  difference: Difference | undefined;
  charged: Map<string, Minor>;
  /** a sweep's half from `findFirstHalves`; absent if this half comes first */
  half?: string | null | undefined;
};

function commonOf(account: AccountInUse, line: OpenLine, amount: Minor): Common {
  const { currency, connection } = account;
  const names = namesFrom(null, [line.receipt, ...line.alsoKnownAs]);
  const shown = { line: line.id, account: account.id, at: line.at };
  return {
    transferId: randomUUID(),
    book: bookOf(account),
    currency,
    moved: { id: randomUUID(), toldBy: 'line', names, connection, shown },
    amount,
  };
}

const wordsOf = (account: AccountInUse, { amount, currency, receipt }: OpenLine) =>
  `${account.id} shows ${formatMoney(amount)} ${currency} (${receipt ?? 'no receipt'})`;

/** Splits a line of several payouts: matches booked ones, and makes items for the others' successes. */
function bookingsOfParts(account: AccountInUse, line: OpenLine, parts: readonly Part[]): Booking[] {
  const note = `${wordsOf(account, line)}, for ${parts.length} payouts`;
  const beside = parts.flatMap(({ entryId }) => (entryId === null ? [] : [{ entryId, pass: 'batch' }]));
  return parts
    .filter(({ entryId }) => entryId === null)
    .map(({ amount, transactionId }, index) => {
      const name = `line:${line.id}:${index + 1}`;
      const posting = suspended(account, line, commonOf(account, line, amount), note);
      const its = { ...posting, transactionId, reference: name, dedupeKey: name };
      return { line, posting: its, pass: 'theirs_only', beside: index === 0 ? beside : [] };
    });
}

function bookingOf(account: AccountInUse, line: OpenLine, { difference, charged, half }: Beside): Booking {
  const common = commonOf(account, line, line.amount);
  const byRule = { ...common, reference: line.receipt, dedupeKey: `line:${line.id}`, transactionId: null };
  const told = wordsOf(account, line);
  const isWithin = (amount: Minor): boolean => {
    const total = minor((charged.get(line.day) ?? 0) - amount);
    if (total > account.chargeCeiling) return false;
    charged.set(line.day, total);
    return true;
  };
  const moved = { ...common.moved, kind: 'charge' } as const;
  const charge = { ...byRule, kind: 'charge', other: 'charges', moved } as const;
  if (difference && account.isNet && isTaken(line, difference) && isWithin(difference.amount)) {
    const posting = { ...charge, amount: difference.amount, note: `${told}, a charge inside` };
    return { line, posting, pass: 'net', beside: [{ entryId: difference.entryId, pass: 'net' }] };
  }
  if (difference) {
    const differing = { ...common, amount: difference.amount };
    const posting = suspended(account, line, differing, `${told}, and our movement another amount`);
    const { transactionId } = difference;
    const beside = [{ entryId: difference.entryId, pass: 'differs' }];
    return { line, posting: { ...posting, transactionId }, pass: 'differs', beside };
  }
  const isFee = line.finding === null && (line.kind === 'fee' || line.kind === 'tax') && line.amount < 0;
  if (isFee && isWithin(line.amount)) return { line, posting: { ...charge, note: told }, pass: 'charge' };
  const { sweepTo } = line;
  const code = sweepTo === null ? undefined : account.others.get(sweepTo);
  if (
    line.finding === null &&
    line.kind === 'sweep' &&
    sweepTo !== null &&
    code !== undefined &&
    half !== null
  ) {
    const named = { ...common.moved, names: namesFrom(line.receipt, line.alsoKnownAs) };
    const other = half === undefined ? { code, account: sweepTo } : ('suspense' as const);
    const posting = { ...byRule, kind: 'sweep', other, takes: half, moved: named } as const;
    return { line, posting: { ...posting, note: `${told}, with ${sweepTo}` }, pass: 'sweep' };
  }
  const pass = line.finding ?? (line.kind === 'opening' ? 'opening' : 'theirs_only');
  return { line, posting: suspended(account, line, common, told), pass };
}

/** True if the difference is a charge: the line has the direction of our movement, and is smaller. */
function isTaken({ amount }: OpenLine, difference: Difference): boolean {
  const ours = amount - difference.amount;
  return (
    difference.amount < 0 && Math.sign(amount) === Math.sign(ours) && -difference.amount < Math.abs(ours)
  );
}

/** The line's receipt names the item, unless another movement has it; then it is a pointer. */
function suspended(account: AccountInUse, line: OpenLine, common: Common, note: string): LinePosting {
  const isFree = common.amount === line.amount && line.finding === null && !line.isTaken;
  const names = isFree ? namesFrom(line.receipt, line.alsoKnownAs) : common.moved.names;
  const kind = line.kind === 'opening' ? 'opening' : isReversal(line.kind) ? 'reversal' : undefined;
  return {
    ...common,
    kind: 'suspense',
    dedupeKey: `line:${line.id}`,
    transactionId: line.transactionId,
    reference: nameOf(account, line, isFree),
    other: 'suspense',
    moved: { ...common.moved, names, kind },
    note,
  };
}

const isReversal = (kind: OpenLine['kind']) => kind === 'reversal' || kind === 'return';

/** A receipt that looks like a name of ours never names an item (open-lines.ts). */
function nameOf(account: AccountInUse, line: OpenLine, isFree: boolean): string {
  if (line.kind === 'opening') return `opening:${account.id}`;
  return isFree && line.receipt !== null ? line.receipt : `line:${line.id}`;
}

const channelOf = (code: string) => code.split(':')[1] || 'bank';

async function book(db: Queryable, account: AccountInUse, bookings: readonly Booking[]): Promise<void> {
  if (bookings.length === 0) return;
  const channel = channelOf(bookOf(account));
  await ensureServiceAccounts(
    db,
    [channel, ...[...account.others.values()].map(channelOf)],
    account.currency,
  );
  const items = bookings.flatMap(({ posting }): LineItem[] =>
    posting.kind !== 'suspense'
      ? []
      : [
          {
            transferId: posting.transferId,
            channel,
            connection: account.connection,
            receipt: posting.reference ?? '',
            transactionId: posting.transactionId,
            amount: posting.amount,
            currency: account.currency,
            detail: posting.note,
          },
        ],
  );
  await insertLineItems(db, items);
  const postings = bookings.map(({ posting }) => posting);
  if (!(await takeHalves(db, postings)))
    throw conflict('The other half of a sweep was decided about at this moment: import it again');
  const entries = await postLines(db, postings);
  for (const { posting } of bookings) if (posting.takes !== undefined) await endAlarmOf(db, posting.takes);
  const matches = bookings.flatMap(({ line, posting, pass, beside = [] }): Match[] =>
    [{ entryId: entries.get(posting.moved.id) ?? 0, pass }, ...beside].map((one) => ({
      ...one,
      lineId: line.id,
    })),
  );
  await insertMany(db, 'line_matches', matches, ({ entryId, lineId, pass }) => ({
    entry_id: entryId,
    line_id: lineId,
    pass,
    matched_at: DEFAULT,
    is_freed: DEFAULT,
  }));
}

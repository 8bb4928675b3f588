import { rowOf } from '../../src/base/csv.ts';
import { clockTimeOf, DAY_MS, startOfDay } from '../../src/domain/day.ts';
import { type Minor, minor, toFixedDecimal } from '../../src/domain/money.ts';
import { type AccountInUse, bookOf } from '../../src/reconciliation/explain.ts';
import { CONNECTION, createMerchant, type Merchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { bankAccount, walletAccount } from '../support/statements-of-accounts.ts';

/**
 * Statements of several accounts and days, the movements of ours behind them, and an oracle: what has to come of every line
 * and of every movement, known because each was planted.
 */

/** What a movement or line comes to, as `outcomesOf` reads it from the database. */
export type Outcome =
  | 'receipt'
  | 'charge'
  | 'differs'
  | 'twice'
  | 'changed'
  | 'theirs_only'
  | 'ours_only'
  | 'sweep';

type Planted = { account: string; receipt: string | null; amount: number; outcome: Outcome };
type Movement = { receipt: string; amount: number };
type Line = Movement & { at: number; details: string; linked?: string; party?: string };

export type Day = { account: AccountInUse; from: Date; lines: Line[]; opening: Minor };
export type World = {
  accounts: AccountInUse[];
  /** by account */
  movements: Map<string, Movement[]>;
  /** each account's, oldest first */
  days: Day[];
  oracle: string[];
};

const WALLETS = ['m-pesa', 'airtel-money', 'halopesa', 'tigo-pesa'] as const;
const AMOUNT = 500_000;
const CHARGE = 5_000;
const SWEPT = 12_300_000;

export function accountsInUse(): AccountInUse[] {
  const others = new Map([
    ...WALLETS.map((id) => [id, `clearing:${id}:TZS`] as const),
    ['bank', 'settlement::TZS'] as const,
  ]);
  const also = { others, chargeCeiling: minor(Number.MAX_SAFE_INTEGER) };
  return [
    ...WALLETS.map((id) =>
      walletAccount({ ...also, id, group: id, theirs: `6${id.length}00`, proves: [`clearing:${id}:TZS`] }),
    ),
    bankAccount({ ...also }),
  ];
}

/** `linesPerDay` of each account, with `planted` cases of each class among them. The same numbers give the same world. */
export function makeWorld(options: {
  days: number;
  linesPerDay: number;
  planted: number;
  now?: Date;
}): World {
  const accounts = accountsInUse();
  const movements = new Map<string, Movement[]>(accounts.map(({ id }) => [id, []]));
  const oracle: Planted[] = [];
  const days: Day[] = [];
  const today = Date.parse(startOfDay(options.now ?? new Date()));
  for (const account of accounts) {
    let balance = 0;
    for (let day = 0; day < options.days; day += 1) {
      const from = new Date(today - (options.days - day) * DAY_MS);
      const plant = planterOf({ account, day, from, movements: movements.get(account.id) ?? [], oracle });
      for (let n = 0; n < options.planted; n += 1) plant.cases(n);
      plant.once();
      while (plant.lines.length < options.linesPerDay) plant.exact();
      const lines = plant.lines.sort((one, other) => one.at - other.at);
      days.push({ account, from, lines, opening: minor(balance) });
      balance = lines.reduce((sum, { amount }) => sum + amount, balance);
    }
  }
  return { accounts, movements, days, oracle: oracle.map(nameOf).sort() };
}

const nameOf = ({ account, receipt, amount, outcome }: Planted) =>
  `${account} ${receipt ?? '-'} ${amount} ${outcome}`;

/** Plants cases in one day of one account. */
function planterOf(of: {
  account: AccountInUse;
  day: number;
  from: Date;
  movements: Movement[];
  oracle: Planted[];
}) {
  const { account, day, from, movements, oracle } = of;
  const isBank = account.id === 'bank';
  const lines: Line[] = [];
  let count = 0;
  const newReceipt = (kind: string) => {
    count += 1;
    return `${account.id.slice(0, 2).toUpperCase()}${day}${kind}${String(count).padStart(6, '0')}`;
  };
  /** Spread over the day, several in one second. */
  const newTime = () => from.getTime() + ((count * 7_919) % 86_390) * 1_000;
  const moved = (receipt: string, amount = AMOUNT) => movements.push({ receipt, amount });
  const shown = (receipt: string, also: Partial<Line> = {}) => {
    const line = {
      receipt,
      amount: AMOUNT,
      at: newTime(),
      details: 'Pay Bill from 25570****111 - ASHA',
      ...also,
    };
    lines.push(line);
    return line;
  };
  const expect = (receipt: string | null, amount: number, outcome: Outcome) =>
    oracle.push({ account: account.id, receipt, amount, outcome });

  function exact(also: Partial<Line> = {}): string {
    const receipt = newReceipt('E');
    moved(receipt);
    shown(receipt, also);
    expect(receipt, AMOUNT, 'receipt');
    return receipt;
  }

  function cases(n: number): void {
    const stranger = newReceipt('T');
    shown(stranger);
    expect(stranger, AMOUNT, 'theirs_only');

    const unseen = newReceipt('O');
    moved(unseen);
    expect(unseen, AMOUNT, 'ours_only');

    const other = newReceipt('D');
    moved(other);
    shown(other, { amount: AMOUNT - 10_000 });
    expect(other, AMOUNT - 10_000, 'differs');

    const twice = newReceipt('W');
    moved(twice);
    const first = shown(twice);
    shown(twice, { at: first.at });
    expect(twice, AMOUNT, 'receipt');
    expect(twice, AMOUNT, 'twice');

    if (day > 0) {
      // A line of the first day, told otherwise: that one was planted as the n-th exact one of `once`.
      const receipt = `${account.id.slice(0, 2).toUpperCase()}0C${String(n).padStart(4, '0')}${day}`;
      shown(receipt, { amount: AMOUNT - 20_000 });
      expect(receipt, AMOUNT - 20_000, 'changed');
    } else {
      for (const later of [1, 2]) {
        const receipt = `${account.id.slice(0, 2).toUpperCase()}0C${String(n).padStart(4, '0')}${later}`;
        moved(receipt);
        shown(receipt);
        expect(receipt, AMOUNT, 'receipt');
      }
    }

    const paid = exact();
    if (!isBank) {
      // A charge with the payment's receipt, and a reversal that names it and that we know nothing of.
      const { at } = lines.at(-1) as Line;
      shown(paid, { amount: -CHARGE, details: 'Pay Bill Charge', at });
      expect(paid, -CHARGE, 'charge');
      const reversal = newReceipt('R');
      shown(reversal, { amount: -AMOUNT, details: `Reversal of ${paid}`, linked: paid, at: at + 1_000 });
      expect(reversal, -AMOUNT, 'theirs_only');
    }
  }

  /** What comes once a day. */
  function once(): void {
    const last = from.getTime() + DAY_MS - 1_000;
    exact({ at: last });
    exact({ at: from.getTime() });
    // Five payments of one amount, minute and phone; one over TIPS, whose payer is the switch.
    for (let n = 0; n < 5; n += 1) exact({ at: from.getTime() + 43_200_000 });
    exact({ party: '922756 - TIPS-SELCOM MF' });
    if (isBank) {
      for (const details of ['Monthly Maintenance Fee', 'VAT (18%) PAYABLE ON COMMISSION AND FEES : FULL']) {
        shown('', { amount: -CHARGE, details });
        expect(null, -CHARGE, 'charge');
      }
      // Equal in everything but the running balance.
      const at = newTime();
      for (const _two of [1, 2]) {
        shown('', { details: 'CASH DEPOSIT', at });
        expect(null, AMOUNT, 'theirs_only');
      }
      // The other halves of the wallets' sweeps.
      for (const wallet of WALLETS.keys()) {
        const receipt = `BKSW${day}${wallet}`;
        shown(receipt, { amount: SWEPT + wallet, details: 'FROM WALLET', at: last - 3_600_000 });
        expect(receipt, SWEPT + wallet, 'sweep');
      }
      return;
    }
    const wallet = WALLETS.indexOf(account.id as (typeof WALLETS)[number]);
    const receipt = newReceipt('S');
    shown(receipt, {
      amount: -(SWEPT + wallet),
      details: 'Agency Withdrawal of Funds to Bank',
      at: last - 7_200_000,
    });
    expect(receipt, -(SWEPT + wallet), 'sweep');
  }

  return { lines, exact, cases, once };
}

const clockOf = (at: number, separator: string) => {
  const clock = clockTimeOf(at);
  return `${clock.slice(0, 10).split('-').reverse().join(separator)} ${clock.slice(11, 19)}`;
};

/** The file of one or more days that follow each other. `reported`: when it was downloaded; `order`: of its lines. */
export function fileOf(
  days: readonly Day[],
  { reported = '01-01-2026 07:00:00', order = 'oldest' as 'oldest' | 'newest' } = {},
): Buffer {
  const [first] = days;
  if (!first) throw new RangeError('a file has days');
  const { account, from } = first;
  let balance: number = first.opening;
  const lines = days
    .flatMap((day) => day.lines)
    .map((line) => {
      balance += line.amount;
      return { ...line, balance };
    });
  const ordered = order === 'oldest' ? lines : [...lines].reverse();
  const shown = (amount: number) => toFixedDecimal(minor(amount));
  const sides = ({ amount }: Line) => [amount > 0 ? shown(amount) : '', amount < 0 ? shown(-amount) : ''];
  if (account.id === 'bank') {
    const rows = ordered.map((line) => {
      const [paidIn = '', paidOut = ''] = sides(line);
      const details = line.receipt === '' ? line.details : `REF:${line.receipt} ${line.details}`;
      return [clockOf(line.at, '.'), details, clockOf(line.at, '.'), paidOut, paidIn, shown(line.balance)];
    });
    const header = ['Posting Date', 'Details', 'Value Date', 'Debit', 'Credit', 'Book Balance'];
    return Buffer.from([[`Printed ${reported}`], header, ...rows].map(rowOf).join(''));
  }
  const rows = ordered.map((line) => [
    ...[
      line.receipt,
      clockOf(line.at, '-'),
      clockOf(line.at, '-'),
      line.details,
      'Completed',
      ...sides(line),
    ],
    ...[shown(line.balance), 'true', '', line.party ?? '25570****111 - ASHA', line.linked ?? '', '', 'TZS'],
  ]);
  const last = days.at(-1)?.from.getTime() ?? 0;
  const preamble = [
    ['Short Code:', account.theirs],
    ['Time Period:', 'From', clockOf(from.getTime(), '-'), 'To', clockOf(last + DAY_MS - 1_000, '-')],
    ['Date of Report:', reported],
    ['Opening Balance:', shown(first.opening), 'Closing Balance:', shown(balance)],
    [
      ...[
        'Receipt No.',
        'Completion Time',
        'Initiation Time',
        'Details',
        'Transaction Status',
        'Paid In',
        'Withdrawn',
      ],
      ...[
        'Balance',
        'Balance Confirmed',
        'Reason Type',
        'Other Party Info',
        'Linked Transaction ID',
        'A/C No.',
        'Currency',
      ],
    ],
  ];
  return Buffer.from([...preamble, ...rows].map(rowOf).join(''));
}

const BATCH = 500;

/** Books the movements, straight in the database: completed pushes of wallets, top-ups of the bank. */
export async function bookMovements(database: Database, world: World, merchant?: Merchant): Promise<void> {
  const { accountId, apiKeyId } = merchant ?? (await createMerchant(database, { balance: 0 }));
  for (const account of world.accounts) {
    const all = world.movements.get(account.id) ?? [];
    const code = bookOf(account).startsWith('clearing:bank') ? 'settlement::TZS' : bookOf(account);
    if (code.startsWith('clearing:'))
      await database.query(
        "INSERT INTO ledger_accounts (kind, channel, currency) VALUES ('clearing', $1, 'TZS') ON CONFLICT DO NOTHING",
        [account.id],
      );
    for (let from = 0; from < all.length; from += BATCH) {
      const some = all.slice(from, from + BATCH);
      await database.query(code.startsWith('clearing:') ? PAYMENTS : TOP_UPS, [
        some.map(({ receipt }) => receipt),
        some.map(({ amount }) => amount),
        accountId,
        code,
        ...(code.startsWith('clearing:') ? [apiKeyId, account.id, CONNECTION] : []),
      ]);
    }
  }
}

const ENTRIES = `
  INSERT INTO entries (transfer_id, ledger_account_id, amount)
  SELECT booked.id, a.id, CASE a.code WHEN $4 THEN -booked.amount ELSE booked.amount END
  FROM booked JOIN ledger_accounts a ON a.code IN ($4, 'available:' || $3::uuid || ':TZS')`;

const TOP_UPS = `
  WITH given AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS g (receipt, amount)),
  added AS (
    INSERT INTO transfers (kind, dedupe_key, reference) SELECT 'top_up', 'funding:' || receipt, receipt FROM given RETURNING id, reference),
  booked AS (SELECT added.id, given.amount FROM added JOIN given ON given.receipt = added.reference)
  ${ENTRIES}`;

const PAYMENTS = `
  WITH given AS (SELECT *, gen_random_uuid() AS id FROM unnest($1::text[], $2::bigint[]) AS g (receipt, amount)),
  paid AS (
    INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee, fee_version,
      settled, channel, reference, channel_reference, is_receipt, msisdn, metadata, timing, due_at, created_at, updated_at, status_at, connection)
    SELECT id, $3::uuid, $5, id, 'payment', 'ussd', 'completed', 'payment.received', amount, 'TZS', 0, 'test', amount, $6,
      'PY' || receipt, receipt, true, '255754123456', '{}', '{}', now(), now(), now(), now(), $7 FROM given RETURNING id),
  added AS (
    INSERT INTO transfers (kind, transaction_id, dedupe_key, reference)
    SELECT 'collection', paid.id, 'collection:' || paid.id, given.receipt FROM paid JOIN given USING (id) RETURNING id, transaction_id),
  booked AS (SELECT added.id, given.amount FROM added JOIN given ON given.id = added.transaction_id)
  ${ENTRIES}`;

/** What came of every line, and of every movement without one, as the oracle writes it. */
export async function outcomesOf(database: Database, accounts: readonly AccountInUse[]): Promise<string[]> {
  const { rows } = await database.query(
    `SELECT l.account, l.receipt, l.amount, coalesce((SELECT min(m.pass) FROM line_matches m WHERE m.line_id = l.id), l.finding, 'waiting') AS outcome
     FROM statement_lines l
     UNION ALL
     SELECT coalesce(nullif(split_part(m.book, ':', 2), ''), 'bank'), m.receipts[1], m.amount, 'ours_only' FROM movements m
     WHERE m.book = ANY($1) AND NOT EXISTS (SELECT FROM line_matches x WHERE x.entry_id = m.entry_id)`,
    [accounts.flatMap(({ proves }) => proves)],
  );
  return (rows as Planted[]).map(nameOf).sort();
}

/** Members of one list that the other lacks, as often as they are there. */
export function lacking(list: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of other) left.set(one, (left.get(one) ?? 0) + 1);
  return list.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}

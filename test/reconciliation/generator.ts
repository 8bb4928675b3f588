import { DAY_MS, startOfDay } from '../../src/domain/day.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
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

export type Planted = { account: string; receipt: string | null; amount: number; outcome: Outcome };
type Movement = { receipt: string; amount: number };
export type Line = Movement & { at: number; details: string; linked?: string; party?: string };

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

function accountsInUse(): AccountInUse[] {
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

export const nameOf = ({ account, receipt, amount, outcome }: Planted) =>
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
      // The other halves of the wallets' sweeps, which the bank's layout calls nothing.
      for (const wallet of WALLETS.keys()) {
        const receipt = `BKSW${day}${wallet}`;
        shown(receipt, { amount: SWEPT + wallet, details: 'FROM WALLET', at: last - 3_600_000 });
        expect(receipt, SWEPT + wallet, 'theirs_only');
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
    // It booked the bank's half, too, and no line of the bank says that it is that half.
    oracle.push({ account: 'bank', receipt, amount: SWEPT + wallet, outcome: 'ours_only' });
  }

  return { lines, exact, cases, once };
}

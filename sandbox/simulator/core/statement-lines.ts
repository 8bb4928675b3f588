import { MINOR_PER_UNIT, type Minor, minor } from '../../../src/domain/money.ts';
import type { Book, Movement } from './book.ts';
import type { Order } from './order.ts';
import { endingOf } from './scenario.ts';

export type ShownLine = {
  receipt: string;
  kind: 'payment' | 'payout' | 'return' | 'charge' | 'deposit';
  at: Date;
  /** + into the merchant's account */
  amount: Minor;
  balance: Minor;
  party: string;
  /** the control number that the customer typed, else a payout's reference; empty: neither */
  reference: string;
  /** the receipt of the returned payment; else empty */
  original: string;
};

type Unsummed = Omit<ShownLine, 'balance'>;

/** The merchant's account numbers by network or bank, as in the channels file of `npm start`. */
export const accountNumbers: Readonly<Record<string, string>> = {
  'm-pesa': '600100',
  'airtel-money': '700100',
  bank: '0100000000001',
};

export type Deposit = { reference: string; amountTzs: number; at: Date };

const CHARGE_TZS = 50;
const SHORT_BY_TZS = 100;

/**
 * The last three digits of a movement's number choose its lines (docs/sandbox.md): some endings add errors
 * for reconciliation to find.
 */
const endings: Record<string, (line: Unsummed) => Unsummed[]> = {
  '409': () => [],
  '419': (line) => [
    { ...line, amount: minor(line.amount - Math.sign(line.amount) * SHORT_BY_TZS * MINOR_PER_UNIT) },
  ],
  '429': (line) => [line, { ...line, at: new Date(line.at.getTime() + 1_000) }],
  '439': (line) => [
    line,
    {
      ...line,
      receipt: `X${line.receipt}`,
      reference: '',
      kind: 'payment',
      amount: minor(Math.abs(line.amount)),
    },
  ],
  '449': (line) => [line, { ...line, kind: 'charge', amount: minor(-CHARGE_TZS * MINOR_PER_UNIT) }],
};

/** Lists movements of a network or the bank (`null`: all rails of `orders`), oldest first. */
export function statementLines(
  { book, orders, deposits = [] }: { book: Book; orders: readonly Order[]; deposits?: readonly Deposit[] },
  concerns: (movement: { network: string; reference: string }) => boolean,
): ShownLine[] {
  const lines: Unsummed[] = [
    ...deposits.map(depositOf),
    ...book
      .movements()
      .filter(concerns)
      .flatMap((movement) => {
        const line = lineOf(movement);
        return endings[endingOf(movement.party)]?.(line) ?? [line];
      }),
    ...orders.filter((order) => order.returnedAt !== undefined && concerns(order)).map(returnOf),
  ];
  lines.sort((one, other) => one.at.getTime() - other.at.getTime());
  let balance = minor(0);
  return lines.map((line) => {
    balance = minor(balance + line.amount);
    return { ...line, balance };
  });
}

const minorOf = (tzs: number) => minor(Math.round(tzs * MINOR_PER_UNIT));

function lineOf({ receipt, direction, at, amount, party, reference, control_number }: Movement): Unsummed {
  const isIn = direction === 'in';
  return {
    receipt,
    kind: isIn ? 'payment' : 'payout',
    at: new Date(at),
    amount: minor((isIn ? 1 : -1) * minorOf(amount)),
    party,
    reference: control_number ?? (isIn ? '' : reference),
    original: '',
  };
}

function returnOf({ receipt, returnedAt = 0, movedAmount, amount, party, reference }: Order): Unsummed {
  return {
    receipt: `R${receipt}`,
    kind: 'return',
    at: new Date(returnedAt),
    amount: minorOf(movedAmount ?? amount),
    party,
    reference,
    original: receipt,
  };
}

function depositOf({ reference, amountTzs, at }: Deposit): Unsummed {
  return {
    receipt: reference,
    kind: 'deposit',
    at,
    amount: minorOf(amountTzs),
    party: '',
    reference: '',
    original: '',
  };
}

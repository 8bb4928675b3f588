import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import type { Book, Movement } from './book.ts';
import type { Order } from './order.ts';
import { ownerOf } from './scenario.ts';

/** A wallet begins with this many TZS, a bank account with nothing. */
const OPENING_TZS = 5_000_000;
const MESSAGES_MAX = 30;

/** A message from the network or bank to its customer. `amount` and `balance` are TZS. */
export type Message = {
  id: string;
  at: string;
  kind: 'paid' | 'received' | 'sent_back' | NonNullable<Order['refusal']>;
  amount: number;
  receipt: string | null;
  control_number: string | null;
  /** afterwards; null if no money moved */
  balance: number | null;
};

/** Returns TZS. Automatic payments do not check it, so it may be negative. */
export function balanceOf(book: Book, party: string): number {
  return movementsOf(book, party).reduce((sum, movement) => sum + changeOf(movement), openingOf(party));
}

/** A wallet (255…) or bank account as its owner sees it: balance, and messages, newest first. */
export function walletOf({ book, orders }: { book: Book; orders: { all(): Order[] } }, party: string) {
  const own = orders.all().filter((order) => order.party === party);
  const returned = own.filter((order) => order.returned && order.movedAmount !== null);
  const takenBack = returned.reduce((sum, order) => sum + (order.movedAmount ?? 0), 0);
  const messages = [
    ...messagesOfMovements(book, party),
    ...returned.map((order) => messageOf(order, 'sent_back')),
    ...own.flatMap((order) =>
      order.direction === 'in' && order.refusal ? [messageOf(order, order.refusal)] : [],
    ),
  ];
  messages.sort((one, other) => other.at.localeCompare(one.at));
  return {
    owner: ownerOf(party),
    balance: balanceOf(book, party) - takenBack,
    messages: messages.slice(0, MESSAGES_MAX),
  };
}

function messagesOfMovements(book: Book, party: string): Message[] {
  let balance = openingOf(party);
  return movementsOf(book, party).map((movement) => {
    balance += changeOf(movement);
    const { receipt, amount, at, direction, control_number = null } = movement;
    return {
      id: `${receipt} moved`,
      at,
      kind: direction === 'in' ? 'paid' : 'received',
      amount,
      receipt,
      control_number,
      balance,
    };
  });
}

function messageOf(order: Order, kind: Message['kind']): Message {
  const { id, settledAt, receivedAt, amount } = order;
  const at = new Date(settledAt ?? receivedAt).toISOString();
  return { id: `${id} ${kind}`, at, kind, amount, receipt: null, control_number: null, balance: null };
}

function movementsOf(book: Book, party: string): Movement[] {
  return book.movements().filter((movement) => movement.party === party);
}

function changeOf({ direction, amount }: Movement): number {
  return direction === 'in' ? -amount : amount;
}

function openingOf(party: string): number {
  return parseMsisdn(party) === null ? 0 : OPENING_TZS;
}

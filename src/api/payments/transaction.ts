import {
  balanceAnswer,
  paymentLookup,
  payoutLookup,
  transactionAnswer,
  transactionList,
} from '../../contract/answer-schemas.ts';
import { entriesAnswer } from '../../contract/statement-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { kinds, type TransactionType, transactionTypes } from '../../domain/kinds.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY } from '../../domain/money.ts';
import {
  type CollectionTransaction,
  isBill,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
} from '../../domain/transaction.ts';
import { balanceOf, entriesOf } from '../../ledger/accounts.ts';
import type { Listed, Page } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/pool.ts';
import { noteFacts } from '../../platform/process/log.ts';
import { receiptUrl, receiptUrlOf } from '../../transactions/odd-money/receipt-page.ts';
import { refundsOf } from '../../transactions/odd-money/refunds.ts';
import { billPaymentsOf } from '../../transactions/rows/bill-store.ts';
import { findTransaction } from '../../transactions/rows/store.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { type BillSettings, call } from '../kit/gateway-call.ts';
import { listQuery, readListQuery, scopeToRead } from '../kit/list-query.ts';
import {
  type Addresses,
  listItem,
  presentBalance,
  presentEntries,
  presentPayment,
  presentPayout,
} from './present.ts';

export const getPayment = call(
  {
    method: 'GET',
    paths: ['payments/{id}'],
    summary: 'A payment as it is now',
    purpose:
      'Look up the state of a USSD push, a bill or a QR code when its callback has not come yet. ' +
      'While it is pending, `status_reason` says why; final states never change.',
    scopes: ['payments:read'],
    answer: paymentLookup,
  },
  async (request, { database, now, bills }) => {
    const payment = await findOwn(database, request, 'payment');
    const parts = isBill(payment) ? await billPaymentsOf(database, payment.id) : [];
    const refunds = payment.refunded === null ? [] : await refundsOf(database, payment.id);
    return presentPayment(payment, now(), parts, refunds, addressesOf(database, payment, bills));
  },
);

/** A payment of a number has no page to pay on, because its number has it. */
export function addressesOf(db: Database, payment: CollectionTransaction, bills: BillSettings): Addresses {
  const { id, mode } = payment;
  return {
    page: kinds[mode].isOrder ? bills.payUrlOf(id) : undefined,
    receipt: receiptUrlOf(db, payment),
    receiptOf: (part) => receiptUrl(db, { id, part }),
  };
}

export const getPayout = call(
  {
    method: 'GET',
    paths: ['payouts/{id}', 'payouts/check/{id}'],
    otherNames: {
      checkPayout: {
        purpose:
          'The same as `getPayout`, at the address of earlier clients. ' +
          'Use `payouts/{id}` in new programs.',
      },
    },
    summary: 'A payout as it is now',
    purpose:
      'Look up the state of a payout or a refund when its callback has not come yet. ' +
      'While it is pending it may still be paid at any moment: do not pay again.',
    scopes: ['payouts:read'],
    answer: payoutLookup,
  },
  async (request, { database, now }) => {
    const payout = await findOwn(database, request, 'payout');
    return presentPayout(payout, now(), receiptUrlOf(database, payout));
  },
);

export const getTransaction = call(
  {
    method: 'GET',
    paths: ['transactions/{id}'],
    summary: 'Any transaction, as an item of the list',
    purpose:
      'Look up any transaction when you do not know whether it is a payment, a bill or a payout. ' +
      'The answer is an item of the list; the lookups of payments and payouts have more fields.',
    scopes: ['payments:read', 'payouts:read'],
    answer: transactionAnswer,
  },
  async (request, { database }) => ({
    ...done(say('transaction_found')),
    data: listItem(await findOwn(database, request, 'transaction')),
  }),
);

export const getEntries = call(
  {
    method: 'GET',
    paths: ['transactions/{id}/entries'],
    summary: 'The ledger entries of a transaction',
    purpose:
      'See how a transaction moved money in the ledger, entry by entry. Use it to explain a balance; ' +
      'for bookkeeping the statement is easier.',
    scopes: ['payments:read', 'payouts:read'],
    answer: entriesAnswer,
  },
  async (request, { database }) => {
    const { id, currency } = await findOwn(database, request, 'transaction');
    const entries = await entriesOf(database, id);
    // Entries in another currency are money in suspense, which is not the merchant's.
    return presentEntries(
      id,
      entries.filter((entry) => entry.currency === currency),
    );
  },
);

export const getTransactions = call(
  {
    method: 'GET',
    paths: ['transactions'],
    summary: 'Transactions, newest first',
    purpose:
      'Page through everything your key may read, newest first: for a screen, a search or a nightly ' +
      'comparison. A transaction must match all filters that you send, and an unknown filter is refused.',
    scopes: ['payments:read', 'payouts:read'],
    query: listQuery,
    answer: transactionList,
  },
  async (request, { listTransactions, database }) => {
    const { filter, ...page } = readListQuery(request.query);
    const types = readableTypes(request).filter((type) => filter.types?.includes(type) ?? true);
    const { accountId } = callerOf(request);
    const listed = await listTransactions({ accountId, filter: { ...filter, types }, ...page });
    // An empty list says that the key is free, which nobody knows between a restore and `recover`.
    if (filter.idempotencyKey !== undefined && listed.items.length === 0) await requireOpen(database);
    return listAnswer(say('transactions_found'), page, listed, listItem);
  },
);

export const getBalance = call(
  {
    method: 'GET',
    paths: ['balance'],
    summary: 'The balance: what you can pay out, and what is held for payouts',
    purpose:
      'See what you can pay out now, and what is held for pending payouts. ' +
      'Payments are added, less their fees, when they complete.',
    scopes: ['payments:read', 'payouts:read'],
    answer: balanceAnswer,
  },
  async (request, { database }) =>
    presentBalance(await balanceOf(database, callerOf(request).accountId, CURRENCY), CURRENCY),
);

type Found = { payment: CollectionTransaction; payout: PayoutTransaction; transaction: MerchantTransaction };

/**
 * Throws the same `not_found` for an id that is unknown, malformed, or of another account or kind, so that
 * nobody learns about other merchants. After a restore, until `recover` has run, throws `unavailable`.
 */
export async function findOwn<N extends keyof Found>(
  database: Database,
  request: ApiRequest,
  noun: N,
): Promise<Found[N]> {
  const { accountId } = callerOf(request);
  const found = isUuid(request.id) ? await findTransaction(database, { id: request.id, accountId }) : null;
  if (found && isNamed(found, noun, request)) {
    noteFacts(request.log, { transaction_id: found.id });
    return found;
  }
  // A restore may have lost the payout, and a merchant who reads 404 would pay again.
  await requireOpen(database);
  const id: `no_${keyof Found}` = `no_${noun}`;
  throw new GatewayError('not_found', say(id));
}

/** The route checked the scope, except for `transactions/{id}`, which serves two scopes. */
function isNamed<N extends keyof Found>(
  transaction: MerchantTransaction,
  noun: N,
  request: ApiRequest,
): transaction is MerchantTransaction & Found[N] {
  if (noun === 'transaction') return readableTypes(request).includes(kinds[transaction.mode].type);
  return isPayout(transaction) === (noun === 'payout');
}

function readableTypes(request: ApiRequest): TransactionType[] {
  const { scopes } = callerOf(request);
  return transactionTypes.filter((type) => scopes.includes(scopeToRead[type]));
}

export function listAnswer<Item, Shown>(
  message: Message,
  page: Page,
  listed: Listed<Item>,
  show: (item: Item) => Shown,
) {
  return { ...done(message), data: listed.items.map(show), pagination: paginationOf(page, listed) };
}

export function paginationOf(
  { page, perPage }: Page,
  { total, totalIsMinimum }: Omit<Listed<unknown>, 'items'>,
) {
  return {
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total_items: total,
    total_is_minimum: totalIsMinimum ? (true as const) : undefined,
  };
}

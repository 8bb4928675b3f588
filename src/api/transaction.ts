import {
  balanceAnswer,
  entriesAnswer,
  paymentLookup,
  payoutLookup,
  transactionAnswer,
  transactionList,
} from '../contract/answer-schemas.ts';
import { writeJson } from '../contract/json-of.ts';
import type { Listed, Page } from '../db/listing.ts';
import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import { kinds, type TransactionType, transactionTypes } from '../domain/kinds.ts';
import { CURRENCY } from '../domain/money.ts';
import {
  type CollectionTransaction,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
} from '../domain/transaction.ts';
import { balanceOf, entriesOf } from '../ledger/accounts.ts';
import { noteFacts } from '../process/log.ts';
import { refundsOf } from '../transactions/odd-money/refunds.ts';
import { billPaymentsOf } from '../transactions/rows/bill-store.ts';
import type { ListTransactions } from '../transactions/rows/list.ts';
import { findTransaction } from '../transactions/rows/store.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from './http/endpoint.ts';
import { listItem, presentBalance, presentEntries, presentPayment, presentPayout } from './present.ts';
import { billLookups } from './reference/examples/bill.ts';
import { paymentAnswers } from './reference/examples/payment.ts';
import { payoutAnswers } from './reference/examples/payout.ts';
import {
  balanceAnswers,
  entriesAnswers,
  listAnswers,
  transactionAnswers,
} from './reference/examples/transaction.ts';
import { listQuery, readListQuery, scopeToRead } from './requests/list-query.ts';

export const getPayment = {
  method: 'GET',
  paths: ['payments/{id}'],
  summary: 'A payment as it is now',
  scopes: ['payments:read'],
  answer: paymentLookup,
  examples: { answer: { ...paymentAnswers, ...billLookups } },
} as const satisfies Endpoint;

export const getPayout = {
  method: 'GET',
  paths: ['payouts/{id}', 'payouts/check/{id}'],
  otherNames: ['checkPayout'],
  summary: 'A payout as it is now',
  scopes: ['payouts:read'],
  answer: payoutLookup,
  examples: { answer: payoutAnswers },
} as const satisfies Endpoint;

export const getTransaction = {
  method: 'GET',
  paths: ['transactions/{id}'],
  summary: 'Any transaction, as an item of the list',
  scopes: ['payments:read', 'payouts:read'],
  answer: transactionAnswer,
  examples: { answer: transactionAnswers },
} as const satisfies Endpoint;

export const getEntries = {
  method: 'GET',
  paths: ['transactions/{id}/entries'],
  summary: 'The ledger entries of a transaction',
  scopes: ['payments:read', 'payouts:read'],
  answer: entriesAnswer,
  examples: { answer: entriesAnswers },
} as const satisfies Endpoint;

export const getTransactions = {
  method: 'GET',
  paths: ['transactions'],
  summary: 'Transactions, newest first',
  scopes: ['payments:read', 'payouts:read'],
  query: listQuery,
  answer: transactionList,
  examples: { answer: listAnswers },
} as const satisfies Endpoint;

export const getBalance = {
  method: 'GET',
  paths: ['balance'],
  summary: 'What may be paid out and what is held for payouts',
  scopes: ['payments:read', 'payouts:read'],
  answer: balanceAnswer,
  examples: { answer: balanceAnswers },
} as const satisfies Endpoint;

/** The things that a path may name, and what is found there. */
type Found = { payment: CollectionTransaction; payout: PayoutTransaction; transaction: MerchantTransaction };

export function createTransactionHandlers(deps: {
  database: Database;
  now: () => Date;
  listTransactions: ListTransactions;
}) {
  const { database, now, listTransactions } = deps;
  const find = <N extends keyof Found>(request: ApiRequest, noun: N) => findOwn(database, request, noun);
  return {
    getPayment: async (request) => {
      const payment = await find(request, 'payment');
      const parts = payment.mode === 'billpay' ? await billPaymentsOf(database, payment.id) : [];
      const refunds = payment.refunded === null ? [] : await refundsOf(database, payment.id);
      return { body: presentPayment(payment, now(), parts, refunds) };
    },
    getPayout: async (request) => ({ body: presentPayout(await find(request, 'payout'), now()) }),
    getTransaction: async (request) => {
      const data = listItem(await find(request, 'transaction'));
      const message = 'Transaction retrieved successfully';
      return { body: writeJson<typeof transactionAnswer>({ success: true, message, data }) };
    },
    getEntries: async (request) => {
      const { id, currency } = await find(request, 'transaction');
      const entries = await entriesOf(database, id);
      // Other money that the channel moved is in suspense and does not belong to the merchant.
      return {
        body: presentEntries(
          id,
          entries.filter((entry) => entry.currency === currency),
        ),
      };
    },
    getTransactions: async (request) => {
      const { filter, ...page } = readListQuery(request.query);
      const types = readableTypes(request).filter((type) => filter.types?.includes(type) ?? true);
      const { accountId } = callerOf(request);
      const listed = await listTransactions({ accountId, filter: { ...filter, types }, ...page });
      const message = 'Transactions retrieved successfully';
      const data = listed.items.map(listItem);
      const pagination = paginationOf(page, listed);
      return { body: writeJson<typeof transactionList>({ success: true, message, data, pagination }) };
    },
    getBalance: async (request) => {
      const balance = await balanceOf(database, callerOf(request).accountId, CURRENCY);
      return { body: presentBalance(balance, CURRENCY) };
    },
  } satisfies Record<string, Handler>;
}

/**
 * The caller's transaction of this kind. An id of another kind or account, unknown, or no UUID: 404, all alike, so
 * that nothing is learnt about other merchants.
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
  throw new GatewayError('not_found', `There is no ${noun} with this id`);
}

/** The scope of `payments/{id}` and `payouts/{id}` was checked with the route; `transactions/{id}` serves both. */
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

/** Where a page stands among all. An empty list has one page. */
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

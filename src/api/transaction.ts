import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import { toJsonText } from '../domain/json-text.ts';
import { CURRENCY } from '../domain/money.ts';
import type { Transaction } from '../domain/transaction.ts';
import { balanceOf, entriesOf } from '../ledger/accounts.ts';
import { billPaymentsOf } from '../transactions/bill-store.ts';
import { listTransactions, type Page } from '../transactions/list.ts';
import { findTransaction } from '../transactions/store.ts';
import {
  balanceAnswer,
  entriesAnswer,
  paymentLookup,
  payoutLookup,
  transactionAnswer,
  transactionList,
} from './answer-schemas.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from './endpoint.ts';
import { billLookups } from './examples/bill.ts';
import { paymentAnswers } from './examples/payment.ts';
import { payoutAnswers } from './examples/payout.ts';
import { balanceAnswers, entriesAnswers, listAnswers, transactionAnswers } from './examples/transaction.ts';
import { listQuery, readListQuery } from './list-query.ts';
import { listItem, presentBalance, presentEntries, presentPayment, presentPayout } from './present.ts';

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

export type Kind = 'payment' | 'payout' | 'transaction';

export function createTransactionHandlers(deps: { database: Database; now: () => Date }) {
  const { database, now } = deps;
  const find = (request: ApiRequest, kind: Kind) => findOwn(database, request, kind);
  return {
    getPayment: async (request) => {
      const payment = await find(request, 'payment');
      const parts = payment.type === 'bill' ? await billPaymentsOf(database, payment.id) : [];
      return { body: presentPayment(payment, now(), parts) };
    },
    getPayout: async (request) => ({ body: presentPayout(await find(request, 'payout'), now()) }),
    getTransaction: async (request) => {
      const data = listItem(await find(request, 'transaction'));
      return { body: toJsonText({ success: true, message: 'Transaction retrieved successfully', data }) };
    },
    getEntries: async (request) => {
      const { id, currency } = await find(request, 'transaction');
      const entries = await entriesOf(database, id);
      // Other money that the channel moved lies in suspense and is none of the merchant's.
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
      const { items, total } = await listTransactions(database, {
        accountId,
        filter: { ...filter, types },
        ...page,
      });
      const message = 'Transactions retrieved successfully';
      const data = items.map(listItem);
      return { body: toJsonText({ success: true, message, data, pagination: paginationOf(page, total) }) };
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
export async function findOwn(database: Database, request: ApiRequest, kind: Kind): Promise<Transaction> {
  const { accountId } = callerOf(request);
  const found = isUuid(request.id) ? await findTransaction(database, { id: request.id, accountId }) : null;
  if (found && isOfKind(found, kind, request)) {
    request.log.setBindings({ transaction_id: found.id });
    return found;
  }
  throw new GatewayError('not_found', `There is no ${kind} with this id`);
}

/** The scope of `payments/{id}` and `payouts/{id}` was checked with the route; `transactions/{id}` serves both. */
function isOfKind(transaction: Transaction, kind: Kind, request: ApiRequest): boolean {
  if (kind === 'transaction') return readableTypes(request).includes(transaction.type);
  return (transaction.type === 'payout') === (kind === 'payout');
}

function readableTypes(request: ApiRequest): Transaction['type'][] {
  const { scopes } = callerOf(request);
  return [
    ...(scopes.includes('payments:read') ? (['payment', 'bill'] as const) : []),
    ...(scopes.includes('payouts:read') ? (['payout'] as const) : []),
  ];
}

export function paginationOf({ page, perPage }: Page, total: number) {
  return {
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total_items: total,
  };
}

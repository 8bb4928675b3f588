import { bankList } from '../contract/answer-schemas.ts';
import { writeJson } from '../contract/json-of.ts';
import { banks } from '../domain/bank.ts';
import type { ListTransactions } from '../transactions/rows/list.ts';
import { callerOf, type Endpoint, type Handler } from './http/endpoint.ts';
import { listItem } from './present.ts';
import { bankListAnswers } from './reference/examples/transaction.ts';
import { listQuery, readListQuery } from './requests/list-query.ts';
import { paginationOf } from './transaction.ts';

export const getBankList = {
  method: 'GET',
  paths: ['payouts/bank/list'],
  summary: 'The banks that take payouts, and past bank payouts (page and filters act on these)',
  scopes: ['payouts:read'],
  query: listQuery,
  answer: bankList,
  examples: { answer: bankListAnswers },
} as const satisfies Endpoint;

const shown = banks.map(({ name, value, bic }) => ({ name, value, bic }));

/** The interface describes this address twice, as a list of banks and of bank payouts: it answers both at once. */
export function createBankList(listTransactions: ListTransactions): Handler {
  return async (request) => {
    const { filter, ...page } = readListQuery(request.query);
    const wanted = (filter.types?.includes('payout') ?? true) && (filter.mode ?? 'bank') === 'bank';
    const listed = await listTransactions({
      accountId: callerOf(request).accountId,
      filter: { ...filter, types: wanted ? ['payout'] : [], mode: 'bank' },
      ...page,
    });
    return {
      body: writeJson<typeof bankList>({
        success: true,
        message: 'Banks retrieved successfully',
        banks: shown,
        payouts: listed.items.map(listItem),
        pagination: paginationOf(page, listed),
      }),
    };
  };
}

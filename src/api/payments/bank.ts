import { bankList } from '../../contract/answer-schemas.ts';
import { banks } from '../../domain/bank.ts';
import { say } from '../../domain/messages.ts';
import { callerOf, done } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';
import { listQuery, readListQuery } from '../kit/list-query.ts';
import { listItem } from './present.ts';
import { paginationOf } from './transaction.ts';

const shown = banks.map(({ name, value, bic }) => ({ name, value, bic }));

/** The interface describes this path as a list of banks and as one of bank payouts, so we answer both. */
export const getBankList = call(
  {
    method: 'GET',
    paths: ['payouts/bank/list'],
    summary: 'The banks that take payouts, and past bank payouts (page and filters apply to these)',
    purpose:
      'Fill the list of banks in your form from `banks`: each has the `bic` that payouts take. ' +
      'The same answer pages through your own bank payouts in `payouts`, to which the filters apply.',
    scopes: ['payouts:read'],
    query: listQuery,
    answer: bankList,
  },
  async (request, { listTransactions }) => {
    const { filter, ...page } = readListQuery(request.query);
    const wanted = (filter.types?.includes('payout') ?? true) && (filter.mode ?? 'bank') === 'bank';
    const listed = await listTransactions({
      accountId: callerOf(request).accountId,
      filter: { ...filter, types: wanted ? ['payout'] : [], mode: 'bank' },
      ...page,
    });
    return {
      ...done(say('banks_found')),
      banks: shown,
      payouts: listed.items.map(listItem),
      pagination: paginationOf(page, listed),
    };
  },
);

import type { Context, Middleware } from 'koa';
import { toFixedDecimal } from '../../../src/domain/money.ts';
import type { RailContext } from '../core/rail.ts';
import { accountNumbers, type ShownLine, statementLines } from '../core/statement-lines.ts';
import { printedReceiptOf } from './messages.ts';

const PAGE_MAX = 1_000;

export function addGsmaStatements(
  { router, orders, book }: Pick<RailContext, 'router' | 'orders' | 'book'>,
  { prefix, guard }: { prefix: string; guard: Middleware },
): void {
  const linesOf = (context: Context): ShownLine[] | null => {
    const own = (network: string) => accountNumbers[network] === String(context.params.accountId);
    if (!Object.keys(accountNumbers).some(own)) return null;
    return statementLines({ book, orders: orders.all() }, ({ network }) => own(network));
  };

  const paths = (what: string) =>
    ['', 'accountid/'].map((type) => `${prefix}/accounts/${type}:accountId/${what}`);
  router.get(paths('statemententries'), guard, (context: Context) => {
    const lines = linesOf(context);
    if (lines === null) return context.throw(404, 'Unknown account');
    const { fromDateTime, toDateTime, limit = PAGE_MAX, offset = 0 } = context.query;
    const [from, to] = [
      Date.parse(String(fromDateTime ?? '1970-01-01')),
      Date.parse(String(toDateTime ?? '2999-01-01')),
    ];
    const within = lines.filter(({ at }) => at.getTime() >= from && at.getTime() <= to).reverse();
    const page = within.slice(Number(offset), Number(offset) + Math.min(Number(limit), PAGE_MAX));
    context.set({
      'X-Records-Available-Count': String(within.length),
      'X-Records-Returned-Count': String(page.length),
    });
    context.body = page.map((line) => entryOf(line, String(context.params.accountId)));
  });

  router.get(paths('balance'), guard, (context: Context) => {
    const lines = linesOf(context);
    if (lines === null) return context.throw(404, 'Unknown account');
    context.body = {
      currentBalance: lines.length === 0 ? '0.00' : toFixedDecimal((lines.at(-1) as ShownLine).balance),
    };
  });
}

function entryOf({ receipt, kind, at, amount, party, reference, original }: ShownLine, account: string) {
  const ours = [{ key: 'accountid', value: account }];
  const theirs = [{ key: 'msisdn', value: party }];
  return {
    transactionReference: receipt,
    transactionReceipt: printedReceiptOf(receipt),
    transactionStatus: 'completed',
    amount: toFixedDecimal(Math.abs(amount) as typeof amount),
    currency: 'TZS',
    creditParty: amount > 0 ? ours : theirs,
    debitParty: amount > 0 ? theirs : ours,
    displayType: { charge: 'fee', return: 'reversal' }[kind as string] ?? 'transfer',
    creationDate: at.toISOString(),
    modificationDate: at.toISOString(),
    ...(reference === '' ? {} : { requestingOrganisationTransactionReference: reference }),
    ...(original === '' ? {} : { originalTransactionReference: original }),
  };
}

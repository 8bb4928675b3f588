import type { Context } from 'koa';
import { DAY_MS, momentOf, startOfDay } from '../../../src/domain/day.ts';
import { minor } from '../../../src/domain/money.ts';
import type { RailContext } from '../core/rail.ts';
import { accountNumbers, type Deposit, statementLines } from '../core/statement-lines.ts';
import { writers } from './files.ts';

/** The writer of each format for each network's account. */
const accounts: Record<string, Record<string, string>> = {
  'm-pesa': { csv: 'legacy' },
  'airtel-money': { csv: 'newer' },
  bank: { csv: 'crdb', xml: 'camt' },
};

const DATE = /^\d{4}-\d\d-\d\d$/;

export type StatementOptions = {
  /** the first deposit in the merchant's bank account, with the bank's reference */
  deposit?: { reference: string; amountTzs: number } | undefined;
};

/**
 * `GET /statements/{account}.{csv|xml}?from&to` returns the days from `from` (today) to before `to` (one
 * day), in Dar es Salaam time.
 */
export function addStatements({ router, orders, book }: RailContext, { deposit }: StatementOptions): void {
  const opened = new Date((book.recall('opened').get('at') as string | undefined) ?? Date.now());
  if (deposit && !book.recall('opened').has('at')) void book.remember('opened', 'at', opened.toISOString());
  const deposits: Deposit[] = deposit ? [{ ...deposit, at: opened }] : [];

  router.get('/statements', (context) => {
    context.body = {
      statements: Object.entries(accounts).flatMap(([id, formats]) =>
        Object.keys(formats).map((format) => `/statements/${id}.${format}`),
      ),
    };
  });
  router.get('/statements/:file', (context: Context) => {
    const [id = '', format = ''] = String(context.params.file).split('.');
    const formats = Object.hasOwn(accounts, id) ? (accounts[id] ?? {}) : {};
    const write = writers[(Object.hasOwn(formats, format) && formats[format]) || ''];
    const theirs = accountNumbers[id];
    if (!theirs || !write) return context.throw(404, 'there is no such statement');
    const days = periodOf(context);
    const lines = statementLines(
      { book, orders: orders.all(), deposits: id === 'bank' ? deposits : [] },
      ({ network }) => network === id,
    );
    const earlier = lines.filter(({ at }) => at < days.from);
    context.attachment(`${id}-${String(context.query.from ?? 'today')}.${format}`);
    context.type = format === 'xml' ? 'application/xml' : 'text/csv';
    context.body = write({
      theirs,
      ...days,
      opening: earlier.at(-1)?.balance ?? minor(0),
      lines: lines.filter(({ at }) => at >= days.from && at < days.to),
    });
  });
}

function periodOf(context: Context): { from: Date; to: Date } {
  const moment = (name: 'from' | 'to') => {
    const text = context.query[name];
    if (text === undefined) return null;
    if (typeof text !== 'string' || !DATE.test(text) || Number.isNaN(Date.parse(text)))
      return context.throw(400, `${name} must be a date`);
    return new Date(momentOf(text));
  };
  const from = moment('from') ?? new Date(startOfDay(new Date()));
  const to = moment('to') ?? new Date(from.getTime() + DAY_MS);
  if (from >= to) return context.throw(400, 'from must be before to');
  return { from, to };
}

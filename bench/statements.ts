import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, perSecond, rounded } from './load.ts';
import type { Statement } from './postgres.ts';
import type { Stack } from './stack.ts';

const PAYMENTS = 20;
/** What the bench itself asks: its set-up, and whether a callback is delivered. */
const OURS = ['malipo bench', 'test'];
const WARM_UP = 40;
const WARM_UP_IN_FLIGHT = 8;

/** The steps of a payment, each by what its transaction says and no other one does. A statement alone begins with itself. */
const steps: [name: string, pattern: RegExp][] = [
  ['authenticate', /^SELECT k\.id, k\.account_id, k\.scopes/],
  ['look for a stored answer', /^SELECT .* FROM idempotency_keys/],
  ['accept', /INSERT INTO idempotency_keys/],
  ['record the send', /INSERT INTO sends/],
  ['note the answer to the send', /^UPDATE sends SET outcome/],
  ['find whose notification it is', /^SELECT (t\.)?id\b.* FROM transactions/],
  ['notification door', /INSERT INTO notifications/],
  ['settle', /UPDATE notifications SET state = 'applied'/],
  ['begin the callback', /INSERT INTO callback_attempts/],
  ['end the callback', /UPDATE callback_events SET state = 'delivered'/],
];

/** The statements that commit together; one alone, too. */
type Transaction = { process: string; statements: Statement[] };

/**
 * What one happy push and one happy payout ask of Postgres, from their POST to the delivered callback, step by step: one
 * payment after the other. What belongs to none of them (watching, sweeping) comes less often and is left out.
 */
export async function statements(stack: Stack): Promise<Figure[]> {
  const kinds = [
    { name: 'push', path: 'payments/ussd', body: pushBody() },
    { name: 'payout', path: 'payouts/mobile', body: mobilePayoutBody() },
  ];
  const figures: Figure[] = [];
  for (const { name, path, body } of kinds) {
    const one = () => stack.untilDelivered(path, { key: newKey(), body });
    await perSecond(WARM_UP, one, WARM_UP_IN_FLIGHT);
    const all = await stack.postgres.statementsDuring(() => perSecond(PAYMENTS, one, 1));
    const ran = all.filter(({ process }) => !OURS.includes(process));
    const rows = rowsOf(transactionsIn(ran));
    figures.push({
      title: `What a happy ${name} asks of Postgres (mean of ${PAYMENTS}, one after the other)`,
      columns: ['', 'process', 'statements', 'round trips', 'commits', 'ms to plan', 'ms to run'],
      rows,
      pictures: [
        {
          title: `What each step of a ${name} takes in Postgres`,
          axis: '',
          unit: 'ms',
          kind: 'stacked',
          places: [name],
          series: rows.slice(0, -1).map((row) => ({
            name: String(row[0]),
            values: [rounded(Number(row.at(-2)) + Number(row.at(-1)), 2)],
          })),
        },
      ],
    });
    if (process.env.BENCH_TEXTS) figures.push({ title: `Every text of it`, ...textsOf(ran) });
  }
  return figures;
}

function transactionsIn(ran: Statement[]): Transaction[] {
  const transactions: Transaction[] = [];
  let open: string | null = null;
  for (const one of ran) {
    if (open !== one.session) transactions.push({ process: one.process, statements: [] });
    transactions.at(-1)?.statements.push(one);
    if (one.text.startsWith('BEGIN')) open = one.session;
    if (one.text === 'COMMIT' || one.text === 'ROLLBACK') open = null;
  }
  return transactions;
}

function rowsOf(transactions: Transaction[]): Figure['rows'] {
  const bySteps = new Map<string, Transaction[]>();
  for (const one of transactions) {
    const step = `${one.process}\n${stepOf(one)}`;
    bySteps.set(step, [...(bySteps.get(step) ?? []), one]);
  }
  const ofPayments = [...bySteps]
    .filter(([, all]) => all.length > PAYMENTS / 2)
    .sort(([a], [b]) => order(a) - order(b));
  const rows = ofPayments.map(([step, all]) => {
    const [process = '', name = ''] = step.split('\n');
    return [name, process, ...sums(all)];
  });
  return [...rows, ['together', '', ...sums(ofPayments.flatMap(([, all]) => all))]];
}

const order = (step: string) => steps.findIndex(([name]) => step.endsWith(`\n${name}`));

function stepOf({ statements }: Transaction): string {
  const texts = statements.map(({ text }) => text).join('\n');
  return steps.find(([, pattern]) => pattern.test(texts))?.[0] ?? texts.slice(0, 60);
}

const isBoundary = ({ text }: Statement) => /^(BEGIN|COMMIT|ROLLBACK$)/.test(text);
const isWrite = ({ text }: Statement) => /\b(INSERT INTO|DELETE FROM|UPDATE \w+ (\w+ )?SET)\b/.test(text);

function sums(transactions: Transaction[]): number[] {
  const ran = transactions.flatMap(({ statements }) => statements);
  const sum = (of: (one: Statement) => number) => ran.reduce((before, one) => before + of(one), 0) / PAYMENTS;
  return [
    rounded(sum((one) => (isBoundary(one) ? 0 : 1))),
    rounded(ran.length / PAYMENTS),
    rounded(transactions.filter(({ statements }) => statements.some(isWrite)).length / PAYMENTS),
    rounded(
      sum(({ planMs }) => planMs),
      2,
    ),
    rounded(
      sum(({ runMs }) => runMs),
      2,
    ),
  ];
}

/** The dearest first, per payment. */
function textsOf(ran: Statement[]): Omit<Figure, 'title'> {
  const byText = new Map<string, { count: number; planMs: number; runMs: number }>();
  for (const { text, planMs, runMs } of ran) {
    const sum = byText.get(text) ?? { count: 0, planMs: 0, runMs: 0 };
    byText.set(text, { count: sum.count + 1, planMs: sum.planMs + planMs, runMs: sum.runMs + runMs });
  }
  const dearest = [...byText].sort(([, a], [, b]) => b.planMs + b.runMs - a.planMs - a.runMs);
  return {
    columns: ['', 'times', 'ms to plan', 'ms to run'],
    rows: dearest.map(([text, { count, planMs, runMs }]) => [
      text.slice(0, 150),
      ...[count, planMs, runMs].map((value) => rounded(value / PAYMENTS, 2)),
    ]),
  };
}

import { dayOf } from '../../domain/day.ts';
import { differentOpening, prove } from '../continuity.ts';
import { refuseFile, type Statement, StatementRefused } from '../statement.ts';

const ASK = 'ask the bank for the file again';

export type Part = { name: string; statement: Statement };
type Dated = { name: string; statement: Statement; from: Date; to: Date };

/** Sorts by day: each statement must open with the closing balance before it. Throws StatementRefused. */
export function joined(parts: readonly Part[]): Statement {
  const [only] = parts;
  if (only && parts.length === 1) return only.statement;
  const all = parts.map(dated).sort((a, b) => a.from.getTime() - b.from.getTime());
  const [first, last] = [all[0] as Dated, all.at(-1) as Dated];
  for (const [index, part] of all.entries()) {
    requireWhole(part);
    if (index > 0) requireNext(part, all[index - 1] as Dated);
  }
  return {
    ...first.statement,
    period: { from: first.from, to: last.to },
    closing: last.statement.closing,
    totals: { lines: null, paidIn: null, paidOut: null },
    lines: all.flatMap(({ statement }) => statement.lines),
    parts: all.map(({ name, to }) => ({ name, to })),
  };
}

function dated({ name, statement }: Part): Dated {
  const { period } = statement;
  if (period === null) return refuseFile(`the statement ${name} does not say its days`, ASK);
  return { name: `${name} of ${dayOf(period.from)}`, statement, ...period };
}

function requireWhole({ name, statement }: Dated): void {
  try {
    prove(statement);
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error;
    throw new StatementRefused(`the statement ${name}: ${error.message}`);
  }
}

function requireNext(part: Dated, before: Dated): void {
  const [opening, closing] = [part.statement.opening, before.statement.closing];
  if (part.from < before.to)
    refuseFile(
      `the statements ${before.name} and ${part.name} are of the same days`,
      'ask the bank for one of them',
    );
  if (part.from > before.to)
    refuseFile(
      `the statement ${part.name} follows ${before.name}, and what is between them is missing`,
      'ask the bank for it',
    );
  if (opening !== null && closing !== null && opening !== closing)
    refuseFile(`the statement ${part.name}: ${differentOpening(opening, closing)}`, ASK);
}

import type { JsonOf } from '../../contract/json-of.ts';
import type { statementAnswer, statementLine } from '../../contract/statement-schemas.ts';
import { say } from '../../domain/messages.ts';
import { formatMoney, type Minor } from '../../domain/money.ts';
import type { StatementBounds, StatementLine } from '../../domain/statement.ts';
import type { Page } from '../../platform/db/listing.ts';
import { done } from '../kit/call.ts';
import { paginationOf } from '../payments/transaction.ts';

export type ReceiptOf = (line: Pick<StatementLine, 'transactionId' | 'part'>) => string | undefined;

/** The lines are one page; the balances are for the whole range. */
export function presentStatement(
  statement: StatementBounds & { lines: readonly StatementLine[] },
  asked: { currency: string; from: string; to: string; page: Page; receiptOf: ReceiptOf },
): JsonOf<typeof statementAnswer> {
  const total = statement.lastLine - statement.lineBefore;
  return {
    ...done(say('statement_found')),
    currency: asked.currency,
    from: asked.from,
    to: asked.to,
    final: statement.final,
    opening_balance: formatMoney(statement.opening),
    closing_balance: formatMoney(statement.closing),
    data: statement.lines.map((line) => presentLine(line, asked.receiptOf, formatMoney)),
    pagination: paginationOf(asked.page, { total, totalIsMinimum: false }),
  };
}

export function presentLine(
  line: StatementLine,
  receiptOf: ReceiptOf,
  written: (amount: Minor) => string,
): JsonOf<typeof statementLine> {
  const { line: number, at, type, transactionId, reference, description, amount, balance } = line;
  return {
    line: number,
    at,
    type,
    transaction_id: transactionId ?? undefined,
    reference: reference ?? undefined,
    description,
    amount: written(amount),
    balance: written(balance),
    receipt_url: receiptOf(line),
  };
}

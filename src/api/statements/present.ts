import type { JsonOf } from '../../contract/json-of.ts';
import type { statementAnswer } from '../../contract/statement-schemas.ts';
import { say } from '../../domain/messages.ts';
import { formatMoney } from '../../domain/money.ts';
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
    opening_balance: formatMoney(statement.opening),
    closing_balance: formatMoney(statement.closing),
    final: statement.final,
    data: statement.lines.map((line) => lineOf(line, asked.receiptOf)),
    pagination: paginationOf(asked.page, { total, totalIsMinimum: false }),
  };
}

function lineOf(line: StatementLine, receiptOf: ReceiptOf): JsonOf<typeof statementAnswer>['data'][number] {
  return {
    line: line.line,
    at: line.at,
    type: line.type,
    transaction_id: line.transactionId ?? undefined,
    reference: line.reference ?? undefined,
    description: line.description,
    amount: formatMoney(line.amount),
    balance: formatMoney(line.balance),
    receipt_url: receiptOf(line),
  };
}

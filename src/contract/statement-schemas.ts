import { z } from 'zod';
import { statementTypes } from '../domain/statement.ts';
import { currency, money, ok, pagination, receiptUrl, timestamp, uuid } from './answer-schemas.ts';

const line = z
  .strictObject({
    line: z.int().min(1).meta({ description: 'Numbers the lines of the account without a gap' }),
    at: timestamp,
    type: z.enum(statementTypes),
    transaction_id: uuid.optional(),
    reference: z
      .string()
      .meta({
        description:
          "The network's receipt of a payment, our payout_reference, or what names a top-up or a withdrawal",
      })
      .optional(),
    description: z.string(),
    amount: money.meta({ description: 'Positive: it came; negative: it went' }),
    balance: money.meta({ description: 'What was available after this line' }),
    receipt_url: receiptUrl,
  })
  .meta({ id: 'StatementLine' });

export const statementAnswer = z.strictObject({
  ...ok,
  currency,
  from: timestamp,
  to: timestamp,
  opening_balance: money,
  closing_balance: money.meta({
    description: 'opening_balance and the amounts of all lines of the range, not only of this page',
  }),
  final: z.boolean().meta({
    description: 'Nothing that happens later changes this range: a correction is a line of its day',
  }),
  data: z.array(line),
  pagination,
});

/** The fees of a month of Dar es Salaam, added up from the statement's lines. */
export const feeStatementAnswer = z.strictObject({
  ...ok,
  currency,
  month: z.string().meta({ example: '2026-11' }),
  from: timestamp,
  to: timestamp,
  final: z.boolean().meta({ description: 'Nothing that happens later changes this month' }),
  fees: z.array(
    z
      .strictObject({
        transaction_mode: z.string().optional(),
        description: z.string().meta({ description: "As the statement's lines say" }),
        lines: z.int().min(1).meta({ description: 'How many lines of the statement' }),
        amount: money.meta({ description: 'Negative: taken; positive: given back' }),
      })
      .meta({ id: 'FeeTotal' }),
  ),
  total: money,
});

export const entriesAnswer = z.strictObject({
  ...ok,
  transaction_id: uuid,
  entries: z.array(
    z.strictObject({
      transfer_id: uuid,
      kind: z.enum([
        'hold',
        'release',
        'payout',
        'collection',
        'suspense',
        'reversal',
        'suspense_release',
        'suspense_return',
        'write_off',
        'correction',
        'void',
      ]),
      account: z.enum(['available', 'held', 'clearing', 'fees', 'suspense', 'settlement', 'gains', 'losses']),
      amount: money,
      created_at: timestamp,
    }),
  ),
});

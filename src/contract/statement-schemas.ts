import { z } from 'zod';
import { statementTypes } from '../domain/statement.ts';
import * as fields from './fields.ts';
import { money, ok, pagination, timestamp } from './fields.ts';

export const statementLine = z
  .strictObject({
    line: z
      .int()
      .min(1)
      .meta({ description: 'The number of the line; the numbers of an account have no gap' }),
    at: timestamp.meta({ description: 'When the balance changed' }),
    type: z.enum(statementTypes).meta({ description: 'What changed the balance' }),
    transaction_id: fields.transactionId.optional(),
    reference: z
      .string()
      .meta({
        description:
          "The network's receipt of a payment, our payout_reference, or the name of a top-up or withdrawal",
      })
      .optional(),
    description: z.string().meta({ description: 'The change in words' }),
    amount: money.meta({ description: 'Positive: money came in; negative: money went out' }),
    balance: money.meta({ description: 'What was available after this line' }),
    receipt_url: fields.receiptUrl,
  })
  .meta({ id: 'StatementLine' });

export const statementAnswer = z.strictObject({
  ...ok,
  currency: fields.currency,
  from: timestamp.meta({ description: 'Where the range begins, inclusive' }),
  to: timestamp.meta({ description: 'Where the range ends, exclusive' }),
  final: z.boolean().meta({
    description: 'True if this range will never change: a later correction is a line of its own day',
  }),
  opening_balance: money.meta({ description: 'What was available when the range began' }),
  closing_balance: money.meta({
    description: 'opening_balance and the amounts of all lines of the range, not only of this page',
  }),
  data: z.array(statementLine).meta({ description: 'The items of this page' }),
  pagination,
});

/** The fees of a month (Dar es Salaam time) are sums of its statement lines. */
export const feeStatementAnswer = z.strictObject({
  ...ok,
  currency: fields.currency,
  month: z.string().meta({ example: '2026-11', description: 'The month, of Dar es Salaam' }),
  from: timestamp.meta({ description: 'Where it begins, inclusive' }),
  to: timestamp.meta({ description: 'Where it ends, exclusive' }),
  final: z.boolean().meta({ description: 'True if this month will never change' }),
  fees: z
    .array(
      z
        .strictObject({
          transaction_mode: z.string().meta(fields.mode).optional(),
          description: z.string().meta({ description: "As the statement's lines say" }),
          lines: z.int().min(1).meta({ description: 'How many lines of the statement' }),
          amount: money.meta({ description: 'Negative: fees taken; positive: fees given back' }),
        })
        .meta({ id: 'FeeTotal' }),
    )
    .meta({ description: 'What each kind of fee came to' }),
  total: money.meta({ description: 'All of them; negative: taken' }),
});

export const entriesAnswer = z.strictObject({
  ...ok,
  transaction_id: fields.transactionId,
  entries: z
    .array(
      z
        .strictObject({
          transfer_id: fields.uuid.meta({ description: 'Entries of one transfer add up to zero' }),
          kind: z
            .enum([
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
            ])
            .meta({ description: 'What the transfer is for' }),
          account: z
            .enum(['available', 'held', 'clearing', 'fees', 'suspense', 'settlement', 'gains', 'losses'])
            .meta({ description: 'The account that the entry moves' }),
          amount: money.meta({ description: 'Positive: added to the account; negative: taken from it' }),
          created_at: fields.createdAt,
        })
        .meta({ id: 'Entry' }),
    )
    .meta({ description: 'What moved, oldest first' }),
});

import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { CURRENCY, MONEY_MAX, minor } from '../../domain/money.ts';
import { type CorrectedLine, findLine, isCorrected, postCorrection } from '../../ledger/correction.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import {
  accountIdField,
  currencyField,
  declare,
  documented,
  exampleAccount,
  inShillings,
  notZero,
  sentenceField,
} from './actions.ts';
import { covered } from './covered.ts';
import { balanceFacts, merchantNamed, shillings } from './facts.ts';

const LINE_MAX = 1_000_000_000_000;

const payload = z.strictObject({
  account_id: accountIdField,
  line: z
    .int('must be the number of a line')
    .min(1, 'must be at least 1')
    .max(LINE_MAX)
    .meta(documented("The line's number on the merchant's statement")),
  amount: z
    .int('must be a whole number of minor units (1 TZS = 100)')
    .min(-MONEY_MAX, `must be at least -${MONEY_MAX}`)
    .max(MONEY_MAX, `must be at most ${MONEY_MAX}`)
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor)
    .meta({
      ...inShillings,
      ...notZero,
      title: 'Amount: above zero credits the merchant, below zero debits it',
      description: 'Minor units (1 TZS = 100): above zero credits the merchant, below zero debits it',
    }),
  currency: currencyField,
  reference: sentenceField(100).meta({
    description: 'For example a ticket; it is posted only once, however it is spelled',
  }),
  note: sentenceField(255).meta({ title: 'Why', description: 'The merchant sees it on the statement' }),
});
type Correction = z.output<typeof payload>;

export const correctLineAction = declare({
  title: "Correct a line of a merchant's statement",
  command: 'accounts correct <account_id> <line>',
  example: [
    'a fee was taken twice, ticket 333',
    {
      account_id: exampleAccount,
      line: 1841,
      amount: 150_000,
      currency: 'TZS',
      reference: 'ticket 333',
      note: 'Fee of payment 1841 given back',
    },
  ],
  role: 'finance',
  payload,
  async describe(asked, view) {
    const { account_id, amount, line, reference, note } = asked;
    const was = shillings((await requireLine(view.db, asked)).amount);
    return {
      summary:
        `Correct line ${line} (${was}) of ${await merchantNamed(view, account_id)}: ` +
        `${amount > 0 ? 'credit' : 'debit'} ${sizeOf(asked)} (${reference}): ${note}`,
      facts: await balanceFacts(view, account_id, amount),
    };
  },
  async check(db, asked) {
    // After a restore, payouts that are not recovered yet may have paid out this money.
    if (asked.amount < 0) await requireRecovered(db);
    if (await isCorrected(db, asked.account_id, asked.reference)) throw usedBefore(asked);
    return requireLine(db, asked);
  },
  async execute(db, asked, { actor, proposalId }, line) {
    const { amount, reference, note } = asked;
    const posting = postCorrection(db, line, { amount, reference, note, proposalId });
    if (!(await covered(sizeOf(asked), posting))) throw usedBefore(asked);
    const detail = { line: asked.line, amount, currency: CURRENCY, reference, note, proposal: proposalId };
    await audit(db, { actor, action: 'statements.correct', subject: asked.account_id, detail });
    return { outcome: `correction of line ${asked.line} by ${shillings(amount)} is posted` };
  },
});

async function requireLine(db: Queryable, { account_id, line }: Correction): Promise<CorrectedLine> {
  const found = await findLine(db, account_id, line);
  if (found === null)
    throw new GatewayError('not_found', `The statement of account ${account_id} has no line ${line}`);
  return found;
}

const usedBefore = ({ reference }: Correction) =>
  conflict(`A correction with the reference ${reference} was posted before: nothing moved`);

const sizeOf = ({ amount }: Correction) => shillings(Math.abs(amount));

import { z } from 'zod';
import { requireAccount } from '../accounts/store.ts';
import type { Queryable } from '../db/pool.ts';
import { GatewayError, InsufficientFunds } from '../domain/errors.ts';
import { CURRENCY, formatMoney, MONEY_MAX, minor } from '../domain/money.ts';
import { balanceOf } from '../ledger/accounts.ts';
import { type FundingKind, postFunding } from '../ledger/transfer.ts';
import { requireRecovered } from '../transactions/fence.ts';
import {
  type Action,
  type Approval,
  accountIdField,
  action,
  type Executed,
  sentenceField,
} from './actions.ts';

const payload = z.strictObject({
  account_id: accountIdField,
  amount: z
    .int('must be a whole number of minor units (1 TZS = 100)')
    .positive('must be above zero')
    .max(MONEY_MAX, `must be at most ${MONEY_MAX}`)
    .transform(minor)
    .meta({ description: 'Minor units (1 TZS = 100)' }),
  currency: z.literal(CURRENCY, `must be ${CURRENCY}`),
  reference: sentenceField(100).meta({
    description: 'What makes it happen once: a line of our bank statement',
  }),
  note: sentenceField(255).optional(),
});
type Funding = z.output<typeof payload>;

/** A merchant's money reached our bank account. Also while the fence is closed: what is missing is made again so. */
export const topUpAction = fundingAction('top_up');
/** A merchant's money left it. */
export const withdrawAction = fundingAction('withdrawal');

function fundingAction(kind: FundingKind): Action {
  const [verb, noun] = kind === 'top_up' ? ['Credit', 'top-up'] : ['Debit', 'withdrawal'];
  return action<Funding>({
    role: 'finance',
    payload,
    describe: (funding) =>
      `${verb} account ${funding.account_id} with ${moneyOf(funding)} (${funding.reference})`,
    async check(db, funding) {
      await requireAccount(db, funding.account_id);
      if (kind === 'withdrawal') {
        await requireRecovered(db);
        const { current } = await balanceOf(db, funding.account_id, CURRENCY);
        if (current < funding.amount) throw lacks(funding);
      }
    },
    execute: (db, funding, approval) => execute(db, { kind, noun, funding, approval }),
  });
}

async function execute(
  db: Queryable,
  asked: { kind: FundingKind; noun: string; funding: Funding; approval: Approval },
): Promise<Executed> {
  const { kind, noun, funding, approval } = asked;
  await requireAccount(db, funding.account_id);
  if (kind === 'withdrawal') await requireRecovered(db);
  try {
    const posted = await postFunding(db, kind, {
      accountId: funding.account_id,
      amount: funding.amount,
      dedupeKey: funding.reference,
      note: funding.note,
      actor: approval.actor,
    });
    if (posted) return { outcome: `${noun} of ${moneyOf(funding)} is posted` };
    return { outcome: `${funding.reference} was posted before: nothing moved` };
  } catch (error) {
    if (error instanceof InsufficientFunds) throw lacks(funding);
    throw error;
  }
}

function moneyOf({ amount, currency }: Funding): string {
  return `${formatMoney(amount)} ${currency}`;
}

function lacks(funding: Funding): GatewayError {
  return new GatewayError(
    'insufficient_balance',
    `The account has less than ${moneyOf(funding)}: nothing moved`,
  );
}

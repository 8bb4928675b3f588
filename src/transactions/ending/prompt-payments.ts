import type { Queryable } from '../../db/pool.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { paidBy, type Transaction } from '../../domain/transaction.ts';
import { releaseClaim } from '../acceptance/prompts.ts';
import { requireOpenFence } from '../care/fence.ts';
import { controlNumberOfPayable } from '../rows/payable.ts';
import { decide } from './bills.ts';
import { type Ending, end as endAlone } from './ending.ts';
import type { WaitingReturn } from './returns.ts';

/** How a transaction ends, with what its end does to a bill or number that it pays. Returns it as it is then. */
export async function end(
  db: Queryable,
  before: Transaction,
  ending: Ending,
  returns: readonly WaitingReturn[],
): Promise<Transaction> {
  const after = await endAlone(db, before, ending, returns);
  await payByPush(db, after);
  return after;
}

/**
 * The end of a push that was asked for on a page, in the transaction that ends it. Its money is a payment of what it pays,
 * with its receipt, as if the customer had typed the control number: taken under the bill's row lock, or in suspense where
 * the bill was paid meanwhile. A failure lets others pay the bill at once.
 */
async function payByPush(db: Queryable, prompt: Transaction): Promise<void> {
  const pays = paidBy(prompt);
  if (pays === null || prompt.mode !== 'ussd') return;
  const { id, status, amount, currency, channel, connection, msisdn, fullName } = prompt;
  if (status !== 'completed') return releaseClaim(db, { id, pays });
  const controlNumber = await controlNumberOfPayable(db, pays);
  if (controlNumber === null) {
    // A restore may have lost it.
    await requireOpenFence(db);
    throw new BrokenInvariant(`${id} pays ${pays}, which is not there`);
  }
  const payment = {
    receipt: prompt.channelReference ?? prompt.reference,
    controlNumber,
    controlNumberAsSent: controlNumber,
    amount,
    amountAsSent: String(amount),
    refusalReturnsMoney: false,
    ...{ currency, channel, connection, msisdn, fullName },
  };
  // It was let in while what it pays was open.
  await decide(db, payment, true);
}

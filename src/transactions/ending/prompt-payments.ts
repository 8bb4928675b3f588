import { BrokenInvariant } from '../../domain/errors.ts';
import { paidBy, type Transaction } from '../../domain/transaction.ts';
import { addNames, movementOfItem } from '../../ledger/booked.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { releaseClaim } from '../acceptance/prompts.ts';
import { requireOpenFence } from '../care/fence.ts';
import { findReceipt } from '../rows/bill-receipts.ts';
import { controlNumberOfPayable } from '../rows/payable.ts';
import { decide, takeContradiction } from './bills.ts';
import { type Ending, end as endAlone } from './ending.ts';
import type { WaitingReturn } from './returns.ts';

/** Ends a transaction, and does what that means for a bill or number that it pays. Returns it as it is then. */
export async function end(
  db: Queryable,
  before: Transaction,
  ending: Ending,
  returns: readonly WaitingReturn[],
): Promise<Transaction> {
  const after = await endAlone(db, before, ending, returns);
  if (ending.kind === 'succeeded') await payByPush(db, after, ending);
  else await freeBill(db, after);
  return after;
}

/** A push from a page that fails lets others pay the bill at once. */
async function freeBill(db: Queryable, prompt: Transaction): Promise<void> {
  const pays = paidBy(prompt);
  if (pays !== null) await releaseClaim(db, { id: prompt.id, pays });
}

/**
 * A push from a page succeeds in the transaction that ends it. Its money is a payment of what it pays, with its
 * receipt, as if the customer had typed the control number: taken under the bill's row lock, or in suspense where the
 * bill was paid meanwhile. Without a receipt it has our reference: the channel's number of our request is no receipt.
 */
async function payByPush(
  db: Queryable,
  prompt: Transaction,
  { channelReference, alsoKnownAs, item = null }: Ending & { kind: 'succeeded' },
): Promise<void> {
  if (!('pays' in prompt) || prompt.pays === null) return;
  const { id, pays, amount, currency, channel, connection, msisdn, fullName } = prompt;
  const controlNumber = await controlNumberOfPayable(db, pays);
  if (controlNumber === null) {
    // A restore may have lost the bill.
    await requireOpenFence(db);
    throw new BrokenInvariant(`${id} pays ${pays}, which is not there`);
  }
  const receipt = channelReference ?? prompt.reference;
  if (item !== null && channelReference === null) {
    // A statement has its receipt, we have not: from now on its item is found by ours, too.
    const moved = await movementOfItem(db, item);
    if (moved) await addNames(db, [{ movement: moved.id, name: receipt, line: null, isReceipt: false }]);
  }
  const payment = {
    receipt,
    alsoKnownAs,
    prompt: id,
    item,
    isOurs: channelReference === null,
    controlNumber,
    controlNumberAsSent: controlNumber,
    amount,
    amountAsSent: String(amount),
    refusalReturnsMoney: false,
    currency,
    channel,
    connection,
    msisdn,
    fullName,
  };
  // It was let in while what it pays was open.
  const { outcome } = await decide(db, payment, true);
  // Its receipt is known for other money. This is money all the same, and nobody can tell whose.
  if (outcome === 'refused') await takeContradiction(db, payment, (await findReceipt(db, payment)).space);
}

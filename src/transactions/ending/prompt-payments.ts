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

/** Ends a transaction, also for the bill or number that it pays. */
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

/** A failed push from a page frees its bill for other payers at once. */
async function freeBill(db: Queryable, prompt: Transaction): Promise<void> {
  const pays = paidBy(prompt);
  if (pays !== null) await releaseClaim(db, { id: prompt.id, pays });
}

/**
 * Turns a successful push's money into a payment of the bill or number, in the transaction that ends the
 * push. If the bill was paid meanwhile, the money goes to suspense. Takes the bill's row lock. Without a
 * receipt it uses our reference, because the channel's request number is no receipt.
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
    // The push has no receipt, but the statement has. Add our reference, so it also finds the item.
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
  // The push was admitted while the bill or number was open.
  const { outcome } = await decide(db, payment, true);
  // The receipt belongs to other money, so the owner of this money is unclear.
  if (outcome === 'refused') await takeContradiction(db, payment, (await findReceipt(db, payment)).space);
}

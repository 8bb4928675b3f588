import { type BillRefusal, outstandingOf, refusalOf } from '../../domain/bill.ts';
import { type PromptBudget, promptLimits } from '../../domain/data/prompts.ts';
import { type Message, say } from '../../domain/messages.ts';
import type { PushRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { claim, lockBill, promptClaimOf } from '../rows/bill-store.ts';
import { lockNumber } from '../rows/number-store.ts';
import { controlNumberOfPayable } from '../rows/payable.ts';

export type PromptSubmission = Submission<PushRequest & { pays: string }>;

export function isPrompt(submission: Submission<PushRequest>): submission is PromptSubmission {
  return submission.request.pays !== undefined;
}

/**
 * Decides inside the accepting transaction whether a push from a page may be sent. If not, returns the
 * reason, for the payer. Locks the bill or number, so concurrent requests send one. Only a bill's first
 * prompts reserve it, so nobody blocks a control number for ever (data/prompts.json).
 */
export async function admitPrompt(db: Queryable, submission: PromptSubmission): Promise<Message | null> {
  const { request, transactionId, accountId } = submission;
  const { pays, msisdn, channel, amount } = request;
  const by = [promptClaimOf(transactionId), `${channel}:payer:${msisdn}`];
  const controlNumber = await controlNumberOfPayable(db, pays);
  const bill = controlNumber === null ? null : await lockBill(db, { controlNumber, claimants: by });
  const found = bill ?? (controlNumber === null ? null : await lockNumber(db, controlNumber));
  if (!found) return refusals.unknown_reference;
  // Lock order everywhere: number first, then phone.
  if (!bill) await lockName(db, `prompts of ${pays}`);
  await lockName(db, `prompts to ${msisdn}`);
  const refusal = refusalOf(found, request);
  if (refusal) return refusals[refusal];
  if (bill && amount !== outstandingOf(bill, bill.amount)) return refusals.amount_invalid;
  const { sent, message } = await countPrompts(db, { pays, msisdn, accountId, isBill: bill !== null });
  if (message) return message;
  if (bill?.mode === 'exact' && sent < promptLimits.holding_bill)
    await claim(db, { transactionId: pays, by, seconds: submission.timing.promptMs / 1_000 });
  return null;
}

/** Frees an exact bill that a failed prompt had reserved. Takes the bill's row lock. */
export async function releaseClaim(db: Queryable, prompt: { id: string; pays: string }): Promise<void> {
  await db.query(
    `UPDATE bills SET claimed_by = NULL, claimed_until = NULL
     WHERE transaction_id = $1 AND $2 = ANY(claimed_by) AND cardinality(claimed_by) = 2`,
    [prompt.pays, promptClaimOf(prompt.id)],
  );
}

async function lockName(db: Queryable, name: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/** Counts a bill's prompts (0 for a number), and returns why no more may be sent, or null. */
export async function countPrompts(
  db: Queryable,
  { pays, msisdn, accountId, isBill }: { pays: string; msisdn: string; accountId: string; isBill: boolean },
): Promise<{ sent: number; message: Message | null }> {
  const { rows } = await db.query(
    `SELECT now() AS now,
       (SELECT count(*) FROM transactions WHERE pays = $1 AND $4) AS sent,
       EXISTS (SELECT FROM transactions
         WHERE pays = $1 AND $4 AND status = 'pending'
           AND created_at > now() - interval '1 day') AS open_bill,
       EXISTS (SELECT FROM transactions WHERE pays IS NOT NULL AND msisdn = $2 AND status = 'pending'
         AND created_at > now() - interval '1 day') AS open_phone,
       (SELECT min(created_at) FROM (SELECT created_at FROM transactions WHERE pays = $1
         AND created_at > now() - make_interval(secs => $5) ORDER BY created_at DESC LIMIT $6) r
         HAVING count(*) = $6) AS number_full,
       (SELECT min(created_at)
         FROM (SELECT created_at FROM transactions WHERE pays IS NOT NULL AND msisdn = $2
           AND created_at > now() - make_interval(secs => $7) ORDER BY created_at DESC LIMIT $8) r
         HAVING count(*) = $8) AS phone_full,
       (SELECT min(created_at)
         FROM (SELECT created_at FROM transactions WHERE pays IS NOT NULL AND account_id = $3
           AND created_at > now() - make_interval(secs => $9) ORDER BY created_at DESC LIMIT $10) r
         HAVING count(*) = $10) AS account_full
     /* never null: now, sent, open_bill, open_phone */`,
    [
      pays,
      msisdn,
      accountId,
      isBill,
      promptLimits.of_number.seconds,
      promptLimits.of_number.most,
      promptLimits.of_phone.seconds,
      promptLimits.of_phone.most,
      promptLimits.of_account.seconds,
      promptLimits.of_account.most,
    ],
  );
  const {
    sent,
    open_bill: openOfBill,
    open_phone: openOfPhone,
    number_full: ofNumber,
    phone_full: ofPhone,
    account_full: ofAccount,
  } = rows[0];
  const refusal = () => {
    if (openOfBill) return say('prompt_open_of_bill');
    if (openOfPhone) return say('prompt_open_of_phone');
    if (isBill && sent >= promptLimits.of_bill) return say('prompt_too_many_of_bill');
    if (ofPhone !== null) return again('prompt_too_many_of_phone', ofPhone, promptLimits.of_phone);
    if (!isBill && ofNumber !== null) return again('prompt_too_many', ofNumber, promptLimits.of_number);
    return ofAccount === null ? null : again('prompt_too_many', ofAccount, promptLimits.of_account);
  };
  return { sent, message: refusal() };
}

/** The page shows the time at which the oldest prompt stops counting. */
function again(
  id: 'prompt_too_many' | 'prompt_too_many_of_phone',
  oldest: string,
  { seconds }: PromptBudget,
): Message {
  return say(id, { time: new Date(Date.parse(oldest) + seconds * 1_000 + 60_000).toISOString() });
}

const refusals: Record<BillRefusal, Message> = {
  unknown_reference: say('page_closed'),
  bill_closed: say('page_closed'),
  in_progress: say('prompt_in_progress'),
  amount_too_low: say('prompt_wrong_amount'),
  amount_too_high: say('prompt_wrong_amount'),
  amount_invalid: say('prompt_wrong_amount'),
};

import type { BillRefusal } from './bill.ts';

/**
 * A network gets one of these answers about a payment by control number; each protocol has a code for each.
 * `duplicate`: accepted before; nothing posted. `try_again`: nothing was decided.
 */
export type BillReply = 'ok' | 'duplicate' | 'try_again' | BillRefusal;

export function isTaken(reply: BillReply): reply is 'ok' | 'duplicate' {
  return reply === 'ok' || reply === 'duplicate';
}

/** Networks show these sentences to customers. */
export const billReplyMessage: Record<BillReply, string> = {
  ok: 'Accepted',
  duplicate: 'Accepted before',
  try_again: 'The service cannot answer now, try again',
  unknown_reference: 'There is no bill with this control number',
  bill_closed: 'This bill is paid, cancelled or expired',
  in_progress: 'Another payment of this bill is in progress, try again in two minutes',
  amount_too_low: 'The amount is less than the bill',
  amount_too_high: 'The amount is more than the bill',
  amount_invalid: 'The amount cannot be accepted',
};

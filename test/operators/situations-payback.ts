import type { Row } from './situations.ts';
import { payout } from './situations-payout.ts';

const PAYABLE = 'On its way back to the payer: 5,000.00 TZS from suspense is payable';
const OPEN = 'In suspense again: the item of 5,000.00 TZS is open';
const PAID = 'With the payer: 5,000.00 TZS left suspense';
const money: Record<string, string> = {
  not_sent: PAYABLE,
  waiting: PAYABLE,
  sent: PAYABLE,
  asking: PAYABLE,
  unknown: PAYABLE,
  odd_money: PAYABLE,
  decided: PAYABLE,
  stopped: PAYABLE,
  succeeded: PAID,
  contradicted: 'Taken from suspense: 5,000.00 TZS. Nobody knows whether the payer has it',
  decided_success: PAID,
  failed: OPEN,
  moved_late: OPEN,
  decided_failure: OPEN,
  cancelled: OPEN,
};

/** Every state of the world of a payback: those of a payout, but where its money is. */
export const payback: Row[] = payout
  .filter(([situation]) => situation !== 'returned')
  .map(([situation, given, state, , next]) => [
    situation,
    given,
    situation === 'cancelled' ? 'It was cancelled before it was sent' : state,
    money[situation] ?? '',
    next.replace(/fails and the money goes back$/, 'fails and its item reopens'),
  ]);

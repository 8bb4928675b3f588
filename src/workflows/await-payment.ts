import { condition, sleep } from '@temporalio/workflow';
import type { BilledMode } from '../domain/kinds.ts';
import type { Settled } from '../domain/settlement.ts';
import { showDetails } from './details.ts';
import { type Flow, handleInterrupts, interrupted, tryToSettle } from './flow.ts';

/**
 * Waits until the bill is paid, cancelled or its time is over. The door decides and posts every payment by itself;
 * here its callbacks are delivered, in order, and never hold up a posting.
 */
export async function awaitPayment(flow: Flow<BilledMode>): Promise<Settled> {
  const { expiresAt } = flow.input;
  let isOver = false;
  // One timer for all of it: a timer per payment would fill the history of a bill that is paid in 500 parts.
  void sleep(Math.max(1, Date.parse(expiresAt) - Date.now()), { summary: 'Until it expires' }).then(() => {
    isOver = true;
  });
  for (;;) {
    showDetails(flow, `Waiting for the customer to pay, until ${expiresAt}`);
    await condition(() => isOver || interrupted(flow));
    const settled = interrupted(flow)
      ? await handleInterrupts(flow)
      : await tryToSettle(flow, { kind: 'expired' });
    if (settled) return settled;
  }
}
